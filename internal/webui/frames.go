package webui

import (
	"slices"

	"reel/analyze"
)

// frameJSON is the way of one frame: its links in the order of time, with the waiting
// between them, on the page's time.
type frameJSON struct {
	Rank  int                 `json:"rank"` // position in the list
	Ref   string              `json:"ref"`
	Story *analyze.FrameStory `json:"story"`
	Chain []chainJSON         `json:"chain"`
}

// chainJSON is a link of the chain, or a wait between two.
type chainJSON struct {
	What  string `json:"what"` // input, queue, step, device, publish, wait, shown
	Name  string `json:"name"`
	Start int64  `json:"start_ns"`
	Dur   int64  `json:"duration_ns"`
	Ref   string `json:"ref,omitempty"`
	Track int    `json:"track"` // where it is drawn; -1 is nowhere
	Row   int    `json:"row"`
}

// frame follows a shown frame back to its step, its launches and its inputs.
func (st *state) frame(q *query) (any, error) {
	rank := int(q.int("rank", 0, 0, int64(len(st.Ranks)-1)))
	n := int(q.int("n", 0, 0, 1<<31))
	if q.err != nil || rank >= len(st.Ranks) {
		return nil, q.err
	}
	p := st.pic.ranks[rank]
	tl := p.rank.TL
	story, err := analyze.FollowFrame(tl, n)
	if err != nil {
		return nil, refused{err}
	}
	f := &frameJSON{Rank: rank, Ref: ref{rank, 'f', n}.String(), Story: story}
	shift := tl.Origin - p.base
	at := story.At + shift
	for _, in := range story.Inputs {
		f.Chain = append(f.Chain, chainJSON{What: "input", Name: "input arrives", Start: in.Arrived + shift, Track: -1},
			chainJSON{What: "queue", Name: "input waits for a step", Start: in.Arrived + shift, Dur: in.Queue, Track: -1})
	}
	if s := story.ModelStep; s != nil {
		f.Chain = append(f.Chain, st.chainRange(rank, "step", *s, shift))
		for _, in := range story.Inside {
			f.Chain = append(f.Chain, st.chainRange(rank, "inside", in, shift))
		}
	}
	if d := story.Device; d != nil {
		c := chainJSON{What: "device", Name: "work on the device", Start: d.Start + shift, Dur: d.End - d.Start, Track: -1}
		c.Track = slices.IndexFunc(st.pic.tracks, func(t track) bool { return t.Rank == rank && t.Kind == "device" && t.Part == "" })
		f.Chain = append(f.Chain, c)
	}
	if s := story.Publish; s != nil {
		f.Chain = append(f.Chain, st.chainRange(rank, "publish", *s, shift))
	}
	if story.Held != nil && *story.Held > 0 {
		f.Chain = append(f.Chain, chainJSON{What: "wait", Name: "waits for the screen", Start: at - *story.Held, Dur: *story.Held, Track: -1})
	}
	shown := chainJSON{What: "shown", Name: "on the screen", Start: at, Ref: f.Ref, Track: -1}
	if row, ok := st.pic.rowOf(ref{rank, 'f', n}); ok {
		shown.Track, shown.Row = row.Track, row.Row
		shown.Dur = max(p.frames.Dur[n], 0)
	}
	f.Chain = append(f.Chain, shown)
	slices.SortStableFunc(f.Chain, func(a, b chainJSON) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	return f, nil
}

// chainRange is a link that is a host range; it is found again by its name and times.
func (st *state) chainRange(rank int, what string, s analyze.FrameSpan, shift int64) chainJSON {
	c := chainJSON{What: what, Name: short(s.Name, listName), Start: s.Start + shift, Dur: s.Dur, Track: -1}
	p := st.pic.ranks[rank]
	tl := p.rank.TL
	for _, id := range tl.HostTracks() {
		t := &tl.Tracks[id]
		k, _ := slices.BinarySearch(tl.Ranges.Start[t.Lo:t.Hi], s.Start+tl.Origin)
		for i := t.Lo + k; i < t.Hi && tl.Ranges.Start[i] == s.Start+tl.Origin; i++ {
			if tl.Ranges.Dur[i] != s.Dur || tl.Name(tl.Ranges.Name[i]) != s.Name {
				continue
			}
			c.Ref = ref{rank, 'h', i}.String()
			if row, ok := st.pic.rowOf(ref{rank, 'h', i}); ok {
				c.Track, c.Row = row.Track, row.Row
			}
			return c
		}
	}
	return c
}
