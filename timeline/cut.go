package timeline

import (
	"cmp"
	"slices"
	"sort"

	"reel/event"
)

// Window is a stretch of time [From, To), ns on the timeline.
type Window struct{ From, To int64 }

// Selection says which part of a timeline is wanted. The zero Selection selects
// nothing; Select makes one.
type Selection struct {
	windows []Window // sorted, apart from each other
	running bool
}

// Select selects what the host did within any of the windows, and the device's
// work that was launched there, whenever it ran.
func Select(windows ...Window) Selection {
	list := slices.Clone(windows)
	slices.SortFunc(list, func(a, b Window) int { return cmp.Compare(a.From, b.From) })
	var s Selection
	for _, w := range list {
		if n := len(s.windows); n > 0 && w.From <= s.windows[n-1].To {
			s.windows[n-1].To = max(s.windows[n-1].To, w.To)
		} else if w.From < w.To {
			s.windows = append(s.windows, w)
		}
	}
	return s
}

// Running selects as well the device's work that ran within the windows, and its
// launches: for a window of time, which knows no cause.
func (s Selection) Running() Selection {
	s.running = true
	return s
}

// Windows returns the windows by start; none of them touch.
func (s Selection) Windows() []Window { return s.windows }

// Holds reports whether an instant lies in a window.
func (s Selection) Holds(t int64) bool {
	i := sort.Search(len(s.windows), func(i int) bool { return s.windows[i].To > t })
	return i < len(s.windows) && s.windows[i].From <= t
}

// Touches reports whether an interval has a part in a window; one of length 0 has
// when its instant has.
func (s Selection) Touches(start, dur int64) bool {
	if dur <= 0 {
		return s.Holds(start)
	}
	i := sort.Search(len(s.windows), func(i int) bool { return s.windows[i].To > start })
	return i < len(s.windows) && s.windows[i].From < start+dur
}

// Part is the selected part of a timeline, by the ids of the whole.
type Part struct {
	tl         *Timeline
	sel        Selection
	ranges     []bool
	activities []bool
}

// PartOf finds what a selection takes of a timeline: host ranges that touch a
// window, on every track, and those around them; activities whose launch
// (without one, whose operator) starts in a window, with that launch; annotations
// of the device over such work; marks and samples in a window.
func PartOf(tl *Timeline, sel Selection) *Part {
	p := &Part{tl: tl, sel: sel, ranges: make([]bool, tl.Ranges.Len()), activities: make([]bool, tl.Activities.Len())}
	for i := range p.ranges {
		p.ranges[i] = sel.Touches(tl.Ranges.Start[i], tl.Ranges.Dur[i])
	}
	for i := range p.activities {
		if p.activities[i] = p.selects(i); p.activities[i] {
			p.with(tl.Activities.Launch[i])
			p.with(tl.Activities.Owner[i])
		}
	}
	for i := len(p.ranges) - 1; i >= 0; i-- { // parents stand before children
		if p.ranges[i] {
			p.with(tl.Ranges.Parent[i])
		}
	}
	for _, tr := range tl.DeviceTracks() {
		p.annotations(tl.Tracks[tr])
	}
	return p
}

func (p *Part) with(r RangeID) {
	if r != NoRange {
		p.ranges[r] = true
	}
}

// selects reports whether activity i is wanted for itself.
func (p *Part) selects(i int) bool {
	a := &p.tl.Activities
	cause := a.Launch[i]
	if cause == NoRange {
		cause = a.Owner[i]
	}
	if cause != NoRange && p.sel.Holds(p.tl.Ranges.Start[cause]) {
		return true
	}
	return p.sel.running && a.Class[i] != event.Unsound && p.sel.Touches(a.Start[i], a.Dur[i])
}

// annotations keeps the annotations of a stream that cover kept work.
func (p *Part) annotations(tr Track) {
	a := &p.tl.Activities
	var starts, ends []int64 // of kept work; the latest end so far
	for i := tr.Lo; i < tr.Hi; i++ {
		if p.activities[i] && a.Class[i].IsWork() {
			end := a.End(i)
			if n := len(ends); n > 0 {
				end = max(end, ends[n-1])
			}
			starts, ends = append(starts, a.Start[i]), append(ends, end)
		}
	}
	for i := tr.Lo; i < tr.Hi; i++ {
		if a.Class[i] == event.GPUAnnotation && !p.activities[i] {
			k := sort.Search(len(starts), func(k int) bool { return starts[k] >= a.End(i) })
			p.activities[i] = k > 0 && ends[k-1] > a.Start[i]
		}
	}
}

// HasRange reports whether a host range belongs to the part.
func (p *Part) HasRange(r RangeID) bool { return r != NoRange && p.ranges[r] }

// HasActivity reports whether an activity belongs to the part.
func (p *Part) HasActivity(i int) bool { return p.activities[i] }
