package analyze

import (
	"cmp"
	"errors"
	"slices"

	"reel/timeline"
)

// The bounds of what a rank's collectives may take in a partial summary.
const (
	maxCollectiveSorts = 8   // names, those that come most often
	maxCollectives     = 512 // of each, the first
)

// CollectiveTimes are the collectives of a rank, by name, in the order of their start:
// what ranks are set against each other by. All ranks of a collective leave it at about
// the same instant, and none before the last has come.
type CollectiveTimes struct {
	Sorts []CollectiveSort `json:"sorts"`
}

// CollectiveSort is the collectives of one name. The n-th of a rank is the n-th of every
// other that has as many.
type CollectiveSort struct {
	Name  string  `json:"name"`
	Count int64   `json:"count"`
	Start []int64 `json:"start_ns"` // of the first ones: since the rank's first event, each after that since the one before
	Dur   []int64 `json:"dur_ns"`
}

// collectiveTimes collects those of a timeline; nil without any.
func collectiveTimes(tl *timeline.Timeline, work []int32, comm func(timeline.NameID) bool) *CollectiveTimes {
	a := &tl.Activities
	by := map[timeline.NameID]*CollectiveSort{}
	last := map[timeline.NameID]int64{}
	for _, i := range work {
		id := a.Name[i]
		if !comm(id) {
			continue
		}
		s := by[id]
		if s == nil {
			s = &CollectiveSort{Name: tl.Name(id)}
			by[id], last[id] = s, tl.Origin
		}
		if s.Count++; s.Count <= maxCollectives {
			s.Start, s.Dur = append(s.Start, a.Start[i]-last[id]), append(s.Dur, a.Dur[i])
			last[id] = a.Start[i]
		}
	}
	if len(by) == 0 {
		return nil
	}
	c := &CollectiveTimes{}
	for _, s := range by {
		c.Sorts = append(c.Sorts, *s)
	}
	slices.SortFunc(c.Sorts, func(x, y CollectiveSort) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name))
	})
	c.Sorts = slices.Clip(c.Sorts[:min(len(c.Sorts), maxCollectiveSorts)])
	return c
}

// check says why no rank can have written c.
func (c *CollectiveTimes) check() error {
	if c == nil {
		return nil
	}
	if len(c.Sorts) > maxCollectiveSorts {
		return errors.New("collectives: more sorts than a summary has")
	}
	for _, s := range c.Sorts {
		if len(s.Start) != len(s.Dur) || len(s.Start) > maxCollectives || s.Count < int64(len(s.Start)) {
			return errors.New("collectives: start, duration and count do not go together")
		}
	}
	return nil
}

// interval is from an instant to another, ns.
type interval struct{ start, end int64 }

// maxInterval bounds the times that a foreign summary may claim, so that sums do not
// overflow: 36 years.
const maxInterval = 1 << 60

// intervals are the times of a sort, since the rank's first event.
func (s *CollectiveSort) intervals() []interval {
	out := make([]interval, len(s.Start))
	var at int64
	for i := range s.Start {
		at = min(at+min(max(s.Start[i], 0), maxInterval), maxInterval)
		out[i] = interval{at, at + min(max(s.Dur[i], 0), maxInterval)}
	}
	return out
}
