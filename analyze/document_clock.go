package analyze

import (
	"maps"
	"slices"
)

// meeting is a collective that several ranks took part in: their times on the common
// clock, by their place in Document.Ranks.
type meeting struct {
	ranks []int
	at    []interval
}

// meetings matches the collectives of the ranks that have a place on the clock: the n-th
// of a name with the n-th. Ranks that do not have as many of a name as most others are
// left out of it, and counted.
func meetings(ranks []*CollectiveTimes, offset []int64, placed []bool) (list []meeting, unmatched int) {
	type has struct {
		rank int
		sort *CollectiveSort
	}
	by := map[string][]has{}
	for i, c := range ranks {
		if c != nil && placed[i] {
			for k := range c.Sorts {
				by[c.Sorts[k].Name] = append(by[c.Sorts[k].Name], has{i, &c.Sorts[k]})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		counts := map[int64]int{}
		usual := int64(0)
		for _, h := range by[name] {
			n := h.sort.Count
			if counts[n]++; counts[n] > counts[usual] || counts[n] == counts[usual] && n > usual {
				usual = n
			}
		}
		first := len(list)
		for _, h := range by[name] {
			if h.sort.Count != usual || counts[usual] < 2 {
				unmatched += int(min(h.sort.Count, 1<<30))
				continue
			}
			for k, x := range h.sort.intervals() {
				if first+k == len(list) {
					list = append(list, meeting{})
				}
				m := &list[first+k]
				m.ranks = append(m.ranks, h.rank)
				m.at = append(m.at, interval{x.start + offset[h.rank], x.end + offset[h.rank]})
			}
		}
	}
	return slices.DeleteFunc(list, func(m meeting) bool { return len(m.ranks) < 2 }), unmatched
}

// fewMeetings is the number of collectives that a clock is not refined below.
const fewMeetings = 3

// traceTick is what times of traces are often rounded to, ns: less is no correction.
const traceTick = 1000

// refinement is how far each rank's clock is off, by the ends of its collectives.
type refinement struct {
	shift []int64 // to be added, 0 where that says nothing
	left  []int64 // what remains: the median distance of ends from the others', ns
	n     []int   // collectives that it rests on
}

// refine sets the clocks by the ends of collectives: a rank whose ends lie behind those
// of the others by more than twice what they scatter has a clock that is ahead by as
// much.
func refine(list []meeting, ranks int) refinement {
	r := refinement{make([]int64, ranks), make([]int64, ranks), make([]int, ranks)}
	for pass := range 2 { // the second with the ends as the first has moved them
		off := make([][]int64, ranks)
		for i := range list {
			m := &list[i]
			ends := make([]int64, len(m.at))
			for k, x := range m.at {
				ends[k] = x.end + r.shift[m.ranks[k]]
			}
			middle := medianInt(ends)
			for k, rank := range m.ranks {
				off[rank] = append(off[rank], ends[k]-middle)
			}
		}
		for i, list := range off {
			if r.n[i] = len(list); len(list) < fewMeetings {
				continue
			}
			behind := medianInt(list)
			for k := range list {
				list[k] = magnitude(list[k] - behind)
			}
			r.left[i] = medianInt(list)
			if magnitude(behind) > max(2*r.left[i], traceTick) {
				r.shift[i] -= behind
			} else if pass == 1 {
				r.left[i] = max(r.left[i], magnitude(behind))
			}
		}
	}
	return r
}

// ClockCorrections is what the ends of collectives say of clocks that are set by the times
// in files: what to add to each rank's times, and to what the clocks then agree, the
// largest of the ranks' median distances. starts are the ranks' first events on one line
// of time, known says of which that holds. ok is false when too few collectives tell.
func ClockCorrections(ranks []Rank, starts []int64, known []bool) (add []int64, agree int64, ok bool) {
	add = make([]int64, len(ranks))
	roles, err := LoadRoles()
	if err != nil || len(ranks) < 2 {
		return add, 0, false
	}
	first, any := int64(0), false
	for i, at := range starts {
		if known[i] && (!any || at < first) {
			first, any = at, true
		}
	}
	met, offset, placed := make([]*CollectiveTimes, len(ranks)), make([]int64, len(ranks)), make([]bool, len(ranks))
	for i, r := range ranks {
		if offset[i] = starts[i] - first; !known[i] || offset[i] < 0 || offset[i] > maxInterval {
			continue
		}
		placed[i] = true
		met[i] = collectiveTimes(r.TL, workByStart(r.TL), roles.collectives(r.TL))
	}
	list, _ := meetings(met, offset, placed)
	r := refine(list, len(ranks))
	for i, n := range r.n {
		if n >= fewMeetings {
			add[i], agree, ok = r.shift[i], max(agree, r.left[i]), true
		}
	}
	return add, agree, ok
}

// compare sets the ranks against each other: their clocks, their steps, and who waits
// for whom.
func (d *Document) compare(ranks []numbered) {
	offset, placed := make([]int64, len(ranks)), make([]bool, len(ranks))
	var of []int // of Clock.Offsets: the rank's place
	for i := range d.Ranks {
		if u := d.Ranks[i].StartUnix; u != nil && d.Clock != nil {
			offset[i] = *u - d.Clock.Start
			placed[i] = offset[i] >= 0 && offset[i] <= maxInterval
			of = append(of, i)
		}
	}
	met := make([]*CollectiveTimes, len(ranks))
	for i, n := range ranks {
		met[i] = n.record.Collectives
	}
	list, unmatched := meetings(met, offset, placed)
	r := refine(list, len(ranks))
	for k, i := range of {
		if r.n[i] < fewMeetings {
			continue
		}
		d.Clock.Offsets[k].Correction, d.Clock.Offsets[k].Error = &r.shift[i], &r.left[i]
		if d.Clock.Error == nil || *d.Clock.Error < r.left[i] {
			d.Clock.Error = &r.left[i]
		}
		offset[i] += r.shift[i]
	}
	d.Skew = d.skewRows(offset, placed)
	if len(list) > 0 {
		d.Waits = d.waits(list, r.shift, unmatched)
	}
}
