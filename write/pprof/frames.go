package pprof

import (
	"github.com/google/pprof/profile"

	"reel/internal/walk"
)

// frames numbers the functions of a profile; each has one location.
type frames struct {
	mapping   *profile.Mapping
	functions []*profile.Function
	locations []*profile.Location
	ids       map[frameKey]uint32
}

type frameKey struct {
	name string
	call bool // a Python call
}

func newFrames(m *profile.Mapping) frames { return frames{mapping: m, ids: map[frameKey]uint32{}} }

// call returns the frame of a Python call. Viewers tell functions apart by their
// names alone, and every other one is called forward, so the name has the file
// too.
func (f *frames) call(text string, c walk.Call) uint32 {
	return f.add(frameKey{text, true}, profile.Function{Name: c.String(), SystemName: walk.Text(text), Filename: c.File, StartLine: int64(c.Line)})
}

// plain returns the frame of anything else. It has no system name: viewers
// would take that for a C++ name and cut its parameters off, which are what
// tells kernels apart.
func (f *frames) plain(text string) uint32 {
	if text = walk.FrameName(text); text == "" {
		text = "(no name)"
	}
	return f.add(frameKey{text, false}, profile.Function{Name: walk.Text(text)})
}

func (f *frames) add(key frameKey, fn profile.Function) uint32 {
	id, ok := f.ids[key]
	if !ok {
		id = uint32(len(f.functions))
		f.ids[key] = id
		fn.ID = uint64(id) + 1
		f.functions = append(f.functions, &fn)
		f.locations = append(f.locations, &profile.Location{ID: fn.ID, Mapping: f.mapping,
			Line: []profile.Line{{Function: &fn, Line: fn.StartLine}}})
	}
	return id
}
