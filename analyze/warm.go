package analyze

import "reel/timeline"

// isWarm reports whether a piece of work belongs to a request that its producer called a
// warm-up. Where there are no other requests, nothing is.
func (s *scene) isWarm(w int) bool {
	if s.warmWork == nil {
		s.warmWork = s.findWarmWork()
	}
	return len(s.warmWork) > 0 && s.warmWork[w]
}

func (s *scene) findWarmWork() []bool {
	list := s.d.Requests
	warm := 0
	for i := range list {
		if list[i].WarmUp {
			warm++
		}
	}
	if warm == 0 || warm == len(list) {
		return []bool{}
	}
	out := make([]bool, len(s.work))
	for w, i := range s.work {
		request := -1
		switch k := s.place[w]; {
		case k > 0:
			request = s.d.Stages[k-1].Request
		case k < 0:
			request = s.d.Steps[-k-1].Request
		default:
			if cause := s.tl.Activities.Launch[i]; cause != timeline.NoRange {
				t := s.tl.Ranges.Start[cause]
				if r := startedBefore(list, t+1) - 1; r >= 0 && t < list[r].End {
					request = r
				}
			}
		}
		out[w] = request >= 0 && request < len(list) && list[request].WarmUp
	}
	return out
}
