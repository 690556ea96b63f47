package pprof

import "strconv"

// labelSet is what the labels of a sample say; "" is no label.
type labelSet struct {
	rank                         int
	stage, step, request, stream string
}

// labels numbers label sets. In a long run they would multiply the samples, so
// they can be made coarser: first requests are no longer told apart, then steps.
type labels struct {
	sets    []labelSet
	ids     map[labelSet]int
	shared  []map[string][]string // by number, as the profile takes them
	now     []int                 // after coarsen: the new number of each old one
	dropped []string
}

// coarse returns the set without what is dropped.
func (l *labels) coarse(s labelSet) labelSet {
	if len(l.dropped) > 0 {
		s.request = ""
	}
	if len(l.dropped) > 1 {
		s.step = ""
	}
	return s
}

// number returns the number of a set, adding it when it is new.
func (l *labels) number(s labelSet) int {
	if l.ids == nil {
		l.ids = map[labelSet]int{}
	}
	s = l.coarse(s)
	id, ok := l.ids[s]
	if !ok {
		id = len(l.sets)
		l.ids[s], l.sets, l.shared = id, append(l.sets, s), append(l.shared, s.labels())
	}
	return id
}

// coarsen drops a further label from all sets, and reports false when there is
// none left to drop.
func (l *labels) coarsen() bool {
	if len(l.dropped) == 2 {
		return false
	}
	l.dropped = append(l.dropped, []string{"request", "step"}[len(l.dropped)])
	old := l.sets
	l.sets, l.ids, l.shared, l.now = nil, nil, nil, nil
	for _, s := range old {
		l.now = append(l.now, l.number(s))
	}
	return true
}

func (s labelSet) labels() map[string][]string {
	m := map[string][]string{"rank": {strconv.Itoa(s.rank)}}
	for key, v := range map[string]string{"stage": s.stage, "step": s.step, "request": s.request, "stream": s.stream} {
		if v != "" {
			m[key] = []string{v}
		}
	}
	return m
}
