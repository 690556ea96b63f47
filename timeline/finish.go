package timeline

import (
	"slices"

	"reel/event"
)

// finish sorts, nests and attributes what was added.
func (b *builder) finish(info event.Info) *Timeline {
	t := &Timeline{Info: info}
	order := b.layoutHost(t)
	b.gatherHost(t, order)
	launches, ops := b.index(order)
	took := b.host.bytes()
	b.host, order = rows{}, nil
	release(took)
	nest(t)
	b.layoutDevice(t)
	b.attribute(t, launches, ops)
	took = b.acts.bytes()
	b.acts = rows{}
	release(took)
	t.judge(&b.warnings)
	t.count()
	b.layoutMarks(t)
	b.nameTracks(t)
	t.bounds()
	t.texts = b.names.All()
	for _, w := range info.Warnings {
		b.warnings.Add(w)
	}
	t.Warnings = b.warnings.List()
	return t
}

// layoutHost returns the order of all ranges, and gives tracks their rows.
func (b *builder) layoutHost(t *Timeline) []ref {
	count := make([]int, len(b.tracks)+1)
	b.host.each(func(_ ref, g tag) { count[g.track()+1]++ })
	for i := range b.tracks {
		count[i+1] += count[i]
	}
	order := make([]ref, b.host.len())
	next := slices.Clone(count)
	b.host.each(func(x ref, g tag) {
		k := &next[g.track()]
		order[*k] = x
		*k++
	})
	for i := range b.tracks {
		lo, hi := count[i], count[i+1]
		if lo == hi {
			continue
		}
		mergeSort(order[lo:hi], b.hostLess)
		b.tracks[i].Lo, b.tracks[i].Hi = lo, hi
		t.hostLo, t.hostTrack = append(t.hostLo, lo), append(t.hostTrack, TrackID(i))
	}
	return order
}

// hostLess orders parents before children: by start, then longest first, then
// Python calls, annotations, operators and runtime calls from outside in.
func (b *builder) hostLess(x, y ref) bool {
	xs, xd, xg := b.host.key(x)
	ys, yd, yg := b.host.key(y)
	if xs != ys {
		return xs < ys
	}
	if xd != yd {
		return xd > yd
	}
	return outside[xg.class()] < outside[yg.class()]
}

var outside = [256]uint8{event.Python: 0, event.OtherRange: 1, event.Annotation: 1, event.Op: 2, event.Runtime: 3, event.Driver: 4, event.Overhead: 5}

// gatherHost fills the columns of the ranges in order.
func (b *builder) gatherHost(t *Timeline, order []ref) {
	n := len(order)
	r := Ranges{Start: make([]int64, n), Dur: make([]int64, n), Name: make([]NameID, n),
		Parent: make([]RangeID, n), Class: make([]event.Class, n), Role: make([]event.Role, n)}
	for i, x := range order {
		row := b.host.at(x)
		r.Start[i], r.Dur[i], r.Name[i], r.Class[i], r.Role[i] = row.start, row.dur, row.name, row.tag.class(), row.tag.role()
	}
	t.Ranges = r
	if len(b.argKeys) > 0 {
		t.rangeArgs = map[string][]NameID{}
	}
	for k, key := range b.argKeys {
		col := make([]NameID, n)
		for i, x := range order {
			if x&^placeOf == isFull {
				col[i] = *b.args[k].at(x & placeOf)
			}
		}
		t.rangeArgs[key] = col
	}
}

// layoutDevice orders the activities by stream and start.
func (b *builder) layoutDevice(t *Timeline) {
	order := make([]ref, 0, b.acts.len())
	b.acts.each(func(x ref, _ tag) { order = append(order, x) })
	mergeSort(order, func(x, y ref) bool {
		xs, xd, xg := b.acts.key(x)
		ys, yd, yg := b.acts.key(y)
		if xt, yt := xg.track(), yg.track(); xt != yt {
			return xt < yt
		}
		return xs < ys || xs == ys && xd > yd
	})
	n := len(order)
	a := Activities{Start: make([]int64, n), Dur: make([]int64, n), Name: make([]NameID, n),
		Launch: make([]RangeID, n), Owner: make([]RangeID, n), Class: make([]event.Class, n), Bytes: make([]int64, n)}
	last, stream := uint32(1<<32-1), uint32(0)
	for i, x := range order {
		row := b.acts.at(x)
		a.Start[i], a.Dur[i], a.Name[i], a.Class[i], a.Bytes[i] = row.start, row.dur, row.name, row.tag.class(), row.value
		a.Launch[i], a.Owner[i] = RangeID(x), NoRange // attribute replaces the row number
		if track := row.tag.track(); track != last {
			last, stream = track, b.streamTrack(track)
			t.devLo, t.devTrack = append(t.devLo, i), append(t.devTrack, TrackID(stream))
			b.tracks[stream].Lo = i
		}
		b.tracks[stream].Hi = i + 1
	}
	t.Activities = a
}

// streamTrack returns the track for activities that came on track i: that track,
// or a second one of the same name when it already holds host ranges.
func (b *builder) streamTrack(i uint32) uint32 {
	if b.tracks[i].Hi == b.tracks[i].Lo {
		return i
	}
	b.tracks = append(b.tracks, Track{Track: b.tracks[i].Track, Name: b.tracks[i].Name})
	return uint32(len(b.tracks) - 1)
}

func (b *builder) layoutMarks(t *Timeline) {
	order := make([]uint32, b.marks.n)
	for i := range order {
		order[i] = uint32(i)
	}
	mergeSort(order, func(x, y uint32) bool { return b.marks.at(x).at < b.marks.at(y).at })
	for _, x := range order {
		m := b.marks.at(x)
		t.Marks.At, t.Marks.Name = append(t.Marks.At, m.at), append(t.Marks.Name, m.name)
		t.Marks.Track, t.Marks.Class = append(t.Marks.Track, TrackID(m.track)), append(t.Marks.Class, m.class)
		t.Marks.Value = append(t.Marks.Value, m.value)
	}
	for k, key := range b.markKeys {
		col := make([]int64, len(order))
		for i, x := range order {
			col[i] = *b.markArgs[k].at(x)
		}
		if t.markArgs == nil {
			t.markArgs = map[string][]int64{}
		}
		t.markArgs[key] = col
	}
}

// nameTracks gives streams and processes the names that meta events told.
func (b *builder) nameTracks(t *Timeline) {
	for i := range b.tracks {
		tr := &b.tracks[i]
		if tr.Place != event.Stream || tr.Name != "" {
			continue
		}
		if id, ok := b.trackOf[event.Track{Place: event.Thread, A: tr.A, B: tr.B, Label: tr.Label}]; ok {
			tr.Name = b.tracks[id].Name
		}
	}
	t.Tracks = b.tracks
}

// bounds finds the span of all sound events.
func (t *Timeline) bounds() {
	first := true
	grow := func(start, end int64) {
		if first || start < t.Origin {
			t.Origin = start
		}
		if first || end > t.End {
			t.End = end
		}
		first = false
	}
	for i := range t.Ranges.Start {
		grow(t.Ranges.Start[i], t.Ranges.End(RangeID(i)))
	}
	for i := range t.Activities.Start {
		if t.Activities.Class[i].IsWork() {
			grow(t.Activities.Start[i], t.Activities.End(i))
		}
	}
}
