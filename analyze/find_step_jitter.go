package analyze

import (
	"fmt"

	"reel/internal/stats"
)

// stepJitter looks for steady steps that take much longer than the others.
func stepJitter(s *scene) answer {
	if s.unit != "step" {
		return unknown(noSteps)
	}
	if n := len(s.steady); float64(n) < s.limits.get("steady-steps") {
		return unknown(fmt.Sprintf("%s: too few for a percentile", countText(n, "steady step", "steady steps")))
	}
	var took []int64
	s.hot(func(l *lap) { took = append(took, l.took()) })
	median := medianInt(took)
	p99, _ := stats.Nearest(took, 99)
	limit := s.limits.get("step-jitter") * float64(median)
	if float64(p99) <= limit {
		return fine(fmt.Sprintf("the 99th percentile of the steps is %.2f times the median", float64(p99)/float64(max(1, median))))
	}
	var cost, worst int64
	late, at := 0, 0
	for k, v := range took {
		if float64(v) > limit {
			cost, late = cost+v-median, late+1
		}
		if v > worst {
			worst, at = v, s.steady[k]
		}
	}
	x := s.laps[at].span
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: &Where{Stage: "diffuse", Step: &x.Index, Call: s.lapCall()},
		Title:    fmt.Sprintf("%s much longer than the others: the 99th percentile is %.1f times the median", countText(late, "step takes", "steps take"), float64(p99)/float64(max(1, median))),
		Evidence: facts{"p99_ns": p99, "median_ns": median, "worst_ns": worst, "late_steps": late, "steps": len(took)},
		Remedy:   "Look at the worst step in the timeline: garbage collection, another process on the device or the host, a power limit, a shape that differs."})
}
