package rec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"reel/event"
	"reel/window"
)

// Iteration is an iteration of a session, as control.Iteration is one.
type Iteration interface {
	// End ends it; its error is one of the device, and the request's own.
	End() error
}

// WorkerOptions is what a worker drives beside its profiler.
type WorkerOptions struct {
	Windows  window.Spec
	Recorder window.Recorder // what windows open: a Capture, or control.Windows
	// Iteration begins an iteration of a session; nil for none. It is asked for
	// each request and each denoise step.
	Iteration func(window.Unit) Iteration
	Log       *slog.Logger // gets faults of the profiler; slog.Default when nil
}

// Worker runs requests: it tells the profiler of them, opens and closes windows,
// and counts iterations. It is a Profiler itself. Requests may overlap; the first
// of them has the windows. NewWorker makes one.
type Worker struct {
	Profiler
	opt  WorkerOptions
	log  *slog.Logger
	gate *window.Gate // nil without windows

	// With windows: what they record, and what goes on between them. The ranges of
	// requests and loops end with a window for the one, and at their end for the other.
	windowed, rest Profiler

	mu      sync.Mutex // the gate, and what follows
	current *request   // the one that the gate follows
	idle    []*Track   // of requests that have ended
	tracks  int
	closed  bool

	note  *note      // of a run folder; nil without
	stats *keptStats // with a file to be written; nil without
	rank  int        // of the process, 0 unknown

	untrigger func() // ends the saving on a signal; nil without
}

// NewWorker makes a worker that tells p.
func NewWorker(p Profiler, opt WorkerOptions) *Worker {
	w := &Worker{Profiler: direct(p), opt: opt, log: opt.Log}
	if w.log == nil {
		w.log = slog.Default()
	}
	if opt.Windows.Mode != window.Unset && opt.Recorder != nil {
		w.gate = window.NewGate(opt.Windows, &closing{w, opt.Recorder})
		var in, out []Profiler
		for _, p := range profilers(w.Profiler) {
			if _, ok := p.(pooled); ok {
				in = append(in, p)
			} else {
				out = append(out, p)
			}
		}
		w.windowed, w.rest = Composite(in...), Composite(out...)
	}
	return w
}

// whole begins the range of a request or loop: one that ends with the window as well,
// and one that does not.
func (w *Worker) whole(ctx context.Context, l Label) (windowed, rest Range) {
	if w.gate == nil {
		return RangeAs(ctx, w.Profiler, l), Range{}
	}
	return RangeAs(ctx, w.windowed, l), RangeAs(ctx, w.rest, l)
}

// RangeAs begins a range as labelled.
func (w *Worker) RangeAs(ctx context.Context, l Label) Range { return RangeAs(ctx, w.Profiler, l) }

// Async begins a range that may overlap others and end on another goroutine, with
// those of the worker's profilers that keep one.
func (w *Worker) Async(name string) Range { return Async(w.Profiler, name) }

// Report returns what the windows asked for and saw, and what failed about them.
func (w *Worker) Report() ([]window.Coverage, []error) {
	if w.gate == nil {
		return nil, nil
	}
	w.mu.Lock()
	list, faults := w.gate.Report()
	w.mu.Unlock()
	if f, ok := w.opt.Recorder.(interface{ Faults() []error }); ok {
		faults = append(faults, f.Faults()...)
	}
	return list, faults
}

// Close says in the log which windows were asked for and never entered, and what
// failed. It ends nothing: requests do.
func (w *Worker) Close() {
	list, faults := w.Report()
	w.mu.Lock()
	done := w.closed
	w.closed = true
	w.mu.Unlock()
	if done {
		return
	}
	for _, c := range list {
		if c.Entered == 0 {
			w.log.Warn("a window was asked for and never entered: nothing was recorded for it", "window", c.Asked, "why", c.Missed)
		} else if c.Missed != "" {
			w.log.Info("a window was cut short, or missing in part", "window", c.Asked, "entered", c.Entered, "of", c.Of, "why", c.Missed)
		}
	}
	for _, err := range faults {
		w.log.Error("profiler", "err", err)
	}
}

// track takes a track for a request that has none.
func (w *Worker) track() *Track {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.idle); n > 0 {
		t := w.idle[n-1]
		w.idle = w.idle[:n-1]
		return t
	}
	w.tracks++
	name := "worker"
	if w.tracks > 1 {
		name = fmt.Sprintf("worker %d", w.tracks)
	}
	return NewTrack(name)
}

func (w *Worker) release(t *Track) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, t)
}

// iterate begins an iteration; a panic of the profiler is a fault of it.
func (w *Worker) iterate(unit window.Unit) (it Iteration) {
	if w.opt.Iteration != nil {
		w.quiet(func() error { it = w.opt.Iteration(unit); return nil })
	}
	return it
}

// quiet runs a part of the profiler whose failure is no concern of the request.
func (w *Worker) quiet(f func() error) {
	if err := guard(f); err != nil {
		w.log.Error("profiler", "err", err)
	}
}

// guard runs f and makes an error of a panic.
func guard(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
		}
	}()
	return f()
}

// deviceErrors is what profilers and window recorders implement that find out about
// errors of the device.
type deviceErrors interface{ TakeDeviceError() error }

// deviceError takes the device errors that came to light.
func (w *Worker) deviceError() error {
	var all []error
	take := func(x any) {
		if d, ok := x.(deviceErrors); ok {
			all = append(all, d.TakeDeviceError())
		}
	}
	take(w.opt.Recorder)
	if c, ok := w.Profiler.(composite); ok {
		for _, p := range c {
			take(p)
		}
	} else {
		take(w.Profiler)
	}
	return errors.Join(all...)
}

// closing stands between the gate and what records: ranges that the request itself
// holds open end with the window, not behind it, and a panic is an error.
type closing struct {
	w   *Worker
	rec window.Recorder
}

func (c *closing) Open(win window.Window) error {
	return guard(func() error { return c.rec.Open(win) })
}

func (c *closing) Close(win window.Window) error {
	if q := c.w.current; q != nil {
		inner, outer := q.loop.take(), q.whole.take()
		c.w.quiet(func() error { inner.End(); outer.End(); return nil })
	}
	return guard(func() error { return c.rec.Close(win) })
}

func (c *closing) Discard(win window.Window) {
	c.w.quiet(func() error { c.rec.Discard(win); return nil })
}

// role of a request's range.
func requestRole(o RequestOptions) event.Role {
	if o.WarmUp {
		return event.WarmUp
	}
	return event.Request
}
