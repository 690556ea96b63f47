package chrome

import (
	"bytes"

	"reel/event"
	"reel/read/kineto"
	"reel/timeline"
)

// cut decides which events of a source belong to a selected part of its
// timeline. An event is found in the timeline by its row and times.
type cut struct {
	sel      timeline.Selection
	timeline *timeline.Timeline // of the part
	ranges   map[spot]bool      // those outside the windows
	work     map[spot]bool      // activities
	ends     map[instant]bool   // where arrows may begin or end, outside the windows
	arrows   map[string]*arrow  // by their name and id
}

type instant struct{ a, b, at int64 }

// arrow is an arrow of the source, of which one end at least belongs to the part.
type arrow struct {
	begin   []byte // its first end, until it is written
	begun   bool
	waiting [][]byte // other ends that came before it
}

func newCut(tl *timeline.Timeline, sel timeline.Selection) *cut {
	c := &cut{sel: sel, ranges: map[spot]bool{}, work: map[spot]bool{}, ends: map[instant]bool{}, arrows: map[string]*arrow{}}
	part := timeline.PartOf(tl, sel)
	c.timeline = part.Timeline()
	for _, id := range tl.HostTracks() {
		t := tl.Tracks[id]
		for i := t.Lo; i < t.Hi; i++ {
			if start, dur := tl.Ranges.Start[i], tl.Ranges.Dur[i]; part.HasRange(timeline.RangeID(i)) && !sel.Touches(start, dur) {
				c.ranges[spot{t.A, t.B, start, dur}] = true
			}
		}
	}
	for i, start := range tl.Activities.Start {
		if !part.HasActivity(i) {
			continue
		}
		s := spotOf(tl, i)
		c.work[s] = true
		c.ends[instant{s.device, s.stream, start}] = true
		if l := tl.Activities.Launch[i]; l != timeline.NoRange {
			t := tl.Tracks[tl.RangeTrack(l)]
			c.ends[instant{t.A, t.B, tl.Ranges.Start[l]}] = true
		}
	}
	return c
}

// keeps reports whether an event belongs to the part; of an arrow's end, whether
// it may.
func (c *cut) keeps(e *kineto.RawEvent) bool {
	switch {
	case e.Kind == event.Meta:
		return true
	case !e.Timed:
		return false
	}
	switch e.Kind {
	case event.Activity:
		return c.work[spot{e.A, e.B, e.Start, e.Dur}]
	case event.Range:
		return c.sel.Touches(e.Start, e.Dur) || c.ranges[spot{e.A, e.B, e.Start, e.Dur}]
	case event.Flow:
		return c.sel.Holds(e.Start) || c.ends[instant{e.A, e.B, e.Start}]
	}
	return c.sel.Touches(e.Start, e.Dur)
}

// pair appends to ready the ends of an arrow that can be written now that an end
// has come: all, once there is a first one and another.
func (c *cut) pair(e *kineto.RawEvent, text []byte, ready [][]byte) [][]byte {
	id := string(e.Name.Of(text)) + string(e.ID.Of(text))
	a := c.arrows[id]
	if a == nil {
		a = &arrow{}
		c.arrows[id] = a
	}
	if e.Ph == 's' {
		if a.begin, a.begun = bytes.Clone(text), false; len(a.waiting) == 0 {
			return ready
		}
		ready = append(append(ready, a.begin), a.waiting...)
		a.begin, a.begun, a.waiting = nil, true, nil
		return ready
	}
	switch {
	case a.begun:
		return append(ready, text)
	case a.begin == nil:
		a.waiting = append(a.waiting, bytes.Clone(text))
		return ready
	}
	ready = append(ready, a.begin, text)
	a.begin, a.begun = nil, true
	return ready
}
