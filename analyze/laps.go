package analyze

import "reel/timeline"

// lap is a round of what repeats: a denoise step, or in a trace without steps a
// request, or the whole run.
type lap struct {
	span        *Span            // nil of the run
	from, to    int64            // host time: of a step until the next one begins, so that the scheduler is in it
	track       timeline.TrackID // NoTrack: all threads
	acts        []int32          // launched within, by start
	first, last int64            // of acts
	steady      bool             // one of scene.steady
	warm        bool             // of a request that its producer called a warm-up
	idle        int64            // within first..last, of all devices
	gaps        []gap            // the same
	notes       *notes           // see notable
	regions     *regions         // see regionsOf
}

// host is the lap's length on the host, ns.
func (l *lap) host() int64 { return l.to - l.from }

// span on the device, ns.
func (l *lap) device() int64 { return l.last - l.first }

func (s *scene) stepLaps() {
	s.unit = "step"
	steps := s.d.Steps
	s.laps = make([]lap, len(steps))
	for i := range steps {
		x := &steps[i]
		s.laps[i] = lap{span: x, from: x.Start, to: x.End, track: x.Track}
		if i+1 < len(steps) && steps[i+1].Index == x.Index+1 && steps[i+1].Track == x.Track {
			s.laps[i].to = max(x.End, steps[i+1].Start)
		}
	}
	s.share(func(w int) int { return int(-s.place[w]) - 1 })
}

// requestLaps makes laps of requests; false when they overlap.
func (s *scene) requestLaps() bool {
	list := s.d.Requests
	for i := range list[1:] {
		if list[i].End > list[i+1].Start {
			return false
		}
	}
	s.unit = "request"
	list = list[:len(list)-s.stub(list)]
	s.laps = make([]lap, len(list))
	for i := range list {
		s.laps[i] = lap{span: &list[i], from: list[i].Start, to: list[i].End, track: timeline.NoTrack}
	}
	a, last := &s.tl.Activities, 0
	s.share(func(w int) int {
		cause := a.Launch[s.work[w]]
		if cause == timeline.NoRange {
			return -1
		}
		t := s.tl.Ranges.Start[cause]
		if t < list[last].Start || t >= list[last].End { // most are launched by the same request as the one before
			last = max(0, startedBefore(list, t+1)-1)
		}
		if t >= list[last].Start && t < list[last].End {
			return last
		}
		return -1
	})
	return true
}

// stub says that the last request is none: torch.profiler leaves one behind when it
// is stopped, begun by the last step() and of hardly any length.
func (s *scene) stub(list []Span) int {
	var took []int64
	for i := range list {
		took = append(took, list[i].Dur())
	}
	if n := len(list); n > 1 && 10*took[n-1] < medianInt(took[:n-1]) {
		return 1
	}
	return 0
}

// share gives activities to laps.
func (s *scene) share(lapOf func(w int) int) {
	of, count := make([]int32, len(s.work)), make([]int, len(s.laps))
	for w := range s.work {
		k := lapOf(w)
		if of[w] = int32(k); k >= 0 {
			count[k]++
		}
	}
	for k, n := range count {
		s.laps[k].acts = make([]int32, 0, n)
	}
	for w, i := range s.work {
		if k := of[w]; k >= 0 {
			s.laps[k].acts = append(s.laps[k].acts, i)
		}
	}
}

func (s *scene) runLap() {
	s.unit = "run"
	s.laps = []lap{{from: s.tl.Origin, to: s.tl.End, track: timeline.NoTrack, acts: s.work}}
}

// findSteady leaves out warm-up requests and first steps, as long as others are left.
func (s *scene) findSteady() {
	warm := func(i int) bool {
		x := s.laps[i].span
		if x == nil {
			return false
		}
		r := x.Request
		if s.unit == "request" {
			r = x.Index
		}
		return r < len(s.d.Requests) && s.d.Requests[r].WarmUp
	}
	for i := range s.laps {
		s.laps[i].warm = warm(i)
	}
	defer func() {
		for _, i := range s.steady {
			s.laps[i].steady = true
		}
	}()
	for _, first := range []bool{false, true} {
		for i := range s.laps {
			if !s.laps[i].warm && (first || s.unit != "step" || s.laps[i].span.Index > 0) {
				s.steady = append(s.steady, i)
			}
		}
		if len(s.steady) > 0 {
			return
		}
	}
}
