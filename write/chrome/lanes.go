package chrome

import (
	"sort"

	"reel/event"
	"reel/timeline"
)

// A viewer draws the complete events of one row as a stack: an event may lie inside
// another, but one that begins inside another and outlasts it cannot be drawn.
// Perfetto drops it without a word. Devices do such things: kernels of one
// stream overlap at their edges, or run side by side.

// lane is a row of events that are nested, by start. Activities are placed in
// the order of their starts; annotations afterwards.
type lane struct {
	start, end []int64
	parent     []int // the innermost interval of the lane that holds it, or -1
	open       int   // the innermost interval that may hold the next one, or -1
	notes      []int64
}

// enter adds an interval that begins no earlier than those before, if it can be
// drawn.
func (l *lane) enter(start, end int64) bool {
	for l.open >= 0 && l.end[l.open] <= start {
		l.open = l.parent[l.open]
	}
	if l.open >= 0 && l.end[l.open] < end {
		return false
	}
	l.start, l.end, l.parent = append(l.start, start), append(l.end, end), append(l.parent, l.open)
	l.open = len(l.start) - 1
	return true
}

// crosses reports whether an interval overlaps one of the lane in part.
func (l *lane) crosses(start, end int64) bool {
	for i := l.before(start); i >= 0; i = l.parent[i] {
		if l.end[i] > start && l.end[i] < end {
			return true
		}
	}
	for i := l.before(end); i >= 0 && l.start[i] > start; i = l.parent[i] {
		if l.end[i] > end {
			return true
		}
	}
	return false
}

// before returns the last interval that begins before t, or -1.
func (l *lane) before(t int64) int {
	return sort.Search(len(l.start), func(i int) bool { return l.start[i] >= t }) - 1
}

// annotate adds an annotation to a lane whose activities are all there.
func (l *lane) annotate(start, end int64) bool {
	for len(l.notes) > 0 && l.notes[len(l.notes)-1] <= start {
		l.notes = l.notes[:len(l.notes)-1]
	}
	if n := len(l.notes); n > 0 && l.notes[n-1] < end || l.crosses(start, end) {
		return false
	}
	l.notes = append(l.notes, end)
	return true
}

// maxLanes bounds the rows that one takes for what overlaps.
const maxLanes = 256

// lanes returns, by activity, the lane of those of a stream that do not fit the first
// one, counted from 1 to the number of more lanes; nil when all fit. Work stays on
// the first lane rather than annotations, which Kineto widens by a nanosecond at
// either end. left counts the activities that fit no lane and stay on the first.
func lanes(tl *timeline.Timeline, tr timeline.Track) (by map[int]int, more, left int) {
	a := &tl.Activities
	if !crossed(a, tr) {
		return nil, 0, 0
	}
	placed := map[int]int{}
	list := []*lane{newLane()}
	place := func(i int, try func(*lane) bool) {
		for k := range maxLanes {
			if k == len(list) {
				list = append(list, newLane())
			}
			if try(list[k]) {
				if k > 0 {
					placed[i] = k
				}
				return
			}
		}
		left++
	}
	for i := tr.Lo; i < tr.Hi; i++ {
		if a.Class[i] != event.GPUAnnotation {
			place(i, func(l *lane) bool { return l.enter(a.Start[i], a.End(i)) })
		}
	}
	for i := tr.Lo; i < tr.Hi; i++ {
		if a.Class[i] == event.GPUAnnotation {
			place(i, func(l *lane) bool { return l.annotate(a.Start[i], a.End(i)) })
		}
	}
	return placed, len(list) - 1, left
}

func newLane() *lane { return &lane{open: -1} }

// crossed reports whether any activities of a stream overlap in part.
func crossed(a *timeline.Activities, tr timeline.Track) bool {
	l := newLane()
	for i := tr.Lo; i < tr.Hi; i++ {
		if !l.enter(a.Start[i], a.End(i)) {
			return true
		}
	}
	return false
}
