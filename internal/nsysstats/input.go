package nsysstats

import (
	"path/filepath"
	"slices"

	"reel/event"
	"reel/timeline"
)

// Arguments by which readers tell what the columns of a timeline do not.
const (
	argDomain   = "domain"     // of an NVTX range: its domain's name
	argStyle    = "style"      // of an NVTX range: StartEnd
	argOpen     = "unfinished" // true: it had not ended
	argFinished = "finished"   // false: the same, of PyTorch
)

// style says how a range was written.
type style uint8

const (
	pushPop  style = 1 // nested
	startEnd style = 2 // free
	both     style = 3
)

func (s style) String() string {
	if s == startEnd {
		return "StartEnd"
	}
	return "PushPop"
}

// input is one source, with what reports ask of it again and again.
type input struct {
	tl     *timeline.Timeline
	file   string
	native bool

	domain, style, open, finished []timeline.NameID // nil when not kept
	free                          []bool            // by track: its ranges are asynchronous
	named                         []bool            // by track: its ranges of no class are named ranges
	names                         map[nameKey]string
	parent                        []timeline.RangeID // by range: what holds it, start/end ranges aside
}

type nameKey struct{ name, domain timeline.NameID }

func newInput(s Source, opt Options) *input {
	tl := s.TL
	in := &input{tl: tl, file: s.Name, native: opt.Native, names: map[nameKey]string{},
		domain: tl.RangeArg(argDomain), style: tl.RangeArg(argStyle), open: tl.RangeArg(argOpen), finished: tl.RangeArg(argFinished),
		free: make([]bool, len(tl.Tracks)), named: make([]bool, len(tl.Tracks))}
	if in.file == "" {
		in.file = filepath.Base(tl.Info.Path)
	}
	for i := range tl.Tracks {
		t := &tl.Tracks[i]
		in.named[i] = t.Place == event.Thread && tl.Info.Format != "nsys"
		// Reel's recordings show asynchronous ranges on a row of their name.
		in.free[i] = t.Place == event.Logical && t.Lo < t.Hi && t.Label == tl.Name(tl.Ranges.Name[t.Lo]) && t.Label != ""
	}
	in.parent = tl.Ranges.Parent
	if in.style != nil {
		in.aside()
	}
	return in
}

// aside takes start/end ranges out of the nesting of their threads: they may begin
// and end anywhere.
func (in *input) aside() {
	tl, cloned := in.tl, false
	for _, track := range tl.HostTracks() {
		t := &tl.Tracks[track]
		free := func(i int) bool {
			return in.isNamed(timeline.RangeID(i), track) && in.styleOf(timeline.RangeID(i), track) == startEnd
		}
		first := t.Lo
		for first < t.Hi && !free(first) {
			first++
		}
		if first == t.Hi {
			continue
		}
		if !cloned {
			in.parent, cloned = slices.Clone(in.parent), true
		}
		var open []timeline.RangeID
		for i := t.Lo; i < t.Hi; i++ {
			r, start, end := timeline.RangeID(i), tl.Ranges.Start[i], tl.Ranges.End(timeline.RangeID(i))
			in.parent[r] = timeline.NoRange
			if free(i) {
				continue
			}
			for len(open) > 0 && tl.Ranges.End(open[len(open)-1]) <= start {
				open = open[:len(open)-1]
			}
			for k := len(open) - 1; k >= max(0, len(open)-maxStack); k-- {
				if end <= tl.Ranges.End(open[k]) {
					in.parent[r] = open[k]
					break
				}
			}
			open = append(open, r)
		}
	}
}

// thread returns the track of the thread that a start/end range is of; false when it
// is of more than one, or of none that is known.
func (in *input) thread(r timeline.RangeID, track timeline.TrackID) (timeline.TrackID, bool) {
	t := &in.tl.Tracks[track]
	if t.Place == event.Thread {
		return track, true
	}
	if t.Label != "" {
		return 0, false
	}
	for _, id := range in.tl.HostTracks() {
		if x := &in.tl.Tracks[id]; x.Place == event.Thread && x.Label == "" && x.A == t.A && x.B == t.B {
			return id, true
		}
	}
	return 0, false
}

// isNamed reports whether a range is one that the program or its framework named.
func (in *input) isNamed(r timeline.RangeID, track timeline.TrackID) bool {
	switch in.tl.Ranges.Class[r] {
	case event.Annotation, event.Op:
		return true
	case event.OtherRange:
		return in.named[track]
	}
	return false
}

// styleOf tells how a named range was written.
func (in *input) styleOf(r timeline.RangeID, track timeline.TrackID) style {
	if in.free[track] || in.style != nil && in.style[r] != 0 && in.tl.Name(in.style[r]) == startEnd.String() {
		return startEnd
	}
	return pushPop
}

// isOpen reports whether a range had not ended.
func (in *input) isOpen(r timeline.RangeID) bool {
	return in.open != nil && in.open[r] != 0 && in.tl.Name(in.open[r]) == "true" ||
		in.finished != nil && in.finished[r] != 0 && in.tl.Name(in.finished[r]) == "false"
}

// keyOf returns what the name of a range is made of.
func (in *input) keyOf(r timeline.RangeID) nameKey {
	k := nameKey{name: in.tl.Ranges.Name[r]}
	if in.domain != nil {
		k.domain = in.domain[r]
	}
	return k
}

// nameOf is what a range is called: domain, colon, text.
func (in *input) nameOf(k nameKey) string {
	s := in.tl.Name(k.name)
	if in.native {
		s = normal(s)
	}
	return in.tl.Name(k.domain) + ":" + s
}

// name is nameOf, remembered.
func (in *input) name(r timeline.RangeID) string {
	k := in.keyOf(r)
	s, ok := in.names[k]
	if !ok {
		s = in.nameOf(k)
		in.names[k] = s
	}
	return s
}
