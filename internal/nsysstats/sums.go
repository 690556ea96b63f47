package nsysstats

import (
	"reel/event"
	"reel/timeline"
)

// rangeSum summarises named ranges of some style.
func (b *build) rangeSum(want style) {
	s, n, any := newGrouped(), noted{}, false
	for _, in := range b.ins {
		any = in.addRanges(s, want, len(b.ins) == 1, &n) || any
	}
	if !any {
		b.skip(noRanges[want])
		return
	}
	if want == both {
		b.Cols = sumCols("Instances", "Style", "Range")
	} else {
		b.Cols = sumCols("Instances", "Range")
	}
	b.sumRows(s)
	b.note("These are CPU times, waiting included, and a range counts within those around it too; what the device did in them is in nvtx_gpu_proj_sum.")
	b.tell(n)
}

var noRanges = map[style]string{both: "NV Tools Extension (NVTX)", pushPop: "NVTX push/pop range", startEnd: "NVTX start/end range"}

// addRanges adds the lengths of the ranges of a style; it reports whether there
// was one. alone says that no other source is added.
func (in *input) addRanges(s *grouped, want style, alone bool, n *noted) bool {
	any := false
	g := rangeGroups{s: s, in: in, want: want, alone: alone && !in.native, known: map[nameStyle][]int32{}}
	if g.alone {
		s.in, s.plain, s.names = in, want != both, make([]nameStyle, 0, in.tl.Names())
	}
	for _, track := range in.tl.HostTracks() {
		t := &in.tl.Tracks[track]
		for i := t.Lo; i < t.Hi; i++ {
			r := timeline.RangeID(i)
			if !in.isNamed(r, track) {
				continue
			}
			st := in.styleOf(r, track)
			if st&want == 0 {
				continue
			}
			any = true
			if in.isOpen(r) {
				n.open++
				continue
			}
			s.add(g.of(nameStyle{in.keyOf(r), st}), in.tl.Ranges.Dur[r])
		}
	}
	return any
}

type nameStyle struct {
	nameKey
	style style
}

// rangeGroups finds the group of a range by its name. There may be millions of names:
// those of a single source are told apart by their number.
type rangeGroups struct {
	s     *grouped
	in    *input
	want  style
	alone bool
	known map[nameStyle][]int32 // by domain and style: the group and 1 of each name
	last  nameStyle             // of known
	list  []int32
	other map[nameStyle]int32 // the same of more domains than those
}

// maxLists bounds the domains whose names are looked up in a list of all names.
const maxLists = 64

func (g *rangeGroups) of(k nameStyle) int32 {
	kind := k
	kind.name = 0
	if g.list == nil || kind != g.last {
		if g.known[kind] == nil {
			if len(g.known) == maxLists {
				return g.ofOther(k)
			}
			g.known[kind] = make([]int32, g.in.tl.Names())
		}
		g.last, g.list = kind, g.known[kind]
	}
	id := &g.list[k.name]
	if *id == 0 {
		*id = g.make(k) + 1
	}
	return *id - 1
}

func (g *rangeGroups) ofOther(k nameStyle) int32 {
	id, ok := g.other[k]
	if !ok {
		if g.other == nil {
			g.other = map[nameStyle]int32{}
		}
		id = g.make(k)
		g.other[k] = id
	}
	return id
}

func (g *rangeGroups) make(k nameStyle) int32 {
	switch {
	case g.alone:
		return g.s.named(k)
	case g.want == both:
		return g.s.id(k.style.String(), g.in.nameOf(k.nameKey))
	}
	return g.s.id(g.in.nameOf(k.nameKey))
}

// calls summarises calls into the runtime and the driver.
func (b *build) calls() {
	b.hostSum("Num Calls", "CUDA trace", callName, func(_ *input, c event.Class) bool { return c == event.Runtime || c == event.Driver })
}

// osCalls summarises calls into the operating system's runtime.
func (b *build) osCalls() {
	b.hostSum("Num Calls", "OS Runtime trace", func(s string) string { return s }, (*input).isSystem)
}

// isSystem reports whether ranges of a class are calls into the operating system.
func (in *input) isSystem(c event.Class) bool {
	return in.tl.Info.Format == "nsys" && c == event.OtherRange
}

// hostSum summarises the host ranges of some classes by name.
func (b *build) hostSum(instances, kind string, name func(string) string, want func(*input, event.Class) bool) {
	s, n := newGrouped(), noted{}
	for _, in := range b.ins {
		groups := newGroups(in.tl)
		r := &in.tl.Ranges
		for i, c := range r.Class {
			if !want(in, c) {
				continue
			}
			if in.isOpen(timeline.RangeID(i)) {
				n.open++
				continue
			}
			s.add(groups.of(r.Name[i], func(text string) int32 { return s.id(name(text)) }), r.Dur[i])
		}
	}
	if len(s.value) == 0 && n.open == 0 {
		b.skip(kind)
		return
	}
	b.Cols = sumCols(instances, "Name")
	b.sumRows(s)
	b.tell(n)
}

// groups remembers the group of each name of a timeline.
type groups struct {
	tl    *timeline.Timeline
	known []int32 // by name: the group and 1
}

func newGroups(tl *timeline.Timeline) *groups { return &groups{tl, make([]int32, tl.Names())} }

func (g *groups) of(name timeline.NameID, make func(string) int32) int32 {
	k := &g.known[name]
	if *k == 0 {
		*k = make(g.tl.Name(name)) + 1
	}
	return *k - 1
}
