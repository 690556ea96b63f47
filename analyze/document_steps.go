package analyze

import (
	"cmp"
	"slices"
)

// Skew compares the ranks step by step; in traces without steps request by request, an
// iteration of a training loop, say. Rows come in the order of the run.
type Skew struct {
	Unit string `json:"unit"` // "step", "request"
	// Slowest is the rank whose steps take the longest, by its median against the
	// median rank's.
	Slowest       int       `json:"slowest"`
	LongerPercent float64   `json:"longer_percent"`
	Rows          []SkewRow `json:"rows"`
}

// SkewRow is one step, or request, of all ranks that have it, ns.
type SkewRow struct {
	Recording   int    `json:"recording,omitempty"` // of ranks with several
	Request     int    `json:"request"`
	Loop        *int   `json:"loop,omitempty"`
	Index       *int   `json:"index,omitempty"` // of a step
	Name        string `json:"name,omitempty"`  // of a request
	Ranks       int    `json:"ranks"`
	Median      int64  `json:"median_ns"`
	Min         int64  `json:"min_ns"`
	Max         int64  `json:"max_ns"`
	Fastest     int    `json:"fastest"`                   // rank
	Slowest     int    `json:"slowest"`                   // rank
	StartSpread *int64 `json:"start_spread_ns,omitempty"` // from the first rank's start to the last one's, on the common clock
	LastToStart *int   `json:"last_to_start,omitempty"`   // rank
}

// skewKey is what a step is called in every rank.
type skewKey struct {
	recording, request, loop, index int
	name                            string
}

func (k skewKey) compare(o skewKey) int {
	return cmp.Or(cmp.Compare(k.recording, o.recording), cmp.Compare(k.request, o.request), cmp.Compare(k.loop, o.loop),
		cmp.Compare(k.index, o.index), natural(k.name, o.name))
}

// skewed is one rank's part of a row.
type skewed struct {
	rank        int // place in Document.Ranks
	took, start int64
}

// skewRows compares the ranks; nil when no step and no request is in two of them. offset
// and placed tell the start of each rank on the common clock.
func (d *Document) skewRows(offset []int64, placed []bool) *Skew {
	by := map[skewKey][]skewed{}
	unit := "step"
	if !slices.ContainsFunc(d.Ranks, func(r RankSummary) bool { return len(r.Steps) > 0 }) {
		unit = "request"
	}
	recording := map[int]int{}
	for i := range d.Ranks {
		r := &d.Ranks[i]
		n := recording[r.Rank]
		recording[r.Rank]++
		if unit == "step" {
			for k := range r.Steps {
				s := &r.Steps[k]
				key := skewKey{recording: n, request: s.Request, loop: s.Loop, index: s.Index}
				by[key] = append(by[key], skewed{i, s.took(), s.Start})
			}
			continue
		}
		named := distinctNames(r.Requests)
		for _, q := range r.Requests {
			key := skewKey{recording: n, request: q.Index}
			if named { // ProfilerStep#12 is that of every rank, whichever window each recorded
				key.request, key.name = 0, q.Name
			}
			by[key] = append(by[key], skewed{i, q.Duration, q.Start})
		}
	}
	s := &Skew{Unit: unit}
	over := make([][]float64, len(d.Ranks))
	keys := make([]skewKey, 0, len(by))
	for key, list := range by {
		if len(list) > 1 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, skewKey.compare)
	for _, key := range keys {
		s.Rows = append(s.Rows, d.skewRow(unit, key, by[key], offset, placed, over))
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.slowest(d, over)
	return s
}

// distinctNames says that every request has a name of its own.
func distinctNames(list []RequestInfo) bool {
	seen := map[string]bool{}
	for _, q := range list {
		if q.Name == "" || seen[q.Name] {
			return false
		}
		seen[q.Name] = true
	}
	return true
}

func (d *Document) skewRow(unit string, key skewKey, list []skewed, offset []int64, placed []bool, over [][]float64) SkewRow {
	row := SkewRow{Recording: key.recording, Request: key.request, Name: key.name, Ranks: len(list)}
	if unit == "step" {
		row.Loop, row.Index = &key.loop, &key.index
	}
	took := make([]int64, len(list))
	lo, hi := 0, 0
	first, last, seen := -1, -1, 0
	at := func(k int) int64 { return min(max(list[k].start, 0), maxInterval) + offset[list[k].rank] }
	for k, x := range list {
		took[k] = x.took
		if x.took < list[lo].took {
			lo = k
		}
		if x.took > list[hi].took {
			hi = k
		}
		if placed[x.rank] {
			if seen++; first < 0 || at(k) < at(first) {
				first = k
			}
			if last < 0 || at(k) > at(last) {
				last = k
			}
		}
	}
	row.Median, row.Min, row.Max = medianInt(took), list[lo].took, list[hi].took
	row.Fastest, row.Slowest = d.Ranks[list[lo].rank].Rank, d.Ranks[list[hi].rank].Rank
	if seen > 1 {
		row.StartSpread, row.LastToStart = new(at(last)-at(first)), &d.Ranks[list[last].rank].Rank
	}
	if row.Median > 0 {
		for _, x := range list {
			over[x.rank] = append(over[x.rank], float64(x.took)/float64(row.Median))
		}
	}
	return row
}

// slowest names the rank whose steps are the longest, in medians of all ranks.
func (s *Skew) slowest(d *Document, over [][]float64) {
	most := 0.0
	for i, list := range over {
		if len(list) == 0 {
			continue
		}
		slices.Sort(list)
		if m := list[len(list)/2]; m > most {
			most, s.Slowest = m, d.Ranks[i].Rank
		}
	}
	s.LongerPercent = max(0, 100*(most-1))
}
