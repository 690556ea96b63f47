package analyze

import (
	"fmt"
	"strings"

	"reel/event"
	"reel/timeline"
)

// pageableCopy looks for copies from or to host memory that is not pinned, within
// the loop.
func pageableCopy(s *scene) answer {
	switch {
	case s.sum.GPU == nil:
		return unknown(noDevice)
	case s.unit == "run":
		return unknown(noSteps)
	}
	var cost, taken, host, bytes int64
	var n, silent int
	var places tally
	copies := s.hostCopies()
	s.counted(func(l *lap) {
		if l.steady {
			host += l.host()
		}
		s.ranges(l, func(r timeline.RangeID) {
			i, ok := copies[r]
			if !ok {
				return
			}
			switch name := s.tl.Name(s.tl.Activities.Name[i]); {
			case strings.Contains(name, "Pageable"):
				took := s.tl.Activities.Dur[i]
				if strings.Contains(name, "HtoD") { // a copy to the host waits for the work before it: see host-sync
					took = max(took, s.tl.Ranges.Dur[r])
				}
				if cost += took; !l.steady {
					return
				}
				taken, n, bytes = taken+took, n+1, bytes+s.tl.Activities.Bytes[i]
				places.add(s.calls.place(r), took)
			case !strings.Contains(name, "Pinned"):
				silent++
			}
		})
	})
	p := percent(taken, host)
	switch {
	case n == 0 && silent > 0:
		return unknown("this trace does not say which host memory is pinned")
	case n == 0:
		return fine("no copies of pageable memory in " + s.all())
	case p <= s.limits.get("pageable-copy"):
		return fine(fmt.Sprintf("copies of pageable memory take %s of %s", share100(p), s.each()))
	}
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), places.top()),
		Title:    fmt.Sprintf("copies of pageable memory take %s of %s", share100(p), s.each()),
		Evidence: s.over(facts{"copies": n, "copies_per_" + s.unit: s.perLap(n), "copied_bytes": bytes, "copy_ns": taken, "copy_percent": p}),
		Remedy:   "Pin the host memory (pin_memory(), pin_memory=True in the loader), copy with non_blocking=True, or create the tensor on the device."})
}

// hostCopies maps calls to the copies between host and device that they began.
func (s *scene) hostCopies() map[timeline.RangeID]int32 {
	out := map[timeline.RangeID]int32{}
	a := &s.tl.Activities
	for _, i := range s.work {
		if a.Class[i] != event.Copy || a.Launch[i] == timeline.NoRange {
			continue
		}
		if name := s.tl.Name(a.Name[i]); strings.Contains(name, "HtoD") || strings.Contains(name, "DtoH") {
			out[a.Launch[i]] = i
		}
	}
	return out
}
