package rec

import (
	"context"
	"maps"
)

// composite tells several profilers, the first one outermost.
type composite []Profiler

// Composite returns a Profiler that tells all of ps, the first one outermost, and
// collects from all of them: what one of them kept back would count with the next
// step. Of none it is Noop, of one that one. Beside a recorder a second back end
// costs no allocation of its own.
func Composite(ps ...Profiler) Profiler {
	var c composite
	for _, p := range ps {
		switch p := p.(type) {
		case nil, Noop:
		case composite:
			c = append(c, p...)
		default:
			c = append(c, direct(p))
		}
	}
	switch len(c) {
	case 0:
		return Noop{}
	case 1:
		return c[0]
	}
	return c
}

func (c composite) Range(ctx context.Context, name string) (g Range) {
	for _, p := range c {
		g = both(g, p.Range(ctx, name))
	}
	return g
}

func (c composite) RangeAs(ctx context.Context, l Label) (g Range) {
	for _, p := range c {
		g = both(g, RangeAs(ctx, p, l))
	}
	return g
}

func (c composite) Async(name string) (g Range) {
	for _, p := range c {
		g = both(g, Async(p, name))
	}
	return g
}

func (c composite) Event(ctx context.Context, name string, count int, step StepID) {
	for _, p := range c {
		p.Event(ctx, name, count, step)
	}
}

func (c composite) InputReceived(received Time, count int) {
	for _, p := range c {
		p.InputReceived(received, count)
	}
}

func (c composite) InputConsumed(step StepID, received []Time, started Time) {
	for _, p := range c {
		p.InputConsumed(step, received, started)
	}
}

func (c composite) InputDropped(received []Time) {
	for _, p := range c {
		p.InputDropped(received)
	}
}

func (c composite) StepPresented(step StepID) {
	for _, p := range c {
		p.StepPresented(step)
	}
}

func (c composite) CollectStageMS(ctx context.Context) map[string]float64 {
	return c.collect(func(p Profiler) map[string]float64 { return p.CollectStageMS(ctx) })
}

func (c composite) CollectFPS() map[string]float64 { return c.collect(Profiler.CollectFPS) }

func (c composite) CollectInputLatencyMS() map[string]float64 {
	return c.collect(Profiler.CollectInputLatencyMS)
}

// collect asks every profiler; where two say the same the outer one counts.
func (c composite) collect(f func(Profiler) map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for i := len(c) - 1; i >= 0; i-- {
		maps.Copy(out, f(c[i]))
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (c composite) ResetCounts() {
	for _, p := range c {
		p.ResetCounts()
	}
}
