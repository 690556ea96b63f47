package timeline

import (
	"runtime"

	"reel/event"
)

// Rows as they arrive, until they are columns. Most lack something, and what is absent
// takes no room: Python calls and annotations have a time and a name, runtime calls and
// kernels a link too, and only the rest needs all.
type (
	leanRow struct { // 24 bytes
		start, dur int64
		name       uint32
		tag        tag
	}
	linkRow struct { // 32 bytes
		start, dur, link int64
		name             uint32
		tag              tag
	}
	fullRow struct { // 48 bytes
		start, dur, link, op, value int64
		name                        uint32
		tag                         tag
	}
)

// tag is a row's track, class and role.
type tag uint32

const (
	trackBits = 23
	classBits = 5
	maxTracks = 1 << trackBits
)

func tagOf(track uint32, c event.Class, r event.Role) tag {
	return tag(track&(maxTracks-1) | uint32(c)&(1<<classBits-1)<<trackBits | uint32(r)<<(trackBits+classBits))
}

func (t tag) track() uint32      { return uint32(t) & (maxTracks - 1) }
func (t tag) class() event.Class { return event.Class(t >> trackBits & (1<<classBits - 1)) }
func (t tag) role() event.Role   { return event.Role(t >> (trackBits + classBits)) }

// ref names a row: its sort in the two upper bits, its place among those of its sort in
// the rest.
type ref = uint32

const (
	isFull   = ref(0) << 30
	isLink   = ref(1) << 30
	isLean   = ref(2) << 30
	placeOf  = 1<<30 - 1
	maxPlace = 1<<30 - 1
)

// rows holds the rows of ranges, or of activities.
type rows struct {
	lean blocks[leanRow]
	link blocks[linkRow]
	full blocks[fullRow]
}

func (r *rows) len() int { return r.lean.n + r.link.n + r.full.n }

// bytes is what they take.
func (r *rows) bytes() int { return 24*r.lean.n + 32*r.link.n + 48*r.full.n }

// muchMemory is how many bytes are worth a collection.
const muchMemory = 64 << 20

// release collects what was just dropped, when it is much: left to itself, the collector
// would come after what follows has taken as much again. The columns hold no pointers,
// so it costs next to nothing.
func release(bytes int) {
	if bytes >= muchMemory {
		runtime.GC()
	}
}

// push adds a row, in the smallest form that holds it, or in the full one.
func (r *rows) push(row fullRow, full bool) {
	switch {
	case full || row.op != 0 || row.value != 0:
		r.full.push(row)
	case row.link != 0:
		r.link.push(linkRow{row.start, row.dur, row.link, row.name, row.tag})
	default:
		r.lean.push(leanRow{row.start, row.dur, row.name, row.tag})
	}
}

// at returns a row.
func (r *rows) at(x ref) fullRow {
	switch x &^ placeOf {
	case isLean:
		v := r.lean.at(x & placeOf)
		return fullRow{start: v.start, dur: v.dur, name: v.name, tag: v.tag}
	case isLink:
		v := r.link.at(x & placeOf)
		return fullRow{start: v.start, dur: v.dur, link: v.link, name: v.name, tag: v.tag}
	}
	return *r.full.at(x & placeOf)
}

// key returns what rows are ordered by.
func (r *rows) key(x ref) (start, dur int64, t tag) {
	switch x &^ placeOf {
	case isLean:
		v := r.lean.at(x & placeOf)
		return v.start, v.dur, v.tag
	case isLink:
		v := r.link.at(x & placeOf)
		return v.start, v.dur, v.tag
	}
	v := r.full.at(x & placeOf)
	return v.start, v.dur, v.tag
}

// each calls f for each row, in the order of the sorts.
func (r *rows) each(f func(ref, tag)) {
	for i := range r.full.n {
		f(isFull|ref(i), r.full.at(ref(i)).tag)
	}
	for i := range r.link.n {
		f(isLink|ref(i), r.link.at(ref(i)).tag)
	}
	for i := range r.lean.n {
		f(isLean|ref(i), r.lean.at(ref(i)).tag)
	}
}
