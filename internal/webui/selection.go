package webui

import (
	"cmp"
	"slices"

	"reel/event"
	"reel/timeline"
)

// selectJSON is what happened in a stretch of time.
type selectJSON struct {
	From    int64         `json:"from"`
	To      int64         `json:"to"`
	Ranks   []selectRank  `json:"ranks"`
	Kernels []selectEntry `json:"kernels"`
	Calls   []selectEntry `json:"calls"`
}

type selectRank struct {
	Rank       int   `json:"rank"`
	Busy       int64 `json:"busy_ns"`
	Activities int   `json:"activities"`
	Device     bool  `json:"device"` // the rank recorded one
}

// selectEntry is a name and the time that it took within the stretch.
type selectEntry struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	NS    int64  `json:"ns"`
}

// maxTop is how many names a selection lists.
const maxTop = 5

func (st *state) selection(q *query) (any, error) {
	from, to, _ := q.window(st.pic.end)
	if q.err != nil {
		return nil, q.err
	}
	out := &selectJSON{From: from, To: to, Ranks: []selectRank{}}
	kernels, calls := map[string]*selectEntry{}, map[string]*selectEntry{}
	for _, p := range st.pic.ranks {
		tl := p.rank.TL
		sr := selectRank{Rank: p.rank.Index, Device: len(p.work) > 0}
		of := names{p, kernels, map[timeline.NameID]*selectEntry{}}
		sr.Busy = p.union(from, to, func(i int32, ns int64) {
			sr.Activities++
			of.add(tl.Activities.Name[i], ns)
		})
		out.Ranks = append(out.Ranks, sr)
		of = names{p, calls, map[timeline.NameID]*selectEntry{}}
		for _, id := range tl.HostTracks() {
			p.sweep(id, from, to, &callVisitor{tl: tl, of: &of})
		}
	}
	out.Kernels, out.Calls = top(kernels), top(calls)
	return out, nil
}

// names sums up by the name's text, asking for it once for each id.
type names struct {
	p    *rankPicture
	all  map[string]*selectEntry
	byID map[timeline.NameID]*selectEntry
}

func (n *names) add(id timeline.NameID, ns int64) *selectEntry {
	e := n.byID[id]
	if e == nil {
		text := n.p.name(id, listName)
		if e = n.all[text]; e == nil {
			e = &selectEntry{Name: text}
			n.all[text] = e
		}
		n.byID[id] = e
	}
	e.NS += ns
	e.Count++
	return e
}

func top(all map[string]*selectEntry) []selectEntry {
	list := []selectEntry{}
	for _, e := range all {
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b selectEntry) int { return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Name, b.Name)) })
	return list[:min(len(list), maxTop)]
}

// callVisitor sums up the own time of host ranges that are no profiler's.
type callVisitor struct {
	tl *timeline.Timeline
	of *names
}

func (v *callVisitor) Enter(timeline.RangeID, uint32) uint32 { return 0 }

func (v *callVisitor) Spend(r timeline.RangeID, _ uint32, from, to int64) {
	if v.tl.Ranges.Class[r] == event.Overhead {
		return
	}
	v.of.add(v.tl.Ranges.Name[r], to-from)
}
