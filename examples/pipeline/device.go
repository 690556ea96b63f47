package main

import (
	"context"

	"reel/rec"
)

// device runs work in the order in which it was launched, on a goroutine of its
// own: launching is not waiting.
type device struct {
	queue  chan func()
	stream *rec.Stream
}

func newDevice() *device {
	d := &device{make(chan func(), 64), rec.NewStream(0, 1, "toy stream", nil)}
	go func() {
		for work := range d.queue {
			work()
		}
	}()
	return d
}

func (d *device) close() { close(d.queue) }

// launch starts work and returns at once.
func (d *device) launch(ctx context.Context, name string, work func()) {
	r := rec.From(ctx).Recording()
	g, link := r.Launch(ctx, "launch "+name)
	defer g.End()
	d.queue <- func() {
		start := rec.Now()
		work()
		if link != 0 { // launched in what is recorded
			r.Activity(d.stream, rec.Activity{Name: name, Link: link, Start: uint64(start), Dur: uint64(rec.Now() - start)})
		}
	}
}

// wait returns when the device is idle.
func (d *device) wait(ctx context.Context) {
	defer rec.From(ctx).Range(ctx, "device.wait").End()
	_ = d.idle() // a toy has no errors
}

// idle is wait for the profiler.
func (d *device) idle() error {
	done := make(chan struct{})
	d.queue <- func() { close(done) }
	<-done
	return nil
}
