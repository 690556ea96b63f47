package nsysstats

import (
	"sort"

	"reel/timeline"
)

// launches are the calls of one thread that launched something, by start, with
// what they launched summed up over stretches of them: node k of the tree holds
// nodes 2k and 2k+1, and the calls themselves are its leaves.
type launches struct {
	start, end  []int64
	first, last []int64 // of activities, by node
	ops         []int32
}

// launchesOf gathers the launches of a thread, before anything was added to the
// ranges around them.
func (p *projection) launchesOf(track timeline.TrackID) *launches {
	tl := p.in.tl
	t := &tl.Tracks[track]
	l := &launches{}
	var rows []timeline.RangeID
	for i := t.Lo; i < t.Hi; i++ {
		if r := timeline.RangeID(i); p.ops[r] > 0 {
			rows = append(rows, r)
			l.start, l.end = append(l.start, tl.Ranges.Start[r]), append(l.end, tl.Ranges.End(r))
		}
	}
	n := len(rows)
	l.first, l.last, l.ops = make([]int64, 2*n), make([]int64, 2*n), make([]int32, 2*n)
	for i, r := range rows {
		l.first[n+i], l.last[n+i], l.ops[n+i] = p.first[r], p.last[r], p.ops[r]
	}
	for k := n - 1; k > 0; k-- {
		l.first[k], l.last[k] = min(l.first[2*k], l.first[2*k+1]), max(l.last[2*k], l.last[2*k+1])
		l.ops[k] = l.ops[2*k] + l.ops[2*k+1]
	}
	return l
}

// within sums up the launches that lie between two times.
func (l *launches) within(start, end int64) (from, to int64, ops int32) {
	n := len(l.start)
	lo := sort.Search(n, func(i int) bool { return l.start[i] >= start })
	hi := sort.Search(n, func(i int) bool { return l.start[i] > end })
	for hi > lo && l.end[hi-1] > end { // calls of a thread do not overlap: one at most
		hi--
	}
	add := func(k int) {
		if ops == 0 {
			from, to = l.first[k], l.last[k]
		}
		from, to, ops = min(from, l.first[k]), max(to, l.last[k]), ops+l.ops[k]
	}
	for lo, hi = lo+n, hi+n; lo < hi; lo, hi = lo/2, hi/2 {
		if lo%2 == 1 {
			add(lo)
			lo++
		}
		if hi%2 == 1 {
			hi--
			add(hi)
		}
	}
	return from, to, ops
}
