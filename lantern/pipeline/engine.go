package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"reel/control"
	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/wan"
	"reel/rec"
	"reel/rec/startup"
)

// Options says how an Engine is set up. The zero value uses all cores and the
// profiler that the environment asks for.
type Options struct {
	Name   string         // that the model is served under; "lantern" when empty
	Device device.Options // cores, memory, modelled time

	// Worker is what requests run in; nil is the environment's. With Profiler set
	// it is the engine's own.
	Worker *rec.Worker
	// Profiler is a profiler_config: StartProfile and StopProfile then record what
	// lies between them, and leave the artefacts that it asks for.
	Profiler control.Config
	Session  SessionOptions

	// Profile says what of the device's work a recording holds beyond activities;
	// a profiler_config adds what it asks for.
	Profile device.Profile
	// TextTokens is how long prompts are padded; 0 is 64.
	TextTokens int
	Load       wan.LoadOptions
	Log        *slog.Logger // slog.Default when nil
}

// Engine holds the loaded models. Its methods may be called at the same time; what
// they ask for runs one after the other.
type Engine struct {
	opt    Options
	models *wan.Pipeline
	dev    *device.Device
	stream *device.Stream
	worker *rec.Worker
	ctl    *control.Controller // nil without a profiler_config

	mu sync.Mutex // the stream: one request at a time
}

// Open loads a Diffusers folder of class WanPipeline. With a start-up collector in
// the context its phases are recorded: device.setup, component.<name> and their
// parts.
func Open(ctx context.Context, fsys fs.FS, o Options) (e *Engine, err error) {
	if o.Name == "" {
		o.Name = "lantern"
	}
	if o.TextTokens <= 0 {
		o.TextTokens = 64
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	e = &Engine{opt: o}
	if err := e.profilers(); err != nil {
		return nil, err
	}
	_ = startup.Do(ctx, "device.setup", func(ctx context.Context) error {
		e.dev = device.New(o.Device)
		e.stream = e.dev.NewStream("compute")
		e.profile()
		return nil
	})
	if o.Load.Phase == nil {
		o.Load.Phase = phase
	}
	if e.models, err = wan.Open(ctx, e.stream, fsys, o.Load); err != nil {
		return nil, errors.Join(fmt.Errorf("pipeline: %w", err), e.dev.Close())
	}
	if err := e.stream.Synchronize(ctx); err != nil { // weights arrive
		e.models.Close()
		return nil, errors.Join(fmt.Errorf("pipeline: %w", err), e.dev.Close())
	}
	return e, nil
}

// phase records phases of loading.
func phase(ctx context.Context, name string) (context.Context, func(error)) {
	ctx, p := startup.Begin(ctx, name)
	return ctx, func(err error) { _ = p.End(err) }
}

// profile has the device tell the worker's recorder what it does.
func (e *Engine) profile() {
	p := e.opt.Profile
	if p.Recorder == nil {
		p.Recorder = e.worker.Recording()
	}
	e.dev.Profile(&p)
}

// Device returns the engine's device.
func (e *Engine) Device() *device.Device { return e.dev }

// Worker returns what requests run in.
func (e *Engine) Worker() *rec.Worker { return e.worker }

// Model is the name that the engine is served under.
func (e *Engine) Model() string { return e.opt.Name }

// Sync waits until the device is idle.
func (e *Engine) Sync() error { return e.dev.Synchronize(context.Background()) }

// Stamp notes a place in the device's work: what it returns gives the time at which
// the device came there, or now when it has not. It is what rec.StatsOptions takes.
func (e *Engine) Stamp(ctx context.Context) func() rec.Time {
	ev := e.stream.Record(ctx)
	return func() rec.Time {
		if t, ok := ev.Time(); ok {
			return t
		}
		return rec.Now()
	}
}

// Close frees the models and ends the device; a running profile is stopped and its
// artefacts are written.
func (e *Engine) Close() error {
	var err error
	if e.ctl != nil {
		err = e.ctl.Shutdown(context.Background())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.models.Close()
	return errors.Join(err, e.dev.Close())
}

// ops returns the operators of a context.
func (e *Engine) ops(ctx context.Context) *nn.Ops { return nn.On(ctx, e.stream) }
