package analyze

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"reel/event"
	"reel/timeline"
)

// notes is what a pass over the host ranges of a lap keeps.
type notes struct {
	ranges         []timeline.RangeID // those that calls.kind knows
	python, others int64              // recorded calls: Python's; operators, annotations, runtime calls
}

// notable looks at the host ranges that start within a lap, once.
func (s *scene) notable(l *lap) *notes {
	if l.notes == nil {
		n := &notes{}
		s.rangesIn(l.track, l.from, l.to, func(r timeline.RangeID) {
			switch s.tl.Ranges.Class[r] {
			case event.Python:
				n.python++
			case event.Op, event.Annotation, event.Runtime, event.Driver:
				n.others++
			}
			if s.calls.kind(r) != plainCall {
				n.ranges = append(n.ranges, r)
			}
		})
		l.notes = n
	}
	return l.notes
}

// ranges calls visit for the host ranges of a lap that calls.kind knows.
func (s *scene) ranges(l *lap, visit func(r timeline.RangeID)) {
	for _, r := range s.notable(l).ranges {
		visit(r)
	}
}

func (s *scene) rangesIn(track timeline.TrackID, from, to int64, visit func(r timeline.RangeID)) {
	tracks := s.tl.HostTracks()
	if track != timeline.NoTrack {
		tracks = []timeline.TrackID{track}
	}
	start := s.tl.Ranges.Start
	for _, id := range tracks {
		t := &s.tl.Tracks[id]
		lo := t.Lo + sort.Search(t.Hi-t.Lo, func(i int) bool { return start[t.Lo+i] >= from })
		for i := lo; i < t.Hi && start[i] < to; i++ {
			visit(timeline.RangeID(i))
		}
	}
}

// tally adds up weights by name.
type tally struct{ by map[string]int64 }

func (t *tally) add(name string, weight int64) {
	if name == "" {
		return
	}
	if t.by == nil {
		t.by = map[string]int64{}
	}
	t.by[name] += weight
}

// top returns the heaviest, "" for none.
func (t *tally) top() string {
	list := t.list(1)
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// list returns up to n names, the heaviest first.
func (t *tally) list(n int) []string {
	names := slices.Collect(maps.Keys(t.by))
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(t.by[b], t.by[a]), cmp.Compare(a, b)) })
	return names[:min(n, len(names))]
}
