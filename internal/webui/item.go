package webui

import (
	"sort"

	"reel/analyze"
	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// itemJSON is everything that is known of one thing.
type itemJSON struct {
	Ref    string      `json:"ref"`
	Name   string      `json:"name"`
	Class  string      `json:"class"`
	Track  string      `json:"track,omitempty"`
	Rank   int         `json:"rank"`
	Start  int64       `json:"start_ns"`
	Dur    int64       `json:"duration_ns"`
	Self   *int64      `json:"self_ns,omitempty"`
	Stage  string      `json:"stage,omitempty"`
	Step   string      `json:"step,omitempty"`
	Bytes  int64       `json:"bytes,omitempty"`
	Colour uint8       `json:"colour"`
	Facts  [][2]string `json:"facts,omitempty"`
	Stack  []linkJSON  `json:"stack,omitempty"`  // what holds it, the innermost first
	Launch *linkJSON   `json:"launch,omitempty"` // of an activity
	Work   *workJSON   `json:"work,omitempty"`   // of a range
	Places []placeRow  `json:"places"`           // where it and its links are drawn
}

// linkJSON is a thing that another leads to.
type linkJSON struct {
	Ref   string `json:"ref"`
	Name  string `json:"name"`
	Class string `json:"class,omitempty"`
	Start int64  `json:"start_ns"`
	Dur   int64  `json:"duration_ns"`
}

// workJSON is what a range launched.
type workJSON struct {
	Count int        `json:"count"`
	Sum   int64      `json:"device_ns"`
	First int64      `json:"first_ns"`
	Last  int64      `json:"last_ns"`
	Some  []linkJSON `json:"some"` // the first of them
}

// placeRow says in which track and row a thing is drawn.
type placeRow struct {
	Ref   string `json:"ref"`
	Track int    `json:"track"`
	Row   int    `json:"row"`
}

// Bounds of what the details of one thing list.
const (
	maxStack = 64
	maxWork  = 40
	maxSelf  = 200_000
)

func (st *state) item(q *query) (any, error) {
	r, err := st.parseRef(q.v.Get("ref"))
	if err != nil {
		return nil, err
	}
	return st.itemOf(r), nil
}

func (st *state) itemOf(r ref) *itemJSON {
	p := st.pic.ranks[r.rank]
	c := p.columns(r.kind)
	it := &itemJSON{Ref: r.String(), Name: p.label(r.kind, r.id, detailName), Rank: p.rank.Index, Track: p.trackLabel(r.kind, r.id),
		Start: c.Start[r.id] - c.Base, Dur: max(c.Dur[r.id], 0), Colour: p.colour(r.kind, int32(r.id))}
	switch r.kind {
	case 'h':
		st.hostItem(it, p, r)
	case 'd':
		st.deviceItem(it, p, r)
	case 'p':
		st.planItem(it, p, r)
	default:
		it.Class = "frame"
	}
	st.placeAll(it)
	return it
}

func (st *state) link(rank int, kind byte, id int, n int) linkJSON {
	p := st.pic.ranks[rank]
	c := p.columns(kind)
	l := linkJSON{Ref: ref{rank, kind, id}.String(), Name: p.label(kind, id, n), Start: c.Start[id] - c.Base, Dur: max(c.Dur[id], 0)}
	switch kind {
	case 'h':
		l.Class = p.rank.TL.Ranges.Class[id].String()
	case 'd':
		l.Class = p.rank.TL.Activities.Class[id].String()
	}
	return l
}

// stack lists what holds a host range.
func (st *state) stack(rank int, r timeline.RangeID) (out []linkJSON) {
	parent := st.pic.ranks[rank].rank.TL.Ranges.Parent
	for ; r != timeline.NoRange && len(out) < maxStack; r = parent[r] {
		out = append(out, st.link(rank, 'h', int(r), listName))
	}
	return out
}

func (st *state) hostItem(it *itemJSON, p *rankPicture, r ref) {
	tl := p.rank.TL
	id := timeline.RangeID(r.id)
	it.Class = tl.Ranges.Class[id].String()
	if role := tl.Ranges.Role[id]; role != event.NoRole {
		it.Facts = append(it.Facts, [2]string{"role", role.String()})
	}
	for _, key := range analyze.OpsArgs {
		if col := tl.RangeArg(key); col != nil && col[id] != 0 {
			it.Facts = append(it.Facts, [2]string{key, p.name(col[id], 600)})
		}
	}
	it.Stage, it.Step = p.parts.Names(p.parts.At(tl.RangeTrack(id), tl.Ranges.Start[id]))
	it.Stack = st.stack(r.rank, tl.Ranges.Parent[id])
	last, self, ok := p.inside(id)
	if ok {
		it.Self = &self
	}
	lo := sort.Search(len(p.calls), func(k int) bool { return tl.Activities.Launch[p.calls[k]] >= id })
	hi := sort.Search(len(p.calls), func(k int) bool { return tl.Activities.Launch[p.calls[k]] > last })
	if lo < hi {
		it.Work = st.workOf(r.rank, p.calls[lo:hi])
	}
}

// inside returns the last range within r, and the time that is in none of them; ok is
// false when there are too many to add up.
func (p *rankPicture) inside(r timeline.RangeID) (last timeline.RangeID, self int64, ok bool) {
	tl := p.rank.TL
	hi := tl.Tracks[tl.RangeTrack(r)].Hi
	end := tl.Ranges.End(r)
	n := sort.Search(hi-int(r)-1, func(k int) bool { return tl.Ranges.Start[int(r)+1+k] >= end })
	last, self = r+timeline.RangeID(n), max(tl.Ranges.Dur[r], 0)
	for last > r && !tl.Within(last, r) {
		last--
	}
	if n > maxSelf {
		return last, 0, false
	}
	for c := r + 1; c <= last; c++ {
		if tl.Ranges.Parent[c] == r {
			self -= max(tl.Ranges.Dur[c], 0)
		}
	}
	return last, max(self, 0), true
}

func (st *state) workOf(rank int, list []int32) *workJSON {
	p := st.pic.ranks[rank]
	a := &p.rank.TL.Activities
	w := &workJSON{Count: len(list), First: 1<<63 - 1}
	for k, i := range list {
		w.Sum += a.Dur[i]
		w.First, w.Last = min(w.First, a.Start[i]-p.base), max(w.Last, a.End(int(i))-p.base)
		if k < maxWork {
			w.Some = append(w.Some, st.link(rank, 'd', int(i), listName))
		}
	}
	return w
}

func (st *state) deviceItem(it *itemJSON, p *rankPicture, r ref) {
	tl := p.rank.TL
	it.Class = tl.Activities.Class[r.id].String()
	it.Bytes = tl.Activities.Bytes[r.id]
	if tl.Activities.Class[r.id].IsWork() {
		it.Facts = append(it.Facts, [2]string{"sort of work", colours[p.paint.device[r.id]&(1<<shadeShift-1)]})
	}
	it.Stage, it.Step = p.parts.Names(p.parts.OfActivity(r.id))
	if l := tl.Activities.Launch[r.id]; l != timeline.NoRange {
		x := st.link(r.rank, 'h', int(l), listName)
		it.Launch = &x
	}
	if c := walk.Cause(tl, r.id); c != timeline.NoRange {
		it.Stack = st.stack(r.rank, c)
	}
}

func (st *state) planItem(it *itemJSON, p *rankPicture, r ref) {
	s := &p.spans[r.id]
	it.Class, it.Stage = s.role, s.Stage
	it.Facts = append(it.Facts, [2]string{"recognised by", string(s.Evidence)}, [2]string{"as", short(s.Name, listName)})
	if s.Range != timeline.NoRange && int(s.Range) < p.rank.TL.Ranges.Len() {
		it.Stack = st.stack(r.rank, s.Range)
	}
	// What was launched within it, on its track.
	tl := p.rank.TL
	if s.Track == timeline.NoTrack {
		return
	}
	t := &tl.Tracks[s.Track]
	first := timeline.RangeID(t.Lo + sort.Search(t.Hi-t.Lo, func(k int) bool { return tl.Ranges.Start[t.Lo+k] >= s.Start }))
	last := timeline.RangeID(t.Lo + sort.Search(t.Hi-t.Lo, func(k int) bool { return tl.Ranges.Start[t.Lo+k] >= s.End }))
	lo := sort.Search(len(p.calls), func(k int) bool { return tl.Activities.Launch[p.calls[k]] >= first })
	hi := sort.Search(len(p.calls), func(k int) bool { return tl.Activities.Launch[p.calls[k]] >= last })
	if lo < hi {
		it.Work = st.workOf(r.rank, p.calls[lo:hi])
	}
}

// placeAll finds the rows of a thing and of what arrows lead to.
func (st *state) placeAll(it *itemJSON) {
	list := []string{it.Ref}
	if it.Launch != nil {
		list = append(list, it.Launch.Ref)
	}
	if it.Work != nil {
		for _, l := range it.Work.Some {
			list = append(list, l.Ref)
		}
	}
	for _, text := range list {
		if r, err := st.parseRef(text); err == nil {
			if p, ok := st.pic.rowOf(r); ok {
				it.Places = append(it.Places, p)
			}
		}
	}
}

// rowOf finds the row in which a thing is drawn.
func (p *picture) rowOf(r ref) (placeRow, bool) {
	c := p.ranks[r.rank].columns(r.kind)
	at := float64(c.Start[r.id] - c.Base)
	for b, x := range p.bands {
		t := &p.tracks[x.track]
		if t.Rank != r.rank || t.kind != r.kind {
			continue
		}
		for k, lane := range x.lanes {
			if lane.Holds(int32(r.id), at) {
				return placeRow{r.String(), x.track, (b-t.Band)*bandRows + k}, true
			}
		}
	}
	return placeRow{}, false
}
