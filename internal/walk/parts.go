package walk

import (
	"cmp"
	"slices"
	"strconv"

	"reel/analyze"
	"reel/timeline"
)

// Part is a stage or step in which something happened; 0 is none.
type Part int32

// Parts tells in which stage or step of a rank something happened: the one that
// holds the instant on the same track.
type Parts struct {
	tl      *timeline.Timeline
	list    []part   // by Part-1
	loops   bool     // some request has several loops
	tracks  [][]Part // by start
	nowhere []Part   // steps that stand on no track: known by the device's work alone
}

type part struct {
	*analyze.Span
	step bool
}

// NewParts lists the stages and steps of a rank, nil for none.
func NewParts(tl *timeline.Timeline, d *analyze.Derived) *Parts {
	p := &Parts{tl: tl, tracks: make([][]Part, len(tl.Tracks))}
	if d == nil {
		return p
	}
	for i := range d.Stages {
		p.list = append(p.list, part{&d.Stages[i], false})
	}
	for i := range d.Steps {
		p.list = append(p.list, part{&d.Steps[i], true})
		p.loops = p.loops || d.Steps[i].Loop > 0
	}
	slices.SortStableFunc(p.list, func(a, b part) int { return cmp.Compare(a.Start, b.Start) })
	for i, s := range p.list {
		if s.Track == timeline.NoTrack {
			p.nowhere = append(p.nowhere, Part(i+1))
			continue
		}
		p.tracks[s.Track] = append(p.tracks[s.Track], Part(i+1))
	}
	return p
}

// Span returns a part's span, nil for none.
func (p *Parts) Span(x Part) *analyze.Span {
	if x <= 0 || int(x) > len(p.list) {
		return nil
	}
	return p.list[x-1].Span
}

// lookBack bounds the search among parts that overlap on one track.
const lookBack = 64

// At returns the part that holds instant t, ns, on a host track.
func (p *Parts) At(track timeline.TrackID, t int64) Part {
	if track == timeline.NoTrack {
		return 0
	}
	return p.at(p.tracks[track], t)
}

func (p *Parts) at(list []Part, t int64) Part {
	k, _ := slices.BinarySearchFunc(list, t, func(x Part, t int64) int {
		if p.list[x-1].Start <= t {
			return -1
		}
		return 1
	})
	for n := 0; n < lookBack && k > 0; n++ {
		k--
		if t < p.list[list[k]-1].End {
			return list[k]
		}
	}
	return 0
}

// OfActivity returns the part that launched an activity.
func (p *Parts) OfActivity(i int) Part {
	if len(p.list) == 0 {
		return 0
	}
	if c := Cause(p.tl, i); c != timeline.NoRange {
		if x := p.At(p.tl.RangeTrack(c), p.tl.Ranges.Start[c]); x != 0 {
			return x
		}
	}
	return p.at(p.nowhere, p.tl.Activities.Start[i])
}

// Names returns a part's stage and, for steps, its number in the loop: "3", or
// "loop1:3" where requests have several loops. Both are "" for no part.
func (p *Parts) Names(x Part) (stage, step string) {
	s := p.Span(x)
	switch {
	case s == nil:
		return "", ""
	case !p.list[x-1].step:
		return Text(s.Stage), ""
	case p.loops:
		return "diffuse", "loop" + strconv.Itoa(s.Loop) + ":" + strconv.Itoa(s.Index)
	}
	return "diffuse", strconv.Itoa(s.Index)
}
