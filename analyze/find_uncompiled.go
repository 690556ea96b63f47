package analyze

import "fmt"

// uncompiled looks for steps that launch most of their work outside of compiled
// regions, in a run that has some.
func uncompiled(s *scene) answer {
	switch {
	case s.unit != "step":
		return unknown(noSteps)
	case s.sum.GPU == nil:
		return unknown(noDevice)
	case !s.compiled():
		return unknown("nothing in this trace is compiled, so there is no compiled step to compare with")
	}
	var outside, all int
	var cost int64
	s.counted(func(l *lap) {
		g := s.regionsOf(l)
		if cost += l.idle + g.eager; l.steady {
			outside, all = outside+g.outside, all+len(l.acts)
		}
	})
	if all == 0 {
		return unknown("the steps launched no device work")
	}
	p := percent(int64(outside), int64(all))
	if p <= s.limits.get("uncompiled") {
		return fine(fmt.Sprintf("%s of the work of %s comes out of compiled regions or graphs", share100(100-p), s.each()))
	}
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), s.lapCall()),
		Title:    fmt.Sprintf("%s of the work of %s is launched outside of compiled regions", share100(p), s.each()),
		Evidence: facts{"outside_percent": p, "activities_outside_per_step": s.perLap(outside), "activities_per_step": s.perLap(all), "steps": len(s.steady)},
		Remedy:   "Compile the denoiser itself, or its repeated blocks (compile_repeated_blocks), and check that what is called is the compiled module."})
}
