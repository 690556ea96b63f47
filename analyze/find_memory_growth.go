package analyze

import (
	"fmt"

	"reel/unit"
)

// memoryGrowth looks for memory that grows from step to step: of the device, or in a
// run without one of the host.
func memoryGrowth(s *scene) answer {
	m, of := s.memory, "device"
	if m == nil && s.sum.GPU == nil {
		m, of = s.hostMemory, "host"
	}
	switch {
	case m == nil:
		return unknown("no memory events in this trace (record with memory profiling)")
	case s.unit == "run":
		return unknown(noSteps)
	case len(s.steady) < minGrowth:
		return unknown(fmt.Sprintf("%s: too few to tell growth from noise", countText(len(s.steady), "steady "+s.unit, "steady "+s.unit+"s")))
	}
	var at, grown []int64
	rising := true
	for n, i := range s.steady {
		level, _ := m.before(s.laps[i].from)
		if at = append(at, level); n > 0 && s.follows(s.steady[n-1], i) {
			grown = append(grown, level-at[n-1])
			rising = rising && level > at[n-1]
		}
	}
	if len(grown) < minGrowth-1 {
		return unknown(fmt.Sprintf("%s one after the other: too few to tell growth from noise", countText(len(grown)+1, "steady "+s.unit, "steady "+s.unit+"s")))
	}
	typical := medianInt(grown)
	if !rising || float64(typical) <= s.limits.get("memory-growth")*float64(unit.MiB) {
		return fine("the allocated memory does not grow from " + s.unit + " to " + s.unit)
	}
	first, last := at[0], at[len(at)-1]
	return found(Finding{Severity: SeverityWarn, Where: where(s.stage(), s.lapCall()),
		Title:    fmt.Sprintf("the allocated %s memory grows by %s from %s to %s", of, unit.Bytes(typical), s.unit, s.unit),
		Evidence: s.over(facts{"growth_per_" + s.unit + "_bytes": typical, "first_bytes": first, "last_bytes": last, "absolute": m.absolute}),
		Remedy:   "Look for lists that keep tensors of every step (latents, previews, losses with their graph), and for caches without a bound."})
}

// follows reports whether a lap comes next after another: of steps, in the same loop.
func (s *scene) follows(a, b int) bool {
	if s.unit != "step" {
		return true
	}
	x, y := s.laps[a].span, s.laps[b].span
	return x.Request == y.Request && x.Loop == y.Loop && y.Index == x.Index+1
}

// minGrowth is how many steady laps it takes to speak of growth.
const minGrowth = 4
