package rec

import (
	"context"
	"errors"
	"strings"

	"reel/window"
)

// RequestOptions describe a request.
type RequestOptions struct {
	Name   string // "request" when empty
	WarmUp bool   // opens no window and uses none up; is no iteration
	Loops  int    // its denoise loops, where the program knows; 0 unknown
}

// request is a request under way.
type request struct {
	w     *Worker
	warm  bool
	gated bool // the gate follows it
	it    Iteration
	rest  Range // of the request, for profilers that no window ends

	// Under w.mu: ranges that end with their window.
	whole, loop Range
	inLoop      bool
	errs        []error
}

// Request runs f as one request: a range with a role, windows and an iteration of
// a session around it. All of them end, each once and even if another one fails,
// when f returns, fails or panics. Its error is that of f, joined with errors of
// the device that came to light as the profiler waited for it; faults of the
// profiler are logged. The context that f gets is for the request's goroutine;
// another one takes a track of its own (OnTrack).
//
// Within another request of the same worker it is a part of that.
func (w *Worker) Request(ctx context.Context, o RequestOptions, f func(context.Context) error) (err error) {
	if o.Name == "" {
		o.Name = "request"
	}
	b := rebind(ctx)
	if b.request != nil && b.worker == w {
		g := w.Range(ctx, o.Name+" (nested)")
		defer g.End()
		return f(ctx)
	}
	q := &request{w: w, warm: o.WarmUp}
	b.worker, b.request = w, q
	if b.track == nil {
		b.track = w.track()
		defer w.release(b.track)
	}
	defer func() {
		if device := q.end(); device != nil {
			err = errors.Join(err, device)
		}
	}()
	q.begin(b, o)
	return f(b)
}

// Request runs f as a request of the context's worker, or of the one that the
// environment asks for.
func Request(ctx context.Context, o RequestOptions, f func(context.Context) error) error {
	return From(ctx).Request(ctx, o, f)
}

func (q *request) begin(ctx context.Context, o RequestOptions) {
	w := q.w
	if !o.WarmUp {
		q.it = w.iterate(window.Requests)
	}
	if w.gate != nil {
		w.mu.Lock()
		if w.current == nil {
			w.current, q.gated = q, true
			if err := w.gate.BeginRequest(o.WarmUp, o.Loops); err != nil {
				w.current, q.gated = nil, false
			}
		}
		w.mu.Unlock()
	}
	g, rest := w.whole(ctx, Label{Name: o.Name, Role: requestRole(o)})
	q.rest = rest
	w.mu.Lock()
	q.whole = g
	w.mu.Unlock()
}

// end ends what begin began, last first, and returns the errors of the device.
func (q *request) end() error {
	w := q.w
	w.mu.Lock()
	g := q.whole.take()
	w.mu.Unlock()
	w.quiet(func() error { g.End(); return nil })
	w.quiet(func() error { q.rest.End(); return nil })
	if q.gated {
		w.mu.Lock()
		w.quiet(func() error { w.gate.EndRequest(); return nil })
		w.current = nil
		w.mu.Unlock()
	}
	if q.it != nil {
		q.fail(q.endIteration(q.it))
	}
	q.fail(w.deviceError())
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(q.errs...)
}

// endIteration ends an iteration and tells errors of the device from panics of the
// profiler.
func (q *request) endIteration(it Iteration) (err error) {
	q.w.quiet(func() error { err = it.End(); return nil })
	return err
}

func (q *request) fail(err error) {
	if err == nil {
		return
	}
	q.w.mu.Lock()
	defer q.w.mu.Unlock()
	q.errs = append(q.errs, err)
}

// Stage begins a stage of the request: the range pipeline.<name>. The stage
// "decode" is what decode windows open around; a range of that name opens none.
func Stage(ctx context.Context, name string) Range { return From(ctx).Stage(ctx, name) }

// Stage begins a stage of the request: see the function Stage.
func (w *Worker) Stage(ctx context.Context, name string) Range {
	name = strings.TrimPrefix(name, stagePrefix)
	full, ok := stageNames[name]
	if !ok {
		full = stagePrefix + name
	}
	if w.gate == nil || name != "decode" || w.opt.Windows.Mode != window.Decode {
		return w.Range(ctx, full)
	}
	b := bound(ctx)
	if b == nil || b.request == nil || !b.request.gated {
		return w.Range(ctx, full)
	}
	w.mu.Lock()
	w.gate.BeginDecode()
	w.mu.Unlock()
	return RangeOf(&decodeEnd{w, w.Range(ctx, full)})
}

// stageNames spares the making of a name.
var stageNames = map[string]string{"encode": "pipeline.encode", "prepare": "pipeline.prepare", "diffuse": "pipeline.diffuse",
	"decode": "pipeline.decode", "finalize": "pipeline.finalize"}

// decodeEnd ends a decode stage, then its window.
type decodeEnd struct {
	w *Worker
	g Range
}

func (e *decodeEnd) End() {
	e.g.End()
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	e.w.gate.EndDecode()
}
