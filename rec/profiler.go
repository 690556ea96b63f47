package rec

import (
	"context"
	"fmt"

	"reel/event"
	"reel/reelfile"
)

// Profiler is what a program tells what it does. A program may bring its own:
// embed Noop and override what it wants. Methods may be called at the same time.
type Profiler interface {
	// Range begins a range on the context's track; the caller ends it, on the
	// same goroutine, with defer as a rule.
	Range(ctx context.Context, name string) Range
	// Event says that something happened count times, at a step if there is one.
	Event(ctx context.Context, name string, count int, step StepID)

	// InputReceived says that a batch of count inputs arrived.
	InputReceived(received Time, count int)
	// InputConsumed says that a step, which began at started and has just ended,
	// used up inputs that arrived at these times.
	InputConsumed(step StepID, received []Time, started Time)
	// InputDropped says that inputs will never be shown.
	InputDropped(received []Time)
	// StepPresented says that a frame of the step is shown.
	StepPresented(step StepID)

	// CollectStageMS returns the milliseconds of the context's stages since the
	// last call, by stage.
	CollectStageMS(ctx context.Context) map[string]float64
	// CollectFPS returns rates of events since the last call and on the whole.
	CollectFPS() map[string]float64
	// CollectInputLatencyMS returns the latency of inputs shown since the last
	// call and on the whole.
	CollectInputLatencyMS() map[string]float64
	// ResetCounts ends the session of counts; waits that are open end.
	ResetCounts()
}

// Noop is the Profiler that does nothing.
type Noop struct{}

var _ Profiler = Noop{}

// Range returns a range that is off.
func (Noop) Range(context.Context, string) Range { return Range{} }

// Event does nothing.
func (Noop) Event(context.Context, string, int, StepID) {}

// InputReceived does nothing.
func (Noop) InputReceived(Time, int) {}

// InputConsumed does nothing.
func (Noop) InputConsumed(StepID, []Time, Time) {}

// InputDropped does nothing.
func (Noop) InputDropped([]Time) {}

// StepPresented does nothing.
func (Noop) StepPresented(StepID) {}

// CollectStageMS returns nothing.
func (Noop) CollectStageMS(context.Context) map[string]float64 { return nil }

// CollectFPS returns nothing.
func (Noop) CollectFPS() map[string]float64 { return nil }

// CollectInputLatencyMS returns nothing.
func (Noop) CollectInputLatencyMS() map[string]float64 { return nil }

// ResetCounts does nothing.
func (Noop) ResetCounts() {}

// Time is an instant on the process's monotonic clock, in nanoseconds.
type Time int64

// Now returns the time.
func Now() Time {
	c := reelfile.SystemClock()
	return Time(c.Nanos(c.Now()))
}

// StepID names a model step: its generation, which a reset raises, and its number
// within that. The zero StepID is no step.
type StepID struct {
	gen, n uint32
	ok     bool
}

// StepN is step n of generation 0.
func StepN(n int) StepID { return StepIn(0, n) }

// StepIn is step n of a generation. Negative numbers make no step.
func StepIn(gen, n int) StepID {
	if gen < 0 || n < 0 {
		return StepID{}
	}
	return StepID{uint32(gen), uint32(n), true}
}

// Parts returns the generation and the number within it; ok is false for no step.
func (s StepID) Parts() (gen, n int, ok bool) { return int(s.gen), int(s.n), s.ok }

// before reports whether s comes before t.
func (s StepID) before(t StepID) bool { return s.gen < t.gen || s.gen == t.gen && s.n < t.n }

// Label returns name with the step as marks show it: "name [step 5]", and
// "name [gen 2, step 5]" behind a reset.
func (s StepID) Label(name string) string {
	switch {
	case !s.ok:
		return name
	case s.gen == 0:
		return fmt.Sprintf("%s [step %d]", name, s.n)
	}
	return fmt.Sprintf("%s [gen %d, step %d]", name, s.gen, s.n)
}

// Label describes a range further than its name does.
type Label struct {
	Name    string
	Role    event.Role // NoRole leaves it to the name
	Index   int        // shown as "name[3]"
	Indexed bool
}

// Labeler is implemented by profilers that keep more of a range than its name.
type Labeler interface {
	RangeAs(ctx context.Context, l Label) Range
}

// RangeAs begins a range with p: as labelled where p is a Labeler, else by name.
func RangeAs(ctx context.Context, p Profiler, l Label) Range {
	if x, ok := p.(Labeler); ok {
		return x.RangeAs(ctx, l)
	}
	if l.Indexed {
		return p.Range(ctx, fmt.Sprintf("%s[%d]", l.Name, l.Index))
	}
	return p.Range(ctx, l.Name)
}

// Asyncer is implemented by profilers that keep ranges which may overlap others
// and end on another goroutine, as the recorder and an Emitter do.
type Asyncer interface {
	Async(name string) Range
}

// Async begins such a range with those of p that keep one.
func Async(p Profiler, name string) Range {
	if x, ok := p.(Asyncer); ok {
		return x.Async(name)
	}
	return Range{}
}
