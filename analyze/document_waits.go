package analyze

import "reel/internal/sketch"

// Waits say who waits for whom in collectives. A rank waits from when it has come until
// the last one has. Times below Clock.Error mean nothing.
type Waits struct {
	Collectives int        `json:"collectives"`         // in which two ranks or more met
	Unmatched   int        `json:"unmatched,omitempty"` // of ranks that have another number of them than the others
	Last        *int       `json:"last,omitempty"`      // the rank that the others wait for the longest
	Ranks       []RankWait `json:"ranks"`
}

// RankWait is a rank's part, ns.
type RankWait struct {
	Rank        int      `json:"rank"`
	Collectives int      `json:"collectives"`
	Waited      int64    `json:"waited_ns"`                 // for others
	For         *int     `json:"waited_for,omitempty"`      // the rank that it waited for the longest
	ForTime     int64    `json:"waited_for_ns"`             // for that one
	HeldUp      int64    `json:"held_up_ns"`                // what others waited for it, together
	CameLast    int      `json:"came_last"`                 // so many times
	Exposed     int64    `json:"exposed_ns,omitempty"`      // see GPU.ExposedComm
	Communicate int64    `json:"comm_ns,omitempty"`         // see GPU.Comm
	Overlap     *float64 `json:"overlap_percent,omitempty"` // see GPU.CommOverlapPercent
}

// waits adds up who waited for whom.
func (d *Document) waits(list []meeting, shift []int64, unmatched int) *Waits {
	w := &Waits{Collectives: len(list), Unmatched: unmatched, Ranks: []RankWait{}}
	all := make([]RankWait, len(d.Ranks))
	waitedFor := make([]map[int]int64, len(d.Ranks))
	for i := range list {
		m := &list[i]
		last := 0
		start := func(k int) int64 { return m.at[k].start + shift[m.ranks[k]] }
		for k := range m.at {
			if start(k) > start(last) {
				last = k
			}
		}
		who := m.ranks[last]
		all[who].CameLast++
		for k, rank := range m.ranks {
			all[rank].Collectives++
			wait := min(start(last), m.at[k].end+shift[rank]) - start(k)
			if wait <= 0 || rank == who {
				continue
			}
			all[rank].Waited = sketch.Plus(all[rank].Waited, wait)
			all[who].HeldUp = sketch.Plus(all[who].HeldUp, wait)
			if waitedFor[rank] == nil {
				waitedFor[rank] = map[int]int64{}
			}
			waitedFor[rank][who] = sketch.Plus(waitedFor[rank][who], wait)
		}
	}
	most := int64(0)
	for i := range all {
		r := &all[i]
		if r.Collectives == 0 {
			continue
		}
		r.Rank = d.Ranks[i].Rank
		best := -1
		for who, t := range waitedFor[i] {
			if best < 0 || t > waitedFor[i][best] || t == waitedFor[i][best] && who < best {
				best = who
			}
		}
		if best >= 0 {
			r.For, r.ForTime = &d.Ranks[best].Rank, waitedFor[i][best]
		}
		if g := d.Ranks[i].GPU; g != nil {
			r.Communicate, r.Exposed, r.Overlap = g.Comm, g.ExposedComm, g.CommOverlapPercent
		}
		if r.HeldUp > most {
			most, w.Last = r.HeldUp, &d.Ranks[i].Rank
		}
		w.Ranks = append(w.Ranks, *r)
	}
	return w
}
