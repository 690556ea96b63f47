package analyze

import (
	"fmt"

	"reel/timeline"
	"reel/unit"
)

// unattributed looks for device work of which the trace holds no launch.
func unattributed(s *scene) answer {
	if s.sum.GPU == nil {
		return unknown(noDevice)
	}
	n, all := s.sum.GPU.Unattributed, s.sum.GPU.Activities
	if n == 0 {
		return fine("every activity has its launch")
	}
	a := &s.tl.Activities
	early, first := 0, int64(1<<62)
	var time int64
	for _, i := range s.work {
		if a.Launch[i] != timeline.NoRange {
			first = min(first, s.tl.Ranges.Start[a.Launch[i]])
		}
	}
	for _, i := range s.work {
		if a.Launch[i] == timeline.NoRange && a.Owner[i] == timeline.NoRange {
			if time += a.Dur[i]; a.Start[i] < first {
				early++
			}
		}
	}
	p := percent(int64(n), int64(all))
	severity := SeverityInfo
	if p > s.limits.get("unattributed") {
		severity = SeverityWarn
	}
	are := "have"
	if n == 1 {
		are = "has"
	}
	title := fmt.Sprintf("%s of %s %s no launch in this trace: counted for the device, in no stage and no step", unit.Count(n), countText(all, "activity", "activities"), are)
	return found(Finding{Severity: severity, Title: title,
		Evidence: facts{"activities": n, "of": all, "percent": p, "device_ns": time, "before_the_first_launch": early},
		Remedy:   "Idle the device (torch.cuda.synchronize) before recording starts, so that what was launched earlier is not in it; kernels of graphs need the profiler's graph support."})
}
