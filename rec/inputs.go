package rec

import "sync"

// batch is inputs that a step consumed and that no frame has shown yet.
type batch struct {
	step           StepID
	received       []Time
	started, ended Time
}

// maxPending bounds the steps that wait for their first frame.
const maxPending = 4096

// inputs follows inputs from their consumption to the first frame of the step
// that consumed them. It is used under its owner's lock.
type inputs struct{ pending []batch }

// consumed files a batch; what falls out at the bound is returned.
func (in *inputs) consumed(b batch) (lost []batch) {
	if len(in.pending) >= maxPending {
		lost = append(lost, in.pending[0])
		in.pending = in.pending[1:]
	}
	in.pending = append(in.pending, b)
	return lost
}

// presented takes out what the first frame of a step shows, and what it passes
// over: earlier steps whose frames were dropped.
func (in *inputs) presented(step StepID) (shown, stale []batch) {
	kept := in.pending[:0]
	for _, b := range in.pending {
		switch {
		case b.step == step:
			shown = append(shown, b)
		case b.step.before(step):
			stale = append(stale, b)
		default:
			kept = append(kept, b)
		}
	}
	in.pending = kept
	return shown, stale
}

// dropped takes inputs out of what is pending.
func (in *inputs) dropped(received []Time) (n int) {
	gone := map[Time]bool{}
	for _, t := range received {
		gone[t] = true
	}
	kept := in.pending[:0]
	for _, b := range in.pending {
		left := b.received[:0]
		for _, t := range b.received {
			if !gone[t] {
				left = append(left, t)
			}
		}
		n += len(b.received) - len(left)
		if b.received = left; len(left) > 0 {
			kept = append(kept, b)
		}
	}
	in.pending = kept
	return n
}

// waits are the input.wait ranges of a profiler, by the arrival of their batch.
// Each ends exactly once.
type waits struct {
	mu   sync.Mutex
	open map[Time]Range
	in   inputs
}

const waitName = "input.wait"

// received begins a wait unless there is one: batches of one arrival time are one
// wait, an empty one is none.
func (w *waits) received(at Time, count int, begin func() Range) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, there := w.open[at]; there || count <= 0 || len(w.open) >= maxPending {
		return
	}
	if w.open == nil {
		w.open = map[Time]Range{}
	}
	if g := begin(); g.Recorded() {
		w.open[at] = g
	}
}

// consumed keeps the waits of a step until its first frame.
func (w *waits) consumed(step StepID, received []Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, lost := range w.in.consumed(batch{step: step, received: append([]Time(nil), received...)}) {
		w.end(lost.received)
	}
}

// dropped ends waits whose frame will never come.
func (w *waits) dropped(received []Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end(received)
	w.in.dropped(received)
}

// presented ends the waits of a step and of the earlier ones.
func (w *waits) presented(step StepID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	shown, stale := w.in.presented(step)
	for _, b := range append(shown, stale...) {
		w.end(b.received)
	}
}

// reset ends every wait.
func (w *waits) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range w.open {
		g.End()
	}
	w.open, w.in.pending = nil, nil
}

func (w *waits) end(received []Time) {
	for _, t := range received {
		if g, ok := w.open[t]; ok {
			g.End()
			delete(w.open, t)
		}
	}
}

// forget leaves open waits to the recording that ends.
func (w *waits) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open, w.in.pending = nil, nil
}
