package report

import (
	"slices"

	"reel/analyze"
	"reel/unit"
)

func allTook(steps []analyze.StepInfo) []int64 {
	out := make([]int64, len(steps))
	for i := range steps {
		out[i] = took(&steps[i])
	}
	return out
}

// medianTook is the median duration of the steps, ns.
func medianTook(steps []analyze.StepInfo) int64 {
	return median(allTook(steps))
}

// byTook gives the order of the steps by their duration.
func byTook(steps []analyze.StepInfo) []int {
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, took(&steps[a])-took(&steps[b])))) })
	return order
}

// slowFirst is how much longer than the others the first step must be to be
// called slow.
const slowFirst = 1.2

// split parts the steps into the first of each loop and the others.
func split(steps []analyze.StepInfo) (firsts, rest []analyze.StepInfo) {
	for _, s := range steps {
		if s.Index == 0 {
			firsts = append(firsts, s)
		} else {
			rest = append(rest, s)
		}
	}
	return firsts, rest
}

// firstIsSlow reports whether first steps take much longer than the others.
func firstIsSlow(steps []analyze.StepInfo) bool {
	firsts, rest := split(steps)
	return len(firsts) > 0 && len(rest) > 0 && float64(medianTook(firsts)) > slowFirst*float64(medianTook(rest))
}

// steady says what a step costs once the first one is over.
func (p *page) steady(steps []analyze.StepInfo) {
	firsts, rest := split(steps)
	if len(rest) == 0 {
		return
	}
	middle := medianTook(rest)
	parts := []string{"steady steps: median " + dur(middle)}
	if rest[0].GPUBusy != nil {
		busy := medianOf(rest, func(s *analyze.StepInfo) int64 { return value(s.GPUBusy) })
		idle := medianOf(rest, func(s *analyze.StepInfo) int64 { return value(s.GPUIdle) })
		span := medianOf(rest, func(s *analyze.StepInfo) int64 { return value(s.GPUSpan) })
		parts = append(parts, "device "+dur(busy), "idle "+share(idle, span),
			between(rest, func(s *analyze.StepInfo) int { return s.Activities }, "activity", "activities")+", "+
				between(rest, func(s *analyze.StepInfo) int { return s.Launches }, "launch", "launches")+" each")
	}
	if rest[0].GPUBusy == nil && rest[0].GPUSpan != nil {
		parts = append(parts, "host "+dur(medianOf(rest, func(s *analyze.StepInfo) int64 { return s.CPU })),
			"device "+dur(medianOf(rest, func(s *analyze.StepInfo) int64 { return value(s.GPUSpan) })))
	}
	p.joined("", indent, parts)
	if firstIsSlow(steps) {
		first := medianTook(firsts)
		p.note(margin, "the first step is slow: "+dur(first)+", "+times(first, middle)+" a steady one (warm-up, compiling, loading)")
	}
}

func value(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

func medianOf(steps []analyze.StepInfo, get func(*analyze.StepInfo) int64) int64 {
	all := make([]int64, len(steps))
	for i := range steps {
		all[i] = get(&steps[i])
	}
	return median(all)
}

// between is "1,098 launches" or "1,097 to 1,098 launches".
func between(steps []analyze.StepInfo, get func(*analyze.StepInfo) int, one, many string) string {
	lo, hi := get(&steps[0]), get(&steps[0])
	for i := range steps {
		lo, hi = min(lo, get(&steps[i])), max(hi, get(&steps[i]))
	}
	if lo == hi {
		return count(lo, one, many)
	}
	return unit.Count(lo).String() + " to " + count(hi, one, many)
}
