package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/pipeline"
	"reel/lantern/wan"
	"reel/rec"
)

// Fault is a regression that is planted.
type Fault string

// The faults.
const (
	None   Fault = ""
	Sleep  Fault = "sleep"  // the scheduler sleeps
	Sync   Fault = "sync"   // the host waits for the device before each forward and scheduler step
	Kernel Fault = "kernel" // a kernel takes a tenth longer
	Encode Fault = "encode" // the prompt is encoded once more
)

// faults are all of them.
var faults = []Fault{Sleep, Sync, Kernel, Encode}

// Trial is a run of the engine.
type Trial struct {
	Model   fs.FS
	Fault   Fault
	Kernel  string            // that Kernel slows down
	Sleep   time.Duration     // of Sleep, a step
	Clock   *device.CostModel // modelled time; nil measures it
	Cores   int               // of the device; 0 is all
	Request pipeline.Request
	Tokens  int

	Requests int // in the recording; 0 is one
}

// Run generates once, after a warm-up on a real clock, and leaves the recording.
func (t Trial) Run(ctx context.Context, path string) (err error) {
	opt := rec.Options{Producer: "Lantern", Heap: true}
	dev := device.Options{Model: t.Clock, Cores: t.Cores}
	if t.Clock != nil {
		opt.Clock = t.Clock.Clock.Now
	}
	if t.Fault == Kernel {
		if t.Clock != nil {
			t.Clock.Kernels = map[string]device.Cost{t.Kernel: {Scale: 1.1}}
		} else {
			dev.Slow = map[string]float64{t.Kernel: 1.1}
		}
	}
	r := rec.New(opt)
	p := &planter{Recorder: r, t: t}
	e, err := pipeline.Open(ctx, t.Model, pipeline.Options{Device: dev, TextTokens: t.Tokens,
		Worker: rec.NewWorker(p, rec.WorkerOptions{}), Profile: device.Profile{Recorder: r}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if t.Fault == Encode {
		if err := p.second(ctx, e.Device()); err != nil {
			return err
		}
		defer p.models.Close()
	}
	p.dev = e.Device()
	if t.Clock == nil {
		warm := t.Request
		warm.WarmUp = true
		if _, err := e.Generate(ctx, warm); err != nil {
			return err
		}
	}
	if err := r.Start(""); err != nil { // loading is not what is compared
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for range max(t.Requests, 1) {
		if _, err := e.Generate(ctx, t.Request); err != nil {
			return err
		}
	}
	return r.Save(path)
}

// planter is a recorder that does harm where certain ranges begin.
type planter struct {
	*rec.Recorder
	t      Trial
	dev    *device.Device
	models *wan.Pipeline // of Encode: encoders of its own
	stream *device.Stream
	mu     sync.Mutex
	busy   bool
}

// second loads the models once more, on a stream of their own.
func (p *planter) second(ctx context.Context, d *device.Device) (err error) {
	p.stream = d.NewStream("second")
	if p.models, err = wan.Open(ctx, p.stream, p.t.Model, wan.LoadOptions{}); err != nil {
		return err
	}
	return p.stream.Synchronize(ctx)
}

// Range begins a range.
func (p *planter) Range(ctx context.Context, name string) rec.Range {
	g := p.Recorder.Range(ctx, name)
	p.harm(ctx, name)
	return g
}

// RangeAs begins a labelled range.
func (p *planter) RangeAs(ctx context.Context, l rec.Label) rec.Range {
	g := p.Recorder.RangeAs(ctx, l)
	p.harm(ctx, l.Name)
	return g
}

func (p *planter) harm(ctx context.Context, name string) {
	p.mu.Lock()
	off := p.busy || p.dev == nil
	p.mu.Unlock()
	switch {
	case off:
	case name == "scheduler_step" && p.t.Fault == Sleep:
		if p.t.Clock != nil {
			p.t.Clock.Clock.Advance(p.t.Sleep)
		} else {
			time.Sleep(p.t.Sleep)
		}
	case (name == "scheduler_step" || name == "transformer_forward") && p.t.Fault == Sync:
		_ = p.dev.Synchronize(ctx) // what went wrong comes to light in the request
	case name == "pipeline.encode" && p.t.Fault == Encode:
		p.encode(ctx)
	}
}

// encode makes the states of the prompt, which nobody uses.
func (p *planter) encode(ctx context.Context) {
	p.mu.Lock()
	p.busy = true
	p.mu.Unlock()
	o := nn.On(ctx, p.stream)
	defer o.Close()
	p.models.EncodePrompt(o, p.t.Request.Prompt, p.t.Tokens)
	if p.t.Clock == nil {
		_ = p.stream.Synchronize(ctx)
	}
	p.mu.Lock()
	p.busy = false
	p.mu.Unlock()
}

// parse reads the name of a fault.
func parse(s string) (Fault, error) {
	for _, f := range append([]Fault{None}, faults...) {
		if s == string(f) || s == "none" && f == None {
			return f, nil
		}
	}
	return "", fmt.Errorf("no fault %q: want none, sleep, sync, kernel or encode", s)
}
