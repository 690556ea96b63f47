package chrome

import (
	"fmt"

	"reel/analyze"
	"reel/internal/walk"
)

// clock places several ranks on one line of time.
type clock struct {
	base  int64   // Unix time of the line's 0, ns; 0 with based false
	based bool    // the line has a base
	shift []int64 // what to add to each rank's times, ns
	notes []string
}

// newClock aligns the ranks by their absolute times, corrected by the ends of their
// collectives. A rank without any begins with the first of the others.
func newClock(ranks []analyze.Rank) clock {
	c := clock{shift: make([]int64, len(ranks))}
	if len(ranks) == 1 {
		if base := ranks[0].TL.Info.Base; base != nil {
			c.base, c.based = *base, true
		}
		return c
	}
	bases, known := make([]int64, len(ranks)), make([]bool, len(ranks))
	first, any := int64(0), false
	for i, r := range ranks {
		bases[i], known[i] = walk.UnixBase(r.TL)
		if known[i] && bases[i] != 0 && (!c.based || bases[i] < c.base) {
			c.base, c.based = bases[i], true
		}
		if at := bases[i] + r.TL.Origin; known[i] && (!any || at < first) {
			first, any = at, true
		}
	}
	if !any {
		first = ranks[0].TL.Origin
	}
	corrections := walk.Corrections(ranks, bases, known)
	for i, r := range ranks {
		switch {
		case known[i]:
			c.shift[i] = bases[i] - c.base + corrections[i]
		default:
			c.shift[i] = first - c.base - r.TL.Origin
			c.notes = append(c.notes, fmt.Sprintf("%s has no absolute time; it is set to begin with the first rank", name(r)))
		}
	}
	return c
}

func name(r analyze.Rank) string {
	if r.Path != "" {
		return r.Path
	}
	return fmt.Sprintf("rank %d", r.Index)
}
