package rec

import (
	"context"
	"iter"

	"reel/event"
	"reel/window"
)

// Steps ranges over the n steps of a denoise loop:
//
//	for i := range rec.Steps(ctx, 30) { … }
//
// Each step is a range, the loop another; windows open and close at them, and
// sessions count them. All of it ends when the loop does: at its end, at a break or
// return, at a panic. In a loop within a loop only the outer one counts.
func Steps(ctx context.Context, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		l := beginLoop(ctx)
		defer l.end()
		for i := range n {
			l.beginStep(i)
			if !yield(i) {
				return
			}
			l.endStep()
		}
		l.whole = true
	}
}

// StepsOf ranges over the values of a loop's own iterator, a scheduler's timesteps
// for instance, and counts them: see Steps.
func StepsOf[V any](ctx context.Context, values iter.Seq[V]) iter.Seq2[int, V] {
	return func(yield func(int, V) bool) {
		l := beginLoop(ctx)
		defer l.end()
		i := 0
		for v := range values {
			l.beginStep(i)
			if !yield(i, v) {
				return
			}
			l.endStep()
			i++
		}
		l.whole = true
	}
}

// loop is a denoise loop under way.
type loop struct {
	ctx   context.Context
	w     *Worker
	q     *request // nil outside a request
	outer bool     // not within another loop
	gated bool
	whole bool  // ran to its end
	own   Range // of a loop outside a request, or within another
	rest  Range // of the loop, for profilers that no window ends
	step  Range
	it    Iteration
}

// Names of what loops record.
const (
	loopName = "denoise.loop"
	stepName = "denoise"
)

func beginLoop(ctx context.Context) *loop {
	l := &loop{ctx: ctx, w: From(ctx), outer: true}
	if b := bound(ctx); b != nil {
		l.q = b.request
	}
	label := Label{Name: loopName, Role: event.Loop}
	if l.q == nil {
		l.own = RangeAs(ctx, l.w.Profiler, label)
		return l
	}
	l.w = l.q.w
	w, q := l.w, l.q
	w.mu.Lock()
	l.outer = !q.inLoop
	q.inLoop = true
	if l.gated = q.gated && l.outer; l.gated {
		w.gate.BeginLoop()
	}
	w.mu.Unlock()
	if !l.outer {
		l.own = l.w.Range(ctx, "inner.loop")
		return l
	}
	g, rest := w.whole(ctx, label)
	l.rest = rest
	w.mu.Lock()
	q.loop = g
	w.mu.Unlock()
	return l
}

func (l *loop) beginStep(i int) {
	label := Label{Name: stepName, Role: event.Step, Index: i, Indexed: true}
	if !l.outer {
		label.Name, label.Role = "inner", event.NoRole
	} else if l.q == nil || !l.q.warm {
		l.it = l.w.iterate(window.DenoiseSteps)
	}
	if l.gated {
		l.w.mu.Lock()
		l.w.gate.BeginStep()
		l.w.mu.Unlock()
	}
	l.step = RangeAs(l.ctx, l.w.Profiler, label)
}

func (l *loop) endStep() {
	l.stopStep()
	if l.gated {
		l.w.mu.Lock()
		l.w.gate.EndStep()
		l.w.mu.Unlock()
	}
	l.stopIteration()
}

func (l *loop) stopStep() {
	g := l.step.take()
	l.w.quiet(func() error { g.End(); return nil })
}

func (l *loop) stopIteration() {
	it := l.it
	if l.it = nil; it == nil {
		return
	}
	var err error
	l.w.quiet(func() error { err = it.End(); return nil })
	if err == nil {
		return
	}
	if l.q == nil {
		l.w.log.Error("device", "err", err) // nobody to return it to
		return
	}
	l.q.fail(err)
}

// end ends the loop, and the step that a break or panic left open.
func (l *loop) end() {
	l.stopStep()
	l.w.quiet(func() error { l.own.End(); return nil })
	if l.q != nil && l.outer {
		w, q := l.w, l.q
		w.mu.Lock()
		g := q.loop.take()
		w.mu.Unlock()
		w.quiet(func() error { g.End(); return nil })
		w.quiet(func() error { l.rest.End(); return nil })
		w.mu.Lock()
		if l.gated {
			w.quiet(func() error { w.gate.EndLoop(l.whole); return nil })
		}
		q.inLoop = false
		w.mu.Unlock()
	}
	l.stopIteration()
}
