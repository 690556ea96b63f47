package webui

import (
	"reel/internal/walk"
	"reel/timeline"
)

// atJSON is what the mouse is over.
type atJSON struct {
	linkJSON
	Among  int    `json:"among"` // intervals within the width
	Stage  string `json:"stage,omitempty"`
	Step   string `json:"step,omitempty"`
	Launch string `json:"launch,omitempty"` // the call that launched an activity
	Within string `json:"within,omitempty"` // the innermost range that holds it, or its call
}

// at tells what lies at an instant of a row.
func (st *state) at(q *query) (any, error) {
	band := int(q.int("b", 0, 0, int64(len(st.pic.bands)-1)))
	row := int(q.int("row", 0, 0, bandRows-1))
	t, width := q.float("t", 0), q.float("w", 1)
	if q.err != nil || band >= len(st.pic.bands) {
		return nil, q.err
	}
	b := st.pic.bands[band]
	if row >= len(b.lanes) {
		return nil, refusef("row=%d: the band has %d rows", row, len(b.lanes))
	}
	tr := st.pic.tracks[b.track]
	id, ok := b.lanes[row].At(t, max(width, 0))
	if !ok {
		return struct{}{}, nil
	}
	a := &atJSON{linkJSON: st.link(tr.Rank, tr.kind, int(id), listName), Among: b.lanes[row].Among(t, max(width, 0))}
	a.place(st.pic.ranks[tr.Rank], tr.kind, int(id))
	return a, nil
}

// place adds where in the program a thing belongs.
func (a *atJSON) place(p *rankPicture, kind byte, id int) {
	tl := p.rank.TL
	holder := timeline.NoRange
	switch kind {
	case 'h':
		a.Stage, a.Step = p.parts.Names(p.parts.At(tl.RangeTrack(timeline.RangeID(id)), tl.Ranges.Start[id]))
		holder = tl.Ranges.Parent[id]
	case 'd':
		a.Stage, a.Step = p.parts.Names(p.parts.OfActivity(id))
		if l := tl.Activities.Launch[id]; l != timeline.NoRange {
			a.Launch = p.label('h', int(l), listName)
			holder = tl.Ranges.Parent[l]
		} else {
			holder = walk.Cause(tl, id)
		}
	}
	if holder != timeline.NoRange {
		a.Within = p.label('h', int(holder), listName)
	}
}
