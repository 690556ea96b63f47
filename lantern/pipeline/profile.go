package pipeline

import (
	"context"
	"errors"
	"io"

	"reel/artifacts"
	"reel/control"
	"reel/lantern/device"
	"reel/rec"
	"reel/window"
)

// SessionOptions are what a session needs beside its profiler_config.
type SessionOptions struct {
	App    string // names run folders; the program's name when empty
	Rank   int
	World  int
	Dir    string         // the run folder that a parent chose for all ranks
	Root   string         // of run folders without torch_profiler_dir
	Gate   control.Switch // of an outer profiler, for profiler: cuda
	Beside []rec.Profiler // that are told of requests as well
	// Windows records these parts of requests alone, into files of their own.
	Windows window.Spec
}

// ErrNoProfiler is returned by StartProfile and StopProfile of an engine without a
// profiler_config.
var ErrNoProfiler = control.ErrDisabled

// profilers makes the worker, and the session's controller when a profiler is
// configured.
func (e *Engine) profilers() error {
	cfg, s := e.opt.Profiler, e.opt.Session
	if !cfg.Enabled() {
		if e.worker = e.opt.Worker; e.worker == nil {
			e.worker = rec.Default()
		}
		return nil
	}
	if e.opt.Worker != nil {
		return errors.New("pipeline: Options has a Worker and a Profiler: one of them records")
	}
	iterate := func(u window.Unit) rec.Iteration {
		if it := e.ctl.Iteration(u); it != nil {
			return it
		}
		return nil
	}
	r := rec.New(rec.Options{Rank: &s.Rank, WorldSize: worldOf(s.World), Producer: "Lantern", Log: e.opt.Log})
	e.opt.Profile = device.Profile{Recorder: r, Shapes: cfg.Shapes, Stacks: cfg.Stack, FLOPs: cfg.Flops, Memory: cfg.Memory}
	e.worker = rec.NewWorker(rec.Composite(append([]rec.Profiler{r}, s.Beside...)...), rec.WorkerOptions{Iteration: iterate, Log: e.opt.Log})
	opt := control.Options{App: s.App, Rank: s.Rank, World: s.World, Device: "Lantern CPU device", Root: s.Root, Dir: s.Dir,
		Gate: s.Gate, Sync: e.Sync, Log: e.opt.Log}
	if cfg.Profiler == control.Torch {
		opt.Collectors = []control.Collector{artifacts.Collector(r)}
		opt.Exporters = []control.Exporter{artifacts.Exporter(artifacts.Options{Memory: e.snapshot})}
		if cfg.Memory {
			opt.Collectors = append(opt.Collectors, &history{e, cfg.Stack})
		}
	}
	var err error
	e.ctl, err = control.New(cfg, opt)
	return err
}

func worldOf(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// snapshot writes the allocator's history.
func (e *Engine) snapshot(ctx context.Context, w io.Writer) error {
	return e.dev.WriteSnapshot(w)
}

// history keeps the allocator's history while a session records.
type history struct {
	e      *Engine
	stacks bool
}

func (h *history) Name() string               { return "memory history" }
func (h *history) Prepare(*control.Run) error { return nil }
func (h *history) Start() error {
	h.e.dev.RecordHistory(&device.HistoryOptions{Stacks: h.stacks})
	return nil
}

// Stop leaves the history to the snapshot that the export takes.
func (h *history) Stop() (control.Seen, error) { return control.Seen{}, nil }

// Control returns the controller of the engine's profiler, nil without one: for
// serving it over HTTP.
func (e *Engine) Control() *control.Controller { return e.ctl }

// StartProfile begins to profile as the engine's profiler_config says.
func (e *Engine) StartProfile(o control.StartOptions) (control.Session, error) {
	if e.ctl == nil {
		return control.Session{}, ErrNoProfiler
	}
	return e.ctl.Start(o)
}

// StopProfile ends the profile and returns what it left, once it is written.
func (e *Engine) StopProfile(ctx context.Context) (control.Session, error) {
	if e.ctl == nil {
		return control.Session{}, ErrNoProfiler
	}
	return e.ctl.Stop(ctx)
}
