package walk

import (
	"reel/analyze"
	"reel/timeline"
)

// Clock places ranks on one line of time.
type Clock struct {
	Offset     []int64 // of each rank: added to its times, it gives common time, ns
	Start, End int64   // of all ranks, common time, ns
	Unix       bool    // common time counts from 1970
}

// NewClock aligns ranks by the absolute times that their sources tell, and corrects that
// by the ends of the collectives in which they met. A rank without such a time begins
// with the earliest of the others; when no rank has one, each keeps its own times. Common
// time is never negative.
func NewClock(ranks []analyze.Rank) Clock {
	c := Clock{Offset: make([]int64, len(ranks))}
	known := make([]bool, len(ranks))
	first := true
	for i, r := range ranks {
		base, ok := UnixBase(r.TL)
		if !ok || empty(r) {
			continue
		}
		known[i], c.Offset[i], c.Unix = true, base, true
		if at := base + r.TL.Origin; first || at < c.Start {
			c.Start = at
		}
		first = false
	}
	for i, shift := range Corrections(ranks, c.Offset, known) {
		c.Offset[i] += shift
	}
	for i, r := range ranks {
		if !known[i] && c.Unix {
			c.Offset[i] = c.Start - r.TL.Origin
		}
	}
	c.bounds(ranks)
	if c.Start < 0 {
		for i := range c.Offset {
			c.Offset[i] -= c.Start
		}
		c.Start, c.End, c.Unix = 0, c.End-c.Start, false
	}
	return c
}

func (c *Clock) bounds(ranks []analyze.Rank) {
	first := true
	for i, r := range ranks {
		if empty(r) {
			continue
		}
		start, end := r.TL.Origin+c.Offset[i], r.TL.End+c.Offset[i]
		if first || start < c.Start {
			c.Start = start
		}
		if first || end > c.End {
			c.End = end
		}
		first = false
	}
}

// Corrections are what to add to the times of ranks that are aligned by offset (of those
// that are known) after the ends of their collectives.
func Corrections(ranks []analyze.Rank, offset []int64, known []bool) []int64 {
	starts := make([]int64, len(ranks))
	for i, r := range ranks {
		starts[i] = offset[i] + r.TL.Origin
	}
	add, _, _ := analyze.ClockCorrections(ranks, starts, known)
	return add
}

func empty(r analyze.Rank) bool { return r.TL.Ranges.Len() == 0 && r.TL.Activities.Len() == 0 }

// UnixBase returns the Unix time of a timeline's time 0, ns. Traces before mid-2024
// carry no base: their times are Unix times themselves. A base that no trace can have
// had counts as none.
func UnixBase(tl *timeline.Timeline) (int64, bool) {
	const year2000, year2200 = 946684800e9, 7258118400e9
	if b := tl.Info.Base; b != nil && *b >= 0 && *b < year2200 {
		return *b, true
	}
	return 0, tl.Origin > year2000 && tl.Origin < year2200
}
