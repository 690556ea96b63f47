package timeline

import "reel/event"

// Cut returns a timeline of the selected part alone (see PartOf). Its times are
// those of the whole, and so are its tracks and names, so that ids of either stand for
// the same in both; ranges and activities are numbered anew, and links lead to the
// new numbers. What the source says of itself is kept.
func Cut(tl *Timeline, sel Selection) *Timeline { return PartOf(tl, sel).Timeline() }

// Timeline returns the part as a timeline of its own.
func (p *Part) Timeline() *Timeline {
	tl := p.tl
	t := &Timeline{Info: tl.Info, Warnings: tl.Warnings, texts: tl.texts, Tracks: make([]Track, len(tl.Tracks))}
	for i, tr := range tl.Tracks {
		t.Tracks[i] = Track{Track: tr.Track, Name: tr.Name}
	}
	renamed := p.cutRanges(t)
	p.cutActivities(t, renamed)
	p.cutMarks(t)
	t.count()
	for _, c := range t.Activities.Class {
		if c == event.Unsound {
			t.Linked.Unsound++
		}
	}
	t.bounds()
	return t
}

// cutRanges copies the ranges of the part and returns their new numbers.
func (p *Part) cutRanges(t *Timeline) []RangeID {
	from, to := &p.tl.Ranges, &t.Ranges
	renamed := make([]RangeID, from.Len())
	var kept []int
	for _, id := range p.tl.HostTracks() {
		lo := len(kept)
		for i := p.tl.Tracks[id].Lo; i < p.tl.Tracks[id].Hi; i++ {
			if renamed[i] = NoRange; !p.ranges[i] {
				continue
			}
			renamed[i] = RangeID(len(kept))
			kept = append(kept, i)
			parent := from.Parent[i]
			if parent != NoRange {
				parent = renamed[parent]
			}
			to.Parent = append(to.Parent, parent)
		}
		if hi := len(kept); lo < hi {
			t.Tracks[id].Lo, t.Tracks[id].Hi = lo, hi
			t.hostLo, t.hostTrack = append(t.hostLo, lo), append(t.hostTrack, id)
		}
	}
	to.Start, to.Dur, to.Name = picked(from.Start, kept), picked(from.Dur, kept), picked(from.Name, kept)
	to.Class, to.Role = picked(from.Class, kept), picked(from.Role, kept)
	for key, col := range p.tl.rangeArgs {
		if t.rangeArgs == nil {
			t.rangeArgs = map[string][]NameID{}
		}
		t.rangeArgs[key] = picked(col, kept)
	}
	return renamed
}

func picked[T any](col []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = col[r]
	}
	return out
}

// cutActivities copies the activities of the part; renamed has the new numbers
// of the ranges.
func (p *Part) cutActivities(t *Timeline, renamed []RangeID) {
	from, to := &p.tl.Activities, &t.Activities
	link := func(r RangeID) RangeID {
		if r == NoRange {
			return NoRange
		}
		return renamed[r]
	}
	var kept []int
	for _, id := range p.tl.DeviceTracks() {
		lo := len(kept)
		for i := p.tl.Tracks[id].Lo; i < p.tl.Tracks[id].Hi; i++ {
			if p.activities[i] {
				kept = append(kept, i)
				to.Launch, to.Owner = append(to.Launch, link(from.Launch[i])), append(to.Owner, link(from.Owner[i]))
			}
		}
		if hi := len(kept); lo < hi {
			t.Tracks[id].Lo, t.Tracks[id].Hi = lo, hi
			t.devLo, t.devTrack = append(t.devLo, lo), append(t.devTrack, id)
		}
	}
	to.Start, to.Dur, to.Name = picked(from.Start, kept), picked(from.Dur, kept), picked(from.Name, kept)
	to.Class, to.Bytes = picked(from.Class, kept), picked(from.Bytes, kept)
}

func (p *Part) cutMarks(t *Timeline) {
	m := &p.tl.Marks
	var kept []int
	for i, at := range m.At {
		if p.sel.Holds(at) {
			kept = append(kept, i)
		}
	}
	t.Marks = Marks{At: picked(m.At, kept), Name: picked(m.Name, kept), Track: picked(m.Track, kept),
		Class: picked(m.Class, kept), Value: picked(m.Value, kept)}
	for key, col := range p.tl.markArgs {
		if t.markArgs == nil {
			t.markArgs = map[string][]int64{}
		}
		t.markArgs[key] = picked(col, kept)
	}
}
