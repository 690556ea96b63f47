package nsysstats

import (
	"math"

	"reel/internal/walk"
	"reel/timeline"
)

// projection says, for every host range of a timeline, which activities were
// launched within it, and where it stands among the named ranges of its thread.
type projection struct {
	in    *input
	first []int64 // start of the first activity, ns; by range
	last  []int64 // end of the last
	ops   []int32
	level []int32
	kids  []int32
	above []timeline.RangeID // the range itself if it is named, else the named range around it
}

// project projects all ranges of a timeline. Counts and times go up from a launch
// to the ranges around it, so that it takes one step for each range.
func (in *input) project(n *noted) *projection {
	size := in.tl.Ranges.Len()
	p := &projection{in: in, first: make([]int64, size), last: make([]int64, size), ops: make([]int32, size),
		level: make([]int32, size), kids: make([]int32, size), above: make([]timeline.RangeID, size)}
	n.unlaunched(in)
	a := &in.tl.Activities
	for i, c := range a.Class {
		if !c.IsWork() {
			continue
		}
		if r := walk.Cause(in.tl, i); r != timeline.NoRange {
			p.add(r, a.Start[i], a.End(i), 1)
		}
	}
	free := p.free(n) // before anything goes up; of one range nothing goes up to another
	parent := in.parent
	for i := size - 1; i >= 0; i-- { // parents stand before children
		if up := parent[i]; up != timeline.NoRange && p.ops[i] > 0 {
			p.add(up, p.first[i], p.last[i], p.ops[i])
		}
	}
	for _, f := range free {
		p.add(f.r, f.from, f.to, f.ops)
	}
	p.nest()
	return p
}

func (p *projection) add(r timeline.RangeID, from, to int64, ops int32) {
	if p.ops[r] == 0 {
		p.first[r], p.last[r] = from, to
	}
	p.first[r], p.last[r] = min(p.first[r], from), max(p.last[r], to)
	p.ops[r] = int32(min(int64(p.ops[r])+int64(ops), math.MaxInt32))
}

// nest finds levels and children.
func (p *projection) nest() {
	in := p.in
	for _, track := range in.tl.HostTracks() {
		t := &in.tl.Tracks[track]
		for i := t.Lo; i < t.Hi; i++ {
			r, up := timeline.RangeID(i), timeline.NoRange
			if parent := in.parent[r]; parent != timeline.NoRange {
				up = p.above[parent]
			}
			if p.above[r] = up; !in.isNamed(r, track) || in.styleOf(r, track) == startEnd {
				continue
			}
			if up != timeline.NoRange {
				p.level[r] = p.level[up] + 1
				p.kids[up]++
			}
			p.above[r] = r
		}
	}
}

// freed is a start/end range with what was launched within it.
type freed struct {
	r        timeline.RangeID
	from, to int64
	ops      int32
}

// free finds what was launched within start/end ranges, each on its own thread.
func (p *projection) free(n *noted) (out []freed) {
	in := p.in
	threads := map[timeline.TrackID]*launches{}
	for _, track := range in.tl.HostTracks() {
		t := &in.tl.Tracks[track]
		for i := t.Lo; i < t.Hi; i++ {
			r := timeline.RangeID(i)
			if !in.isNamed(r, track) || in.styleOf(r, track) != startEnd || in.isOpen(r) {
				continue
			}
			thread, ok := in.thread(r, track)
			if !ok {
				n.elsewhere++
				continue
			}
			l := threads[thread]
			if l == nil {
				l = p.launchesOf(thread)
				threads[thread] = l
			}
			if from, to, ops := l.within(in.tl.Ranges.Start[r], in.tl.Ranges.End(r)); ops > 0 {
				out = append(out, freed{r, from, to, ops})
			}
		}
	}
	return out
}
