package analyze

import (
	"fmt"

	"reel/event"
	"reel/timeline"
)

// launchBound looks for a device that waits for one launch after the other: it
// falls idle before the host has finished the next call.
func launchBound(s *scene) answer {
	switch {
	case s.sum.GPU == nil:
		return unknown(noDevice)
	case s.tl.Linked.ByLaunch == 0:
		return unknown("no launch calls in this trace")
	}
	var cost, waits, device int64
	var n int
	pause := int64(s.limits.get("launch-pause") * 1e3)
	waited := func(l *lap) (sum int64, count int) {
		for _, g := range l.gaps {
			if x := s.tl.Activities.Launch[g.next]; x != timeline.NoRange && g.to-g.from <= pause && s.tl.Ranges.End(x) > g.from {
				sum, count = sum+g.to-g.from, count+1
			}
		}
		return sum, count
	}
	s.counted(func(l *lap) {
		sum, _ := waited(l)
		cost += sum
	})
	s.hot(func(l *lap) {
		sum, count := waited(l)
		waits, n, device = waits+sum, n+count, device+l.device()
	})
	if device == 0 {
		return unknown("the steps launched no device work")
	}
	p := percent(waits, device)
	if n < minWaits {
		return fine(fmt.Sprintf("the device waited for %s", countText(n, "launch", "launches")))
	}
	if p <= s.limits.get("launch-bound") {
		return fine(fmt.Sprintf("the device waits for the pace of the launches %s of %s", share100(p), s.each()))
	}
	e := s.kernelLengths()
	e["waiting_percent"], e["waiting_ns"], e["waits"] = p, waits, n
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), s.lapCall()), Evidence: s.over(e),
		Title:  fmt.Sprintf("the device waits for launches that come too slowly, %s of %s", share100(p), s.each()),
		Remedy: s.fewerLaunches()})
}

// minWaits is how many waits make a pace.
const minWaits = 20

// kernelLengths describes the kernels of the steady laps, and how long after its
// launch call began a kernel started.
func (s *scene) kernelLengths() facts {
	var lengths, delays []int64
	short, limit := 0, int64(s.limits.get("short-kernel")*1e3)
	a := &s.tl.Activities
	s.hot(func(l *lap) {
		for _, i := range l.acts {
			if a.Class[i] != event.Kernel {
				continue
			}
			if lengths = append(lengths, a.Dur[i]); a.Dur[i] < limit {
				short++
			}
			if x := a.Launch[i]; x != timeline.NoRange {
				delays = append(delays, a.Start[i]-s.tl.Ranges.Start[x])
			}
		}
	})
	f := facts{"kernels": len(lengths), "median_kernel_ns": medianInt(lengths), "short_kernels_percent": percent(int64(short), int64(len(lengths)))}
	if len(delays) > 0 {
		f["median_launch_to_start_ns"] = max(0, medianInt(delays))
	}
	return f
}
