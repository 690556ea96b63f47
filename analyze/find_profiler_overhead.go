package analyze

import (
	"fmt"

	"reel/event"
	"reel/timeline"
)

// profilerOverhead estimates what recording each call cost, and tells the time that
// the profiler noted for itself: it may have passed on threads of its own.
func profilerOverhead(s *scene) answer {
	var python, others, own, host int64
	s.hot(func(l *lap) {
		host += l.host()
		n := s.notable(l)
		python, others = python+n.python, others+n.others
	})
	for _, id := range s.tl.HostTracks() { // overhead lies on a track of its own
		t := &s.tl.Tracks[id]
		for i := t.Lo; i < t.Hi; i++ {
			if s.tl.Ranges.Class[i] == event.Overhead && s.calls.kind(timeline.RangeID(i)) == profilerCall {
				if k := s.lapAt(s.tl.Ranges.Start[i]); k >= 0 {
					own += s.tl.Ranges.Dur[i]
				}
			}
		}
	}
	if host == 0 || python+others == 0 {
		return unknown("no calls of the host in this trace")
	}
	estimate := int64(float64(python)*s.limits.get("python-call")*1e3 + float64(others)*s.limits.get("recorded-call")*1e3)
	p := percent(estimate, host)
	if p <= s.limits.get("profiler-overhead") {
		return fine(fmt.Sprintf("recording is estimated to cost %s of %s", share100(p), s.each()))
	}
	remedy := "Times of the host in this trace are longer than without a profiler. To know how long steps really take, measure without it."
	if python > others {
		remedy += " Leave out the Python calls (with_stack) for a second look at times."
	}
	return found(Finding{Severity: SeverityInfo,
		Title: fmt.Sprintf("recording may have cost about %s of %s: an estimate by the number of calls recorded", share100(p), s.each()),
		Evidence: facts{"estimated_percent": p, "estimated_ns": estimate, "measured_ns": own, "python_calls_per_" + s.unit: s.perLap(int(python)),
			"other_calls_per_" + s.unit: s.perLap(int(others)), "assumed_python_call_ns": s.limits.get("python-call") * 1e3, "assumed_other_call_ns": s.limits.get("recorded-call") * 1e3},
		Remedy: remedy})
}

// lapAt returns the steady lap that instant t of the host lies in, -1 for none.
func (s *scene) lapAt(t int64) int {
	for lo, hi := 0, len(s.steady); lo < hi; {
		m := (lo + hi) / 2
		switch l := &s.laps[s.steady[m]]; {
		case t < l.from:
			hi = m
		case t >= l.to:
			lo = m + 1
		default:
			return s.steady[m]
		}
	}
	return -1
}
