package analyze

import (
	"fmt"

	"reel/timeline"
)

// schedulerHeavy compares the scheduler's step with the step that it belongs to.
func schedulerHeavy(s *scene) answer {
	switch {
	case s.unit != "step":
		return unknown(noSteps)
	case len(s.d.Schedulers) == 0:
		return unknown("no step of a scheduler was recognised (record with stacks, or name it scheduler_step)")
	}
	var sum, host, cost int64
	var call timeline.RangeID = timeline.NoRange
	var n int
	s.counted(func(l *lap) {
		var own int64
		for k := startedBefore(s.d.Schedulers, l.from); k < len(s.d.Schedulers) && s.d.Schedulers[k].Start < l.to; k++ {
			if x := &s.d.Schedulers[k]; x.Track == l.track {
				own, call = own+x.Dur(), x.Range
				if l.steady {
					n++
				}
			}
		}
		if cost += own; own > 0 && l.steady {
			sum, host = sum+own, host+l.host()
		}
	})
	if host == 0 {
		return unknown("no step of the scheduler lies in a steady step")
	}
	p := percent(sum, host)
	if p <= s.limits.get("scheduler-heavy") {
		return fine(fmt.Sprintf("the scheduler takes %s of %s", share100(p), s.each()))
	}
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), s.calls.place(call)),
		Title:    fmt.Sprintf("the scheduler takes %s of %s", share100(p), s.each()),
		Evidence: facts{"scheduler_percent": p, "scheduler_ns": sum, "calls": n, "steps": len(s.steady)},
		Remedy:   "Compute timesteps and sigmas before the loop, keep them on the device, and take branches on the host's own numbers; or compile the scheduler's step."})
}
