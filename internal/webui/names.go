package webui

import (
	"fmt"

	"reel/internal/walk"
	"reel/timeline"
)

// Lengths of names, bytes: on a row, in a list, and in the details of one thing.
const (
	rowName    = 96
	listName   = 240
	detailName = 4000
)

// label is what a thing is called; n bounds its bytes.
func (r *rankPicture) label(kind byte, id int, n int) string {
	tl := r.rank.TL
	switch kind {
	case 'h':
		return r.name(tl.Ranges.Name[id], n)
	case 'd':
		return r.name(tl.Activities.Name[id], n)
	case 'p':
		s := &r.spans[id]
		switch s.role {
		case "request":
			return short(fmt.Sprintf("request %d %s", s.Index, s.Name), n)
		case "step":
			return fmt.Sprintf("step %d", s.Index)
		}
		return short(s.Stage+" · "+s.Name, n)
	}
	return fmt.Sprintf("frame %d", id)
}

func (r *rankPicture) name(id timeline.NameID, n int) string { return short(r.rank.TL.Name(id), n) }

// nameKey is a number that is the same for things of a kind and a label: what a page
// keeps names by.
func (r *rankPicture) nameKey(kind byte, id int32) uint32 {
	switch kind {
	case 'h':
		return r.rank.TL.Ranges.Name[id]
	case 'd':
		return r.rank.TL.Activities.Name[id]
	case 'p':
		return 1<<31 | uint32(id)
	}
	return 3<<30 | uint32(id)
}

// trackLabel names the thread or stream of a thing.
func (r *rankPicture) trackLabel(kind byte, id int) string {
	tl := r.rank.TL
	t := timeline.NoTrack
	switch kind {
	case 'h':
		t = tl.RangeTrack(timeline.RangeID(id))
	case 'd':
		t = tl.ActivityTrack(id)
	case 'p':
		t = r.spans[id].Track
	}
	if t == timeline.NoTrack {
		return ""
	}
	return short(walk.TrackName(&tl.Tracks[t]), listName)
}
