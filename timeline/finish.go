package timeline

import (
	"cmp"
	"slices"

	"reel/event"
)

// finish sorts, nests and attributes what was added.
func (b *builder) finish(info event.Info) *Timeline {
	t := &Timeline{Info: info}
	host := b.layoutHost(t)
	b.gatherHost(t, host)
	nest(t)
	b.layoutDevice(t)
	b.attribute(t, host)
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

// A host row is named by one number: rows of b.host by their position, Python
// calls by their position with the top bit set.
const pyBit = 1 << 31

// layoutHost returns the order of all host rows, and gives tracks their rows.
func (b *builder) layoutHost(t *Timeline) []uint32 {
	count := make([]int, len(b.tracks)+1)
	for _, blk := range b.host.b {
		for i := range blk {
			count[blk[i].track+1]++
		}
	}
	for _, blk := range b.py.b {
		for i := range blk {
			count[blk[i].track+1]++
		}
	}
	for i := range b.tracks {
		count[i+1] += count[i]
	}
	order := make([]uint32, b.host.n+b.py.n)
	next := slices.Clone(count)
	b.scatter(order, next)
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

func (b *builder) scatter(order []uint32, next []int) {
	n := uint32(0)
	for _, blk := range b.host.b {
		for i := range blk {
			k := &next[blk[i].track]
			order[*k] = n
			*k++
			n++
		}
	}
	n = pyBit
	for _, blk := range b.py.b {
		for i := range blk {
			k := &next[blk[i].track]
			order[*k] = n
			*k++
			n++
		}
	}
}

// hostLess orders parents before children: by start, then longest first, then
// Python calls, annotations, operators and runtime calls from outside in.
func (b *builder) hostLess(x, y uint32) bool {
	xs, xd, xc := b.hostKey(x)
	ys, yd, yc := b.hostKey(y)
	if xs != ys {
		return xs < ys
	}
	if xd != yd {
		return xd > yd
	}
	return outside[xc] < outside[yc]
}

var outside = [256]uint8{event.Python: 0, event.OtherRange: 1, event.Annotation: 1, event.Op: 2, event.Runtime: 3, event.Driver: 4, event.Overhead: 5}

func (b *builder) hostKey(x uint32) (start, dur int64, c event.Class) {
	if x&pyBit != 0 {
		r := b.py.at(x &^ pyBit)
		return r.start, r.dur, event.Python
	}
	r := b.host.at(x)
	return r.start, r.dur, r.class
}

// gatherHost fills the columns of the ranges in order.
func (b *builder) gatherHost(t *Timeline, order []uint32) {
	n := len(order)
	r := Ranges{Start: make([]int64, n), Dur: make([]int64, n), Name: make([]NameID, n),
		Parent: make([]RangeID, n), Class: make([]event.Class, n), Role: make([]event.Role, n)}
	for i, x := range order {
		if x&pyBit != 0 {
			row := b.py.at(x &^ pyBit)
			r.Start[i], r.Dur[i], r.Name[i], r.Class[i] = row.start, row.dur, row.name, event.Python
			continue
		}
		row := b.host.at(x)
		r.Start[i], r.Dur[i], r.Name[i], r.Class[i], r.Role[i] = row.start, row.dur, row.name, row.class, row.role
	}
	t.Ranges = r
	b.py = blocks[pyRow]{}
	if len(b.argKeys) > 0 {
		t.rangeArgs = map[string][]NameID{}
	}
	for k, key := range b.argKeys {
		col := make([]NameID, n)
		for i, x := range order {
			if x&pyBit == 0 {
				col[i] = *b.args[k].at(x)
			}
		}
		t.rangeArgs[key] = col
	}
}

// layoutDevice orders the activities by stream and start.
func (b *builder) layoutDevice(t *Timeline) {
	order := make([]uint32, b.acts.n)
	for i := range order {
		order[i] = uint32(i)
	}
	key := func(i uint32) (uint32, int64, int64) { a := b.acts.at(i); return a.track, a.start, -a.dur }
	mergeSort(order, func(x, y uint32) bool {
		xt, xs, xd := key(x)
		yt, ys, yd := key(y)
		return cmp.Or(cmp.Compare(xt, yt), cmp.Compare(xs, ys), cmp.Compare(xd, yd)) < 0
	})
	n := len(order)
	a := Activities{Start: make([]int64, n), Dur: make([]int64, n), Name: make([]NameID, n),
		Launch: make([]RangeID, n), Owner: make([]RangeID, n), Class: make([]event.Class, n), Bytes: make([]int64, n)}
	last, stream := uint32(1<<32-1), uint32(0)
	for i, x := range order {
		row := b.acts.at(x)
		a.Start[i], a.Dur[i], a.Name[i], a.Class[i], a.Bytes[i] = row.start, row.dur, row.name, row.class, row.value
		a.Launch[i], a.Owner[i] = RangeID(x), NoRange // attribute replaces the row number
		if row.track != last {
			last, stream = row.track, b.streamTrack(row.track)
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
