package query

import (
	"cmp"
	"slices"

	"reel/analyze"
	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// entity is what an id stands for. Ids count from 1 through all ranks, so that
// they join without the rank.
type entity int

const (
	ranges entity = iota
	activities
	marks
	steps
	stages
	requests
	tracks
	names
	entities
)

// part is one rank's share of the tables.
type part struct {
	*analyze.Rank
	shift int64 // added to its times, they count from the run's first event
	first [entities]int64
	count [entities]int

	spans    *walk.Parts
	spanRow  map[*analyze.Span]spanRow
	indexes  map[string]*index
	nameID   map[string]timeline.NameID
	launches []int32 // ranges that are calls into the runtime or driver
	children []int32 // of each of these: how many activities it launched
	where    []spanRow
	gaps     []gap
	sorted   [2][]int32 // marks, and counters

	madeLaunches, madeGaps, madeSorted bool
}

// spanRow is a step or a stage, by its place in its list; -1 is none.
type spanRow struct{ step, stage int32 }

var nowhere = spanRow{-1, -1}

func newParts(ranks []analyze.Rank) []*part {
	clock := walk.NewClock(ranks)
	var next [entities]int64
	for i := range next {
		next[i] = 1
	}
	parts := make([]*part, len(ranks))
	for i := range ranks {
		r := &ranks[i]
		p := &part{Rank: r, shift: clock.Offset[i] - clock.Start, first: next, indexes: map[string]*index{}, spanRow: map[*analyze.Span]spanRow{},
			spans: walk.NewParts(r.TL, r.Derived)}
		p.count = [entities]int{ranges: r.TL.Ranges.Len(), activities: r.TL.Activities.Len(), marks: len(r.TL.Marks.At),
			tracks: len(r.TL.Tracks), names: r.TL.Names()}
		if d := r.Derived; d != nil {
			p.count[steps], p.count[stages], p.count[requests] = len(d.Steps), len(d.Stages), len(d.Requests)
			for k := range d.Steps {
				p.spanRow[&d.Steps[k]] = spanRow{int32(k), -1}
			}
			for k := range d.Stages {
				p.spanRow[&d.Stages[k]] = spanRow{-1, int32(k)}
			}
		}
		for k := range next {
			next[k] += int64(p.count[k])
		}
		parts[i] = p
	}
	return parts
}

// rangeWhere is the step or stage in which a range began.
func (p *part) rangeWhere(r timeline.RangeID) spanRow {
	return p.row(p.spans.At(p.TL.RangeTrack(r), p.TL.Ranges.Start[r]))
}

func (p *part) row(x walk.Part) spanRow {
	if s := p.spans.Span(x); s != nil {
		return p.spanRow[s]
	}
	return nowhere
}

// activityWhere is the step or stage that launched an activity.
func (p *part) activityWhere(i int) spanRow {
	if p.where == nil && p.count[activities] > 0 {
		p.where = make([]spanRow, p.count[activities])
		for k := range p.where {
			p.where[k] = p.row(p.spans.OfActivity(k))
			if p.Derived == nil {
				continue
			}
			if step, ok := p.Derived.StepOf(k); ok {
				p.where[k] = spanRow{int32(step), -1}
			}
		}
	}
	return p.where[i]
}

// calls lists the calls into the runtime and the driver.
func (p *part) calls() []int32 {
	if !p.madeLaunches {
		p.madeLaunches = true
		for i, c := range p.TL.Ranges.Class {
			if c == event.Runtime || c == event.Driver {
				p.launches = append(p.launches, int32(i))
			}
		}
	}
	return p.launches
}

// launched is how many activities a call launched.
func (p *part) launched(k int) int64 {
	if p.children == nil {
		p.children = make([]int32, len(p.calls()))
		for _, l := range p.TL.Activities.Launch {
			if at, ok := slices.BinarySearch(p.launches, int32(l)); ok {
				p.children[at]++
			}
		}
	}
	return int64(p.children[k])
}

// samples lists the marks, or the counters' samples.
func (p *part) samples(counters bool) []int32 {
	if !p.madeSorted {
		p.madeSorted = true
		for i, c := range p.TL.Marks.Class {
			k := 0
			if c == event.NoClass {
				k = 1
			}
			p.sorted[k] = append(p.sorted[k], int32(i))
		}
	}
	if counters {
		return p.sorted[1]
	}
	return p.sorted[0]
}

// gap is a stretch in which no stream of a device had work.
type gap struct {
	device        int64
	start, end    int64
	before, after int32 // activities
}

// idle lists the gaps between the first and the last work of each device.
func (p *part) idle() []gap {
	if p.madeGaps {
		return p.gaps
	}
	p.madeGaps = true
	a := &p.TL.Activities
	byDevice := map[int64][]int32{}
	var devices []int64
	for _, id := range p.TL.DeviceTracks() {
		t := &p.TL.Tracks[id]
		if _, ok := byDevice[t.A]; !ok {
			devices = append(devices, t.A)
		}
		for i := t.Lo; i < t.Hi; i++ {
			if a.Class[i].IsWork() {
				byDevice[t.A] = append(byDevice[t.A], int32(i))
			}
		}
	}
	slices.Sort(devices)
	for _, d := range slices.Compact(devices) {
		list := byDevice[d]
		slices.SortFunc(list, func(x, y int32) int { return cmp.Or(cmp.Compare(a.Start[x], a.Start[y]), cmp.Compare(x, y)) })
		for k, last := 1, 0; k < len(list); k++ {
			if end := a.End(int(list[last])); a.Start[list[k]] > end {
				p.gaps = append(p.gaps, gap{d, end, a.Start[list[k]], list[last], list[k]})
			}
			if a.End(int(list[k])) > a.End(int(list[last])) {
				last = k
			}
		}
	}
	return p.gaps
}
