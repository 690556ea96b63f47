package analyze

import (
	"reel/event"
	"reel/timeline"
)

// brackets are the lengths of the ranges of a program as they covered the device, by the
// stage or step that they belong to, ns; nil is none.
type brackets struct {
	stage, step []*int64
	some        bool
}

// newBrackets gives each stage and step the annotation of the device that has its name
// and was begun in it. A recording without device activity may have them: the Python
// client takes the time between two events of the stream. They tell how long a stage
// lasted on the device, and nothing of how busy it was. Where activity was recorded,
// there are none: it tells both.
func newBrackets(tl *timeline.Timeline, d *Derived, activity bool) *brackets {
	b := &brackets{stage: make([]*int64, len(d.Stages)), step: make([]*int64, len(d.Steps))}
	if activity {
		return b
	}
	var tracks [][]piece
	a := &tl.Activities
	for i, class := range a.Class {
		if class != event.GPUAnnotation || a.Launch[i] == timeline.NoRange {
			continue
		}
		if tracks == nil {
			tracks = newPieces(d).pieces(tl, d)
		}
		at := a.Launch[i]
		p := pieceAt(tracks[tl.RangeTrack(at)], tl.Ranges.Start[at])
		if p == nil {
			continue
		}
		to, spans := d.Stages, b.stage
		k := int(p.to.place) - 1
		if k < 0 {
			to, spans, k = d.Steps, b.step, -int(p.to.place)-1
		}
		if tl.Name(a.Name[i]) == to[k].Name && spans[k] == nil {
			took := a.Dur[i]
			spans[k], b.some = &took, true
		}
	}
	return b
}
