package rec

import "context"

// Emitter passes ranges and marks on to another tool, as NVTX does to Nsight:
// package nvtx has that one. One for another tool is these five methods.
type Emitter interface {
	Push(name string)         // begins a range on the calling thread
	Pop()                     // ends the innermost one
	Mark(label string)        // an instant
	Start(name string) uint64 // begins a range of the process, which may overlap others
	Stop(id uint64)           // ends it
}

// Emit makes a Profiler of an emitter. Ranges are pushed and popped on one thread,
// so an emitter's Push keeps the goroutine there until Pop, as that of package nvtx
// does, or the program locks it (runtime.LockOSThread).
func Emit(e Emitter) Profiler { return &emitting{e: e} }

type emitting struct {
	Noop
	e     Emitter
	waits waits
}

// popEnd pops.
type popEnd struct{ e Emitter }

func (p *popEnd) End() { p.e.Pop() }

// stopEnd stops a range of the process.
type stopEnd struct {
	e  Emitter
	id uint64
}

func (p *stopEnd) End() { p.e.Stop(p.id) }

func (m *emitting) Range(_ context.Context, name string) Range {
	m.e.Push(name)
	return RangeOf(&popEnd{m.e})
}

// Async begins a range of the process.
func (m *emitting) Async(name string) Range { return RangeOf(&stopEnd{m.e, m.e.Start(name)}) }

func (m *emitting) Event(_ context.Context, name string, count int, step StepID) {
	label := step.Label(name)
	for range marksOf(name, count) {
		m.e.Mark(label)
	}
}

func (m *emitting) InputReceived(received Time, count int) {
	m.waits.received(received, count, func() Range { return m.Async(waitName) })
}

func (m *emitting) InputConsumed(step StepID, received []Time, _ Time) {
	m.waits.consumed(step, received)
}

func (m *emitting) InputDropped(received []Time) { m.waits.dropped(received) }

func (m *emitting) StepPresented(step StepID) { m.waits.presented(step) }

func (m *emitting) ResetCounts() { m.waits.reset() }
