package webui

import (
	"sort"

	"reel/internal/walk"
	"reel/timeline"
)

// sweep goes along a host track within [from, to) of the page's time and tells v which
// range was innermost when, by the ids of the timeline.
func (r *rankPicture) sweep(id timeline.TrackID, from, to int64, v walk.Visitor) {
	tl := r.rank.TL
	from, to = from+r.base, to+r.base
	var s walk.Sweep
	if from <= tl.Origin && to >= tl.End {
		s.Run(walk.HostRow(tl, id), v)
		return
	}
	c := cutRow(tl, id, from, to)
	s.Run(walk.Row{Lo: 0, Hi: len(c.ids), Start: c.start, Dur: c.dur, Parent: c.parent}, &cutVisitor{c.ids, v})
}

// cut is the part of a track within a stretch of time: what lasts there, clipped.
type cut struct {
	ids        []timeline.RangeID
	start, dur []int64
	parent     []timeline.RangeID
}

func cutRow(tl *timeline.Timeline, id timeline.TrackID, from, to int64) (c cut) {
	t := &tl.Tracks[id]
	r := &tl.Ranges
	lo := t.Lo + sort.Search(t.Hi-t.Lo, func(k int) bool { return r.Start[t.Lo+k] >= from })
	place := map[timeline.RangeID]timeline.RangeID{}
	add := func(x timeline.RangeID) {
		start, end := max(r.Start[x], from), min(r.End(x), to)
		if end < start {
			return
		}
		parent := timeline.NoRange
		for p := r.Parent[x]; p != timeline.NoRange; p = r.Parent[p] {
			if k, ok := place[p]; ok {
				parent = k
				break
			}
		}
		place[x] = timeline.RangeID(len(c.ids))
		c.ids, c.start, c.dur, c.parent = append(c.ids, x), append(c.start, start), append(c.dur, end-start), append(c.parent, parent)
	}
	var held []timeline.RangeID
	if lo > t.Lo {
		for x := timeline.RangeID(lo - 1); x != timeline.NoRange; x = r.Parent[x] {
			if r.End(x) > from {
				held = append(held, x)
			}
		}
	}
	for k := len(held) - 1; k >= 0; k-- {
		add(held[k])
	}
	for i := lo; i < t.Hi && r.Start[i] < to; i++ {
		add(timeline.RangeID(i))
	}
	return c
}

// cutVisitor gives the ids of the timeline for those of the cut.
type cutVisitor struct {
	ids []timeline.RangeID
	walk.Visitor
}

func (v *cutVisitor) Enter(row timeline.RangeID, parent uint32) uint32 {
	return v.Visitor.Enter(v.ids[row], parent)
}

func (v *cutVisitor) Spend(row timeline.RangeID, kept uint32, from, to int64) {
	v.Visitor.Spend(v.ids[row], kept, from, to)
}
