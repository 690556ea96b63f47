package rec

import (
	"context"
	"log/slog"
	"runtime/trace"
	"time"

	"reel/event"
	"reel/reelfile"
)

// beginSlow begins a range that feeds more than the recording.
func (r *Recorder) beginSlow(ctx context.Context, s *sink, t *Track, d reelfile.Desc, arg int64, role event.Role, name string, o *open) {
	var more enders
	if ctx == nil {
		ctx = context.Background()
	}
	if r.opt.SyncStages && r.opt.Sync != nil && role == event.Stage {
		r.sync()
		d = d.Timed(reelfile.Synced)
		more = append(more, syncEnd{r})
	}
	if r.opt.RuntimeTrace && trace.IsEnabled() {
		more = append(more, trace.StartRegion(ctx, name))
	}
	if l := r.opt.Ranges; l != nil && l.Enabled(ctx, slog.LevelDebug) {
		more = append(more, &logEnd{ctx, l, name, time.Now()})
	}
	if len(more) > 0 {
		o.more = more
	}
	o.clock = s.clock
	s.handle(t).BeginTo(&o.slot, d, arg, s.clock.Now())
}

// sync idles the device; what it says is the request's own.
func (r *Recorder) sync() {
	if err := guard(r.opt.Sync); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.device == nil {
			r.device = err
		}
	}
}

// TakeDeviceError returns, once, the error of the device that came to light as a
// stage was synchronised. A request returns it as its own.
func (r *Recorder) TakeDeviceError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.device
	r.device = nil
	return err
}

// syncEnd idles the device before a range ends.
type syncEnd struct{ r *Recorder }

func (e syncEnd) End() { e.r.sync() }

// logEnd logs a range as it ends.
type logEnd struct {
	ctx   context.Context
	log   *slog.Logger
	name  string
	since time.Time
}

func (e *logEnd) End() {
	e.log.LogAttrs(e.ctx, slog.LevelDebug, "range", slog.String("name", e.name), slog.Duration("took", time.Since(e.since)))
}
