package walk

import "reel/timeline"

// Row is a track's part of the columns of a timeline: what Sweep goes along.
// The rows [Lo, Hi) come by start, longest first; Parent is the row that holds
// a row, or timeline.NoRange.
type Row struct {
	Lo, Hi     int
	Start, Dur []int64
	Parent     []timeline.RangeID
}

// HostRow returns the row of a host track.
func HostRow(tl *timeline.Timeline, id timeline.TrackID) Row {
	t, r := &tl.Tracks[id], &tl.Ranges
	return Row{t.Lo, t.Hi, r.Start, r.Dur, r.Parent}
}

// Visitor is told what Sweep meets.
type Visitor interface {
	// Enter is told of each row in order. What it returns is kept as long as
	// the row lasts; parent is what was kept for the row's parent, 0 at the root.
	Enter(row timeline.RangeID, parent uint32) (keep uint32)
	// Spend is told of each stretch of time, ns, in which row was innermost:
	// of all that last, the one that began last. Stretches come in order of
	// time, do not overlap, and cover the union of the rows.
	Spend(row timeline.RangeID, kept uint32, from, to int64)
}

// Sweep goes along tracks in time. The zero Sweep is ready; it keeps its memory
// from one track to the next.
type Sweep struct {
	open []lasting
	now  int64
}

type lasting struct {
	row  timeline.RangeID
	kept uint32
	end  int64
}

// Run goes along one row.
func (s *Sweep) Run(row Row, v Visitor) {
	s.open = s.open[:0]
	for i := row.Lo; i < row.Hi; i++ {
		start := row.Start[i]
		s.advance(start, v)
		s.now = start
		kept := v.Enter(timeline.RangeID(i), s.kept(row.Parent[i]))
		s.open = append(s.open, lasting{timeline.RangeID(i), kept, start + max(row.Dur[i], 0)})
	}
	s.advance(1<<63-1, v)
}

// advance spends the time until t and forgets what has ended by then.
func (s *Sweep) advance(t int64, v Visitor) {
	for n := len(s.open); n > 0; n = len(s.open) {
		top := &s.open[n-1]
		if to := min(top.end, t); to > s.now {
			v.Spend(top.row, top.kept, s.now, to)
			s.now = to
		}
		if top.end > t {
			return
		}
		s.open = s.open[:n-1]
	}
}

func (s *Sweep) kept(parent timeline.RangeID) uint32 {
	if parent == timeline.NoRange {
		return 0
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		if s.open[i].row == parent {
			return s.open[i].kept
		}
	}
	return 0
}
