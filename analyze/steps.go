package analyze

import (
	"slices"

	"reel/event"
	"reel/timeline"
)

// steps returns the denoise steps. Producers or annotations may name them;
// otherwise a step is the denoiser's call, or its calls (guidance often needs
// two) between one step of the scheduler and the next.
func (c *candidates) steps(forwards []Span) []Span {
	named := c.pick(func(x candidate) bool { return x.role == event.Step })
	if len(named) > 0 && named[0].Evidence != ByCall {
		return named
	}
	return c.group(c.unwrapped(slices.Clone(forwards)))
}

// forwards returns the calls of the denoiser.
func (c *candidates) forwards() []Span {
	list := c.pick(func(x candidate) bool { return x.role == event.Forward })
	if len(list) > 0 && list[0].weak(c) && len(list) < 2 {
		return nil // one compiled region is not a loop
	}
	return list
}

// unwrapped extends module calls to the compiled wrapper directly around them:
// its time is the step's, its name (OptimizedModule) tells nothing.
func (c *candidates) unwrapped(forwards []Span) []Span {
	wrapper := map[timeline.RangeID]candidate{}
	for _, x := range c.list {
		if x.weak && x.ev == ByModule {
			wrapper[x.r] = x
		}
	}
	for i := range forwards {
		f := &forwards[i]
		if f.Evidence != ByModule || len(wrapper) == 0 {
			continue
		}
		for r := c.tl.Ranges.Parent[f.Range]; r != timeline.NoRange; r = c.tl.Ranges.Parent[r] {
			if x, ok := wrapper[r]; ok { // the outermost is the last
				w := c.span(x)
				f.Range, f.Start, f.End = r, w.Start, w.End
			}
		}
	}
	return forwards
}

// weak says that only a rule of last resort found the span.
func (s Span) weak(c *candidates) bool {
	for _, x := range c.list {
		if x.r == s.Range {
			return x.weak
		}
	}
	return false
}

// group joins the forwards of one request that no scheduler step separates.
func (c *candidates) group(forwards []Span) []Span {
	if len(c.scheduler) == 0 {
		return forwards
	}
	var out []Span
	iteration, request := -1, -1
	for _, f := range forwards {
		// The number of scheduler steps begun before f names its iteration.
		it, req := startedBefore(c.scheduler, f.Start), requestOf(c.whole, f)
		if n := len(out); n > 0 && it == iteration && req == request && out[n-1].Track == f.Track {
			out[n-1].End = max(out[n-1].End, f.End)
			continue
		}
		iteration, request = it, req
		out = append(out, f)
	}
	return out
}
