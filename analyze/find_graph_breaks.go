package analyze

import (
	"fmt"
	"sort"

	"reel/event"
	"reel/timeline"
)

// regions are the compiled regions and graph replays of a lap: outermost ones, by
// start, on its track.
type regions struct {
	from, to []int64
	launched []int // activities launched in each
	outside  int   // activities launched in none
	eager    int64 // time of their element-wise and norm kernels, ns
	idle     int64 // waits that ended with work outside, or with the first of a later region
}

// holds returns which region holds host instant t, -1 for none.
func (r *regions) holds(t int64) int {
	k := sort.Search(len(r.from), func(i int) bool { return r.from[i] > t }) - 1
	if k >= 0 && t < r.to[k] {
		return k
	}
	return -1
}

// regionsOf finds the compiled parts of a lap.
func (s *scene) regionsOf(l *lap) *regions {
	if l.regions != nil {
		return l.regions
	}
	g := &regions{}
	l.regions = g
	s.ranges(l, func(r timeline.RangeID) {
		if k := s.calls.kind(r); k != regionCall && k != graphCall || s.tl.Ranges.Start[r] >= l.span.End {
			return
		}
		if n := len(g.to); n > 0 && s.tl.Ranges.Start[r] < g.to[n-1] {
			return
		}
		g.from, g.to = append(g.from, s.tl.Ranges.Start[r]), append(g.to, s.tl.Ranges.End(r)+1)
	})
	g.launched = make([]int, len(g.from))
	a := &s.tl.Activities
	in := func(i int32) int {
		if c := a.Launch[i]; c != timeline.NoRange {
			return g.holds(s.tl.Ranges.Start[c])
		}
		return -1
	}
	first := map[int32]bool{}
	for _, i := range l.acts {
		k := in(i)
		if k < 0 {
			g.outside++
			if c := s.kernels.of(i).class; c == ElementwiseKernels || c == NormKernels {
				g.eager += a.Dur[i]
			}
			first[i] = true
		} else if g.launched[k]++; g.launched[k] == 1 && k > 0 {
			first[i] = true
		}
	}
	for _, w := range l.gaps {
		if first[w.next] {
			g.idle += w.to - w.from
		}
	}
	return g
}

// graphBreaks looks for steps whose forward falls into several compiled regions, or
// replays of graphs, with other work between them.
func graphBreaks(s *scene) answer {
	if s.unit != "step" {
		return unknown(noSteps)
	}
	if !s.compiled() {
		return fine("nothing is compiled or replayed, so nothing is broken up")
	}
	var per, outside []int64
	var cost int64
	s.counted(func(l *lap) {
		g := s.regionsOf(l)
		if cost += g.idle; l.steady {
			n := int64(len(g.from)) / int64(max(1, s.forwardsIn(l)))
			per, outside = append(per, n), append(outside, int64(g.outside))
		}
	})
	n, eager := medianInt(per), medianInt(outside)
	if float64(n) < s.limits.get("graph-breaks") || eager == 0 && s.sum.GPU != nil {
		return fine(countText(int(n), "compiled region or replay", "compiled regions or replays") + " in each forward")
	}
	f := Finding{Severity: SeverityWarn, Where: where(s.stage(), s.lapCall()),
		Title:    fmt.Sprintf("each forward falls into %d compiled regions or replays", n),
		Evidence: s.over(facts{"regions_per_forward": n}),
		Remedy:   "Find what breaks the graph (TORCH_LOGS=graph_breaks) and compile with fullgraph=True."}
	if s.sum.GPU != nil {
		f.Cost = &cost
		f.Title += ", with " + countText(int(eager), "other launch", "other launches") + " between them"
		f.Evidence["activities_outside_per_step"], f.Evidence["idle_around_ns"] = eager, cost
	}
	return found(f)
}

// forwardsIn counts the calls of the denoiser in a lap.
func (s *scene) forwardsIn(l *lap) (n int) {
	for _, f := range s.denoisers(l) {
		if f.Start >= l.span.Start {
			n++
		}
	}
	return n
}

// denoisers returns the calls of the denoiser in a lap, those of compiled regions
// left out: one forward may have many.
func (s *scene) denoisers(l *lap) []Span {
	var out []Span
	for k := startedBefore(s.d.Forwards, l.span.Start); k < len(s.d.Forwards) && s.d.Forwards[k].Start < l.span.End; k++ {
		f := s.d.Forwards[k]
		if f.Track == l.track && s.calls.kind(f.Range) != regionCall && moduleClass(f.Name) != "OptimizedModule" {
			out = append(out, f)
		}
	}
	return out
}

// compiled says that something in the trace is compiled, or replayed as a graph.
func (s *scene) compiled() bool {
	if s.compiledKnown == nil {
		found := false
		for i, c := range s.tl.Ranges.Class {
			if c != event.Python && c != event.Overhead {
				if k := s.calls.kind(timeline.RangeID(i)); k == regionCall || k == graphCall {
					found = true
					break
				}
			}
		}
		s.compiledKnown = &found
	}
	return *s.compiledKnown
}
