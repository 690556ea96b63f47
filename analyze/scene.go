package analyze

import (
	"sort"

	"reel/timeline"
)

// scene is what findings look at: a rank, and what was measured of it.
type scene struct {
	tl         *timeline.Timeline
	d          *Derived
	sum        RankSummary
	work       []int32 // device work by start
	place      []int32 // of each of work: 0 outside, i+1 stage i, -(i+1) step i
	kernels    *kernels
	calls      *calls
	memory     *levels // of devices; nil without
	hostMemory *levels
	limits     Limits

	compiledKnown *bool        // see compiled
	frameReport   *FrameReport // see frames
	warmWork      []bool       // see isWarm; empty when nothing is

	gaps   []gap
	unit   string // what a lap is: "step", "request", "run"
	laps   []lap
	steady []int // laps that are neither warm-up nor the first of a loop
}

// peak is the most memory allocated during x; nil when that is not known.
func (s *scene) peak(x Span) *int64 {
	if s.memory == nil {
		return nil
	}
	v := s.memory.peak(x.Start, x.End)
	return &v
}

// gap is a stretch in which no device of the rank worked.
type gap struct {
	from, to int64
	next     int32 // the activity that ends it
}

// prepare finds gaps and laps.
func (s *scene) prepare() {
	a := &s.tl.Activities
	n := 0
	s.waits(func(gap) { n++ })
	s.gaps = make([]gap, 0, n) // there may be millions
	s.waits(func(g gap) { s.gaps = append(s.gaps, g) })
	switch {
	case len(s.d.Steps) > 0:
		s.stepLaps()
	case len(s.d.Requests) > 0 && s.requestLaps():
	default:
		s.runLap()
	}
	s.findSteady()
	for i := range s.laps {
		l := &s.laps[i]
		for k, x := range l.acts {
			if k == 0 {
				l.first = a.Start[x]
			}
			l.last = max(l.last, a.End(int(x)))
		}
		l.gaps = s.gapsWithin(l.first, l.last)
		for _, g := range l.gaps {
			l.idle += g.to - g.from
		}
	}
}

// waits calls f for every gap.
func (s *scene) waits(f func(gap)) {
	a := &s.tl.Activities
	var end int64
	for k, i := range s.work {
		if k > 0 && a.Start[i] > end {
			f(gap{end, a.Start[i], i})
		}
		if e := a.End(int(i)); k == 0 || e > end {
			end = e
		}
	}
}

// gapsWithin returns the gaps that lie in [from, to].
func (s *scene) gapsWithin(from, to int64) []gap {
	lo := sort.Search(len(s.gaps), func(i int) bool { return s.gaps[i].from >= from })
	hi := sort.Search(len(s.gaps), func(i int) bool { return s.gaps[i].to > to })
	return s.gaps[lo:max(lo, hi)]
}

// hot calls f for every steady lap.
func (s *scene) hot(f func(l *lap)) {
	for _, i := range s.steady {
		f(&s.laps[i])
	}
}

// sums of the steady laps, ns.
func (s *scene) steadySums() (idle, device, host int64) {
	s.hot(func(l *lap) {
		idle, device, host = idle+l.idle, device+l.device(), host+l.host()
	})
	return idle, device, host
}

// each says "each step", "each request", "the run".
func (s *scene) each() string {
	switch {
	case s.unit == "run":
		return "the run"
	case len(s.steady) > 1 && s.unit == "step":
		return "each steady step"
	}
	return "each " + s.unit
}

// stage is where the laps are.
func (s *scene) stage() string {
	if s.unit == "step" {
		return "diffuse"
	}
	return ""
}
