package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"sync"
	"time"

	"reel/internal/display"
	"reel/internal/rundir"
	"reel/lantern/media"
	"reel/lantern/pipeline"
	"reel/lantern/session"
	"reel/rec"
	"reel/render/text"
	"reel/table"
	"reel/unit"
)

// clip is what a demo made.
type clip struct {
	frames    []*image.RGBA
	rate      float64
	took      time.Duration
	ended     string // of a session
	path      string
	stats     *rec.StatsFile
	statsPath string
}

// make runs the request, streaming as a session.
func (b *bench) make(ctx context.Context, r pipeline.Request, f demoFlags, timeout time.Duration) (*clip, error) {
	bar := b.a.startSteps(r)
	defer bar.stop()
	r.Progress = bar.set
	began := time.Now()
	if r.Kind == pipeline.Streaming {
		c, err := b.stream(ctx, r, f, timeout)
		if c != nil {
			c.took = time.Since(began)
		}
		return c, err
	}
	res, err := b.engine.Generate(ctx, r)
	if err != nil {
		return nil, requestError(err)
	}
	return &clip{frames: res.Frames, rate: res.Rate, took: time.Since(began)}, nil
}

// requestError is misuse where the request was at fault.
func requestError(err error) error {
	if errors.Is(err, pipeline.ErrRequest) {
		return &misuse{err}
	}
	return err
}

// blocks is the streaming pipeline as an application of a session: a model loop of
// a block each, and a screen that nobody looks at.
type blocks struct {
	b      *bench
	r      pipeline.Request
	stream *pipeline.Stream
	mu     sync.Mutex
	frames []*image.RGBA
}

func (x *blocks) Init(_ context.Context, s *session.Session) error {
	var err error
	if x.stream, err = x.b.engine.Stream(x.r); err != nil {
		return requestError(err)
	}
	s.Model(func(ctx context.Context, st session.Step) (session.Result, error) {
		frames, err := x.stream.Next(ctx, "")
		if err != nil {
			return session.Result{}, err
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.frames = append(x.frames, frames...)
		return session.Result{Frames: frames, Metrics: x.b.memory()}, nil
	})
	return nil
}

// memory is the use of the device's memory, as statistics name it.
func (b *bench) memory() map[string]float64 {
	m := b.engine.Device().Memory()
	const gib = 1 << 30
	return map[string]float64{"mem_alloc_gib": float64(m.Allocated) / gib, "mem_reserved_gib": float64(m.Reserved) / gib, "mem_peak_gib": float64(m.AllocatedPeak) / gib}
}

// stream runs the blocks as a session.
func (b *bench) stream(ctx context.Context, r pipeline.Request, f demoFlags, timeout time.Duration) (*clip, error) {
	app := &blocks{b: b, r: r}
	o := session.Options{Profiler: b.engine.Worker(), Steps: f.blocks, FrameRate: pipeline.FrameRate, Queue: 2, Timeout: timeout, Sync: b.sync, Log: b.a.logger()}
	path, stats := b.statistics(f.stats)
	o.Stats = stats
	rep, err := session.Run(ctx, app, o)
	if app.stream != nil {
		app.stream.Close()
	}
	c := &clip{frames: app.frames, rate: pipeline.FrameRate, ended: rep.Ended, stats: stats, statsPath: path}
	if err == nil && len(c.frames) == 0 && c.ended != session.TimedOut {
		err = errors.New("no block was made; nothing to show")
	}
	return c, err
}

// keep writes the clip, where there is one, and the statistics.
func (b *bench) keep(ctx context.Context, c *clip, f demoFlags) error {
	if len(c.frames) > 0 {
		if err := b.keepClip(ctx, c, f); err != nil {
			return err
		}
	}
	if c.stats != nil {
		return c.stats.Write(c.statsPath, f.force)
	}
	return nil
}

func (b *bench) keepClip(ctx context.Context, c *clip, f demoFlags) error {
	path, force := f.out, f.force
	if path == "" {
		name := "clip.gif"
		if len(c.frames) == 1 {
			name = "picture.png"
		}
		path = filepath.Join(b.dir, name)
	}
	if err := media.Write(context.WithoutCancel(ctx), path, media.Clip{Frames: c.frames, Rate: c.rate}.Scale(f.scale), force); err != nil {
		return err
	}
	c.path = path
	return nil
}

// tell says what was made, where the time went, and what lies where.
func (b *bench) tell(c *clip) error {
	switch {
	case len(c.frames) == 0:
		b.a.warn("the time was over before the first block was begun: there is no clip")
	case c.ended == session.TimedOut:
		b.a.warn("the time was over; what was made until then is kept")
	}
	if n := len(c.frames); n > 0 {
		what := fmt.Sprintf("%d frames", n)
		if n == 1 {
			what = "a picture"
		}
		size := c.frames[0].Bounds().Size()
		fmt.Fprintf(b.a.Out, "%s of %d x %d pixels in %v: %s\n\n", what, size.X, size.Y, unit.Dur(c.took), display.Clean(relative(c.path)))
	}
	if b.dir == "" {
		return nil
	}
	if err := b.summary(); err != nil {
		return err
	}
	folder, err := rundir.Join(b.dir)
	if err != nil {
		return err
	}
	t := table.New("artefacts", table.Col{Name: "file", Unit: table.Text}, table.Col{Name: "size", Unit: table.Bytes}, table.Col{Name: "opens in", Unit: table.Text})
	for _, f := range folder.Scan() {
		t.Add(display.Clean(f.Path), f.Size, f.Viewer)
	}
	if err := folder.Close(); err != nil {
		return err
	}
	fmt.Fprintf(b.a.Out, "\n%s\n", display.Clean(relative(b.dir)))
	if err := text.Write(b.a.Out, t, text.Options{Width: b.a.width(), Indent: 2}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.a.Out, "\nlook closer: reel summary %[1]s · reel ops %[1]s · reel export %[1]s --to perfetto\n", display.Clean(relative(b.dir)))
	return err
}
