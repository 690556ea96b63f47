package webui

import (
	"cmp"
	"slices"
	"strings"

	"reel/internal/walk"
	"reel/timeline"
)

// hitJSON is a name that was searched for, with all that carry it.
type hitJSON struct {
	Name  string `json:"name"`
	Key   uint32 `json:"key"`
	Rank  int    `json:"rank"` // position in the list
	Kind  string `json:"kind"` // host, device
	Count int    `json:"count"`
	Sum   int64  `json:"sum_ns"`
	Max   int64  `json:"max_ns"`
	Ref   string `json:"ref"` // the longest
}

// maxHits bounds the names that a search returns.
const maxHits = 100

type searchJSON struct {
	Hits  []hitJSON `json:"hits"`
	Names int       `json:"names"` // that match
	Count int       `json:"count"` // things that carry them
}

// search finds names that hold a text, whatever the case. As in the names that short
// cuts, "…" in the text stands for anything.
func (st *state) search(q *query) (any, error) {
	text := strings.ToLower(q.v.Get("q"))
	out := searchJSON{Hits: []hitJSON{}}
	if text == "" {
		return out, nil
	}
	for i, p := range st.pic.ranks {
		tl := p.rank.TL
		match := matching(tl, text)
		for _, kind := range []byte{'h', 'd'} {
			c, names := p.columns(kind), tl.Ranges.Name
			word := "host"
			if kind == 'd' {
				names, word = tl.Activities.Name, "device"
			}
			at := map[timeline.NameID]int{}
			for id, n := range names {
				if !match[n] {
					continue
				}
				k, ok := at[n]
				if !ok {
					k = len(out.Hits)
					at[n] = k
					out.Hits = append(out.Hits, hitJSON{Key: n, Rank: i, Kind: word, Max: -1})
				}
				h := &out.Hits[k]
				h.Count++
				out.Count++
				h.Sum += c.Dur[id]
				if c.Dur[id] > h.Max {
					h.Max, h.Ref = c.Dur[id], ref{i, kind, id}.String()
				}
			}
		}
	}
	out.Names = len(out.Hits)
	slices.SortStableFunc(out.Hits, func(a, b hitJSON) int { return cmp.Compare(b.Sum, a.Sum) })
	out.Hits = out.Hits[:min(len(out.Hits), maxHits)]
	for i := range out.Hits {
		out.Hits[i].Name = st.pic.ranks[out.Hits[i].Rank].name(out.Hits[i].Key, listName)
	}
	return out, nil
}

func matching(tl *timeline.Timeline, text string) []bool {
	match, parts := make([]bool, tl.Names()), strings.Split(text, "…")
	for id := range match {
		match[id] = holds(strings.ToLower(walk.Text(tl.Name(timeline.NameID(id)))), parts)
	}
	return match
}

// holds reports whether the parts stand in the name, one behind the other.
func holds(name string, parts []string) bool {
	for _, part := range parts {
		_, rest, ok := strings.Cut(name, part)
		if !ok {
			return false
		}
		name = rest
	}
	return true
}

// find finds the next thing, or the one before, whose name holds a text.
func (st *state) find(q *query) (any, error) {
	text, t := strings.ToLower(q.v.Get("q")), q.int("t", 0, -1<<60, 1<<60)
	back := q.word("dir", "next", "prev") == "prev"
	if text == "" || q.err != nil {
		return struct{}{}, q.err
	}
	var best *linkJSON
	for i, p := range st.pic.ranks {
		match := matching(p.rank.TL, text)
		for _, kind := range []byte{'h', 'd'} {
			c, names := p.columns(kind), p.rank.TL.Ranges.Name
			if kind == 'd' {
				names = p.rank.TL.Activities.Name
			}
			for id, n := range names {
				at := c.Start[id] - c.Base
				if !match[n] || !back && at <= t || back && at >= t || best != nil && (!back && at >= best.Start || back && at <= best.Start) {
					continue
				}
				l := linkJSON{Ref: ref{i, kind, id}.String(), Start: at}
				best = &l
			}
		}
	}
	if best == nil {
		return struct{}{}, nil
	}
	return best, nil
}
