package walk

import (
	"cmp"
	"slices"

	"reel/timeline"
)

// Cause returns the range behind an activity: the call that launched it or,
// when the trace does not hold it, the operator it belongs to; else
// timeline.NoRange.
func Cause(tl *timeline.Timeline, activity int) timeline.RangeID {
	if l := tl.Activities.Launch[activity]; l != timeline.NoRange {
		return l
	}
	return tl.Activities.Owner[activity]
}

// Causes lists the activities that are work by their cause.
type Causes struct {
	tl    *timeline.Timeline
	order []int32 // by cause, then position
}

// NewCauses sorts a timeline's activities. It takes four bytes for each.
func NewCauses(tl *timeline.Timeline) *Causes {
	c := &Causes{tl: tl}
	for i, class := range tl.Activities.Class {
		if class.IsWork() {
			c.order = append(c.order, int32(i))
		}
	}
	slices.SortFunc(c.order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(Cause(tl, int(x)), Cause(tl, int(y))), cmp.Compare(x, y))
	})
	return c
}

// Of returns the activities that range r caused, those of timeline.NoRange
// being the unattributed ones. It is asked for ascending ranges.
func (c *Causes) Of(r timeline.RangeID) []int32 {
	for len(c.order) > 0 && Cause(c.tl, int(c.order[0])) < r {
		c.order = c.order[1:]
	}
	n := 0
	for n < len(c.order) && Cause(c.tl, int(c.order[n])) == r {
		n++
	}
	list := c.order[:n]
	c.order = c.order[n:]
	return list
}
