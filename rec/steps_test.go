package rec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reel/window"
)

// counted is an iteration that is counted.
type counted struct {
	log  *strings.Builder
	unit window.Unit
	err  error
}

func (c *counted) End() error { fmt.Fprintf(c.log, "/%v ", c.unit); return c.err }

// worker makes a worker that writes down ranges and iterations.
func worker(err error) (*Worker, *strings.Builder) {
	log := &strings.Builder{}
	return NewWorker(tape{log: log}, WorkerOptions{Log: quietLog, Iteration: func(u window.Unit) Iteration {
		fmt.Fprintf(log, "%v ", u)
		return &counted{log, u, err}
	}}), log
}

func TestRequest(t *testing.T) {
	broken := errors.New("prompt")
	for name, c := range map[string]struct {
		o    RequestOptions
		f    func(context.Context) error
		want string
		err  error
	}{
		"empty": {f: func(context.Context) error { return nil }, want: "request request /request /request"},
		"fails": {f: func(context.Context) error { return broken }, want: "request request /request /request", err: broken},
		"named": {o: RequestOptions{Name: "clip", WarmUp: true}, f: func(context.Context) error { return nil }, want: "clip /clip"},
		"nested": {f: func(ctx context.Context) error {
			return Request(ctx, RequestOptions{}, func(context.Context) error { return nil })
		}, want: "request request request (nested) /request (nested) /request /request"},
		"steps": {f: func(ctx context.Context) error {
			for range Steps(ctx, 2) {
			}
			return nil
		}, want: "request request denoise.loop step denoise[0] /denoise[0] /step step denoise[1] /denoise[1] /step /denoise.loop /request /request"},
		"break": {f: func(ctx context.Context) error {
			for range Steps(ctx, 2) {
				break
			}
			return nil
		}, want: "request request denoise.loop step denoise[0] /denoise[0] /denoise.loop /step /request /request"},
		"none": {f: func(ctx context.Context) error {
			for range Steps(ctx, 0) {
			}
			return nil
		}, want: "request request denoise.loop /denoise.loop /request /request"},
		"warm": {o: RequestOptions{WarmUp: true}, f: func(ctx context.Context) error {
			for range Steps(ctx, 1) {
			}
			return nil
		}, want: "request denoise.loop denoise[0] /denoise[0] /denoise.loop /request"},
		"inner": {f: func(ctx context.Context) error {
			for range Steps(ctx, 1) {
				for range Steps(ctx, 1) {
				}
			}
			return nil
		}, want: "request request denoise.loop step denoise[0] inner.loop inner[0] /inner[0] /inner.loop /denoise[0] /step /denoise.loop /request /request"},
		"stage": {f: func(ctx context.Context) error {
			defer Stage(ctx, "decode").End()
			Stage(ctx, "upsample").End()
			return nil
		}, want: "request request pipeline.decode pipeline.upsample /pipeline.upsample /pipeline.decode /request /request"},
	} {
		w, log := worker(nil)
		if err := w.Request(context.Background(), c.o, c.f); err != c.err {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		want(t, name, log.String(), c.want)
	}
}

// TestPanic pins that all ends when a request panics, and that the panic goes on.
func TestPanic(t *testing.T) {
	w, log := worker(nil)
	func() {
		defer func() {
			if x := recover(); x != "model" {
				t.Errorf("recovered %v", x)
			}
		}()
		w.Request(context.Background(), RequestOptions{}, func(ctx context.Context) error {
			for range Steps(ctx, 3) {
				panic("model")
			}
			return nil
		})
	}()
	want(t, "panic", log.String(), "request request denoise.loop step denoise[0] /denoise[0] /denoise.loop /step /request /request")
}

// TestDeviceError pins that an error of the device, which comes to light as a
// session closes, is the request's own.
func TestDeviceError(t *testing.T) {
	device, own := errors.New("illegal address"), errors.New("prompt")
	w, _ := worker(device)
	err := w.Request(context.Background(), RequestOptions{}, func(ctx context.Context) error {
		for range Steps(ctx, 1) {
		}
		return own
	})
	if !errors.Is(err, device) || !errors.Is(err, own) {
		t.Errorf("the request returned %v", err)
	}
	spec, _ := window.Parse("TEST", "0")
	c := &Capture{Sync: func() error { return device }, Outer: &sw{}}
	w = NewWorker(Noop{}, WorkerOptions{Windows: spec, Recorder: c, Log: quietLog})
	err = w.Request(context.Background(), RequestOptions{}, func(ctx context.Context) error {
		for range Steps(ctx, 1) {
		}
		return nil
	})
	if !errors.Is(err, device) {
		t.Errorf("the request returned %v", err)
	}
	want(t, "gate", c.Outer.(*sw).log, "on off")
}

// sw is an outer profiler.
type sw struct{ log string }

func (s *sw) On() error  { s.log += "on "; return nil }
func (s *sw) Off() error { s.log += "off "; return nil }

// TestOverlap runs requests at the same time: the first has the windows.
func TestOverlap(t *testing.T) {
	spec, _ := window.Parse("TEST", "all")
	outer := &sw{}
	w := NewWorker(Noop{}, WorkerOptions{Windows: spec, Recorder: &Capture{Outer: outer}, Log: quietLog})
	none := func(context.Context) error { return nil }
	w.Request(context.Background(), RequestOptions{}, func(context.Context) error {
		done := make(chan error)
		go func() { done <- w.Request(context.Background(), RequestOptions{}, none) }()
		return <-done
	})
	w.Request(context.Background(), RequestOptions{}, none)
	want(t, "gate", outer.log, "on off on off")
}
