package analyze

import (
	"fmt"

	"reel/event"
	"reel/timeline"
)

// unbatchedCFG looks for steps that call the denoiser several times on equal work,
// as classifier-free guidance does when its halves are not one batch.
func unbatchedCFG(s *scene) answer {
	switch {
	case s.unit != "step":
		return unknown(noSteps)
	case len(s.d.Forwards) == 0:
		return unknown("no call of the denoiser was recognised within the steps")
	}
	var cost int64
	var equal, seen int
	var name string
	most := 0
	s.counted(func(l *lap) {
		list := s.denoisers(l)
		if len(list) > 0 && l.steady {
			seen++
		}
		if n := s.equalForwards(l, list); float64(n) >= s.limits.get("unbatched-cfg") {
			if l.steady {
				equal++
			}
			most, name = max(most, n), list[0].Name
			cost += l.took() * int64(n-1) / int64(n)
		}
	})
	switch {
	case seen == 0:
		return unknown("no call of the denoiser was recognised within the steps")
	case 2*equal <= seen:
		return fine("one call of the denoiser in each step")
	}
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), s.lapCall()),
		Title:    fmt.Sprintf("%s calls the denoiser %d times on equal work", s.each(), most),
		Evidence: facts{"calls_per_step": most, "steps_with_equal_calls": equal, "steps": len(s.steady), "denoiser": name},
		Remedy:   "Put both halves of guidance into one batch; or distil the guidance into the model."})
}

// operatorsIn counts the operators of each call in a trace without a device: those
// of one without stand for what it would have launched. With a device it counts none.
func (s *scene) operatorsIn(list []Span) []int {
	count := make([]int, len(list))
	for k := range list {
		if s.sum.GPU != nil {
			break
		}
		s.rangesIn(list[k].Track, list[k].Start, list[k].End, func(r timeline.RangeID) {
			if s.tl.Ranges.Class[r] == event.Op {
				count[k]++
			}
		})
	}
	return count
}

// equalForwards is how many calls there are when all are of one denoiser and
// launched equally much (within 2 %), else 0.
func (s *scene) equalForwards(l *lap, list []Span) int {
	if len(list) < 2 {
		return 0
	}
	count := s.operatorsIn(list)
	for _, i := range l.acts {
		if c := s.tl.Activities.Launch[i]; c != timeline.NoRange {
			t := s.tl.Ranges.Start[c]
			if k := startedBefore(list, t+1) - 1; k >= 0 && t < list[k].End {
				count[k]++
			}
		}
	}
	for k := range list {
		d := count[k] - count[0]
		if count[k] == 0 || moduleClass(list[k].Name) != moduleClass(list[0].Name) || 50*max(d, -d) > count[0] {
			return 0
		}
	}
	return len(list)
}
