package perfetto

import (
	"fmt"

	"reel/timeline"
)

// maxLanes bounds the tracks that one row takes for what overlaps.
const maxLanes = 256

// lanes places slices, which come by start, longest first, on tracks so that
// those of one track lie wholly inside each other or do not touch. The first is
// the row itself, the others are made beneath it as they are needed.
type lanes struct {
	*tracks
	row  uint64
	list []lane
}

type lane struct {
	track uint64
	open  []slice
}

// slice is a slice that lasts; holds says that it may have others inside.
type slice struct {
	id    timeline.RangeID
	end   int64
	holds bool
}

// reset turns to another row.
func (l *lanes) reset(row uint64) {
	l.row = row
	if len(l.list) == 0 {
		l.list = append(l.list, lane{})
	}
	l.list = l.list[:1]
	l.list[0].track, l.list[0].open = row, l.list[0].open[:0]
}

// place finds the track for a slice that begins at start, ends there what has
// ended by then, and returns the track. A slice goes inside its parent, even
// when rounding makes it seem to outlast it; cut says that the end was moved for
// want of tracks.
func (l *lanes) place(start int64, s slice, parent timeline.RangeID) (track uint64, cut bool) {
	s.end = max(s.end, start)
	to := -1
	for i := range l.list {
		x := &l.list[i]
		l.close(x, start)
		n := len(x.open)
		if n > 0 && x.open[n-1].id == parent && parent != timeline.NoRange {
			to = i
			break
		}
		if to < 0 && (n == 0 || x.open[n-1].holds && x.open[n-1].end >= s.end) {
			to = i
		}
	}
	if to < 0 {
		to = l.more()
	}
	x := &l.list[to]
	if n := len(x.open); n > 0 && x.open[n-1].end < s.end {
		s.end, cut = x.open[n-1].end, x.open[n-1].id != parent || parent == timeline.NoRange
	}
	x.open = append(x.open, s)
	return x.track, cut
}

// more returns a new lane, or the last of all when there are too many.
func (l *lanes) more() int {
	n := len(l.list)
	if n == maxLanes {
		return n - 1
	}
	if n < cap(l.list) {
		l.list = l.list[:n+1]
	} else {
		l.list = append(l.list, lane{})
	}
	x := &l.list[n]
	x.open = x.open[:0]
	x.track = l.add(track{parent: l.row, name: fmt.Sprintf("overlap %d", n), order: n})
	return n
}

// close ends the slices of a lane that have ended by t.
func (l *lanes) close(x *lane, t int64) {
	for n := len(x.open); n > 0 && x.open[n-1].end <= t; n = len(x.open) {
		l.end(x.track, x.open[n-1].end)
		x.open = x.open[:n-1]
	}
}

// finish ends all slices of the row.
func (l *lanes) finish() {
	for i := range l.list {
		l.close(&l.list[i], 1<<63-1)
	}
}
