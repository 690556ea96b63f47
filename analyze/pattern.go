package analyze

import (
	"slices"

	"reel/event"
	"reel/timeline"
)

// What repetition must look like to be taken for a denoise loop: a step of some
// size, three times in a row at least, made of repeated parts itself (layers).
// The layers of a single forward repeat too, but have no repeated parts.
const (
	minRepeats   = 3
	minPeriod    = 20
	maxPeriods   = 24   // candidate periods that are tried
	innerCovers  = 0.4  // share of a step that its repeated parts cover
	mismatchCost = 12   // equal neighbours that outweigh one that differs
	sameCover    = 0.97 // of the best cover: the shortest period of these counts
)

// repetition finds steps in the sequence of device work, or without a device in
// that of outermost operators. It is the last resort, for traces without names:
// a trace with call stacks in which no denoiser was called has none.
func repetition(tl *timeline.Timeline, d *Derived) {
	if tl.Info.Stacks {
		return
	}
	work := workByStart(tl)
	if s := graphSteps(tl, work); len(s) > 0 {
		d.setSteps(tl, work, s)
		return
	}
	var seq []uint32
	for _, i := range work {
		seq = append(seq, tl.Activities.Name[i])
	}
	if len(work) > 0 {
		d.setSteps(tl, work, periods(seq))
		return
	}
	ops := outermostOps(tl)
	for _, r := range ops {
		seq = append(seq, tl.Ranges.Name[r])
	}
	for _, p := range periods(seq) {
		first, last := ops[p.lo], ops[p.hi-1]
		d.Steps = append(d.Steps, Span{Range: first, Track: tl.RangeTrack(first), Start: tl.Ranges.Start[first],
			End: tl.Ranges.End(last), Name: "repetition", Evidence: ByPattern})
	}
}

// stretch is a part [lo, hi) of a sequence.
type stretch struct{ lo, hi int }

// setSteps makes steps of stretches of device work. The host's share of a step
// reaches from its first launch to its last.
func (d *Derived) setSteps(tl *timeline.Timeline, work []int32, steps []stretch) {
	if len(steps) == 0 {
		return
	}
	a := &tl.Activities
	d.stepOf = make([]int32, a.Len())
	for k, st := range steps {
		s := Span{Range: timeline.NoRange, Track: timeline.NoTrack, Name: "repetition", Evidence: ByPattern,
			Start: a.Start[work[st.lo]], End: a.End(int(work[st.hi-1]))}
		for _, i := range work[st.lo:st.hi] {
			d.stepOf[i] = int32(k + 1)
			l := a.Launch[i]
			if l == timeline.NoRange {
				continue
			}
			if s.Range == timeline.NoRange {
				s.Range, s.Track, s.Start, s.End = l, tl.RangeTrack(l), tl.Ranges.Start[l], tl.Ranges.End(l)
			}
			s.Start, s.End = min(s.Start, tl.Ranges.Start[l]), max(s.End, tl.Ranges.End(l))
		}
		d.Steps = append(d.Steps, s)
	}
}

// outermostOps returns the operators of the busiest thread that lie in no other.
func outermostOps(tl *timeline.Timeline) (ops []timeline.RangeID) {
	for _, tr := range tl.HostTracks() {
		var list []timeline.RangeID
		for i := tl.Tracks[tr].Lo; i < tl.Tracks[tr].Hi; i++ {
			r := timeline.RangeID(i)
			if p := tl.Ranges.Parent[r]; tl.Ranges.Class[r] == event.Op && (p == timeline.NoRange || tl.Ranges.Class[p] != event.Op) {
				list = append(list, r)
			}
		}
		if len(list) > len(ops) {
			ops = list
		}
	}
	return ops
}

// graphSteps finds equal replays of one graph: launches that caused many
// activities each. The replays that took most device time together count.
func graphSteps(tl *timeline.Timeline, work []int32) []stretch {
	type replay struct {
		stretch
		sum uint64 // of the names, in any order
		dur int64
	}
	var list []replay
	for i := 0; i < len(work); {
		l := tl.Activities.Launch[work[i]]
		r := replay{stretch: stretch{lo: i}}
		for ; i < len(work) && tl.Activities.Launch[work[i]] == l; i++ {
			r.sum += uint64(tl.Activities.Name[work[i]]+1) * 0x9E3779B97F4A7C15
			r.dur += tl.Activities.Dur[work[i]]
		}
		if r.hi = i; l != timeline.NoRange && r.hi-r.lo >= minPeriod {
			list = append(list, r)
		}
	}
	total, best := map[uint64]int64{}, uint64(0)
	count := map[uint64]int{}
	for _, r := range list {
		total[r.sum] += r.dur
		if count[r.sum]++; count[r.sum] >= minRepeats && (best == 0 || total[r.sum] > total[best]) {
			best = r.sum
		}
	}
	var out []stretch
	for _, r := range list {
		if r.sum == best && best != 0 {
			out = append(out, r.stretch)
		}
	}
	return out
}

// periods finds the loop that covers most of a sequence of names and returns
// its rounds.
func periods(seq []uint32) []stretch {
	p, region := bestPeriod(seq, minPeriod, minRepeats)
	if p == 0 {
		return nil
	}
	inner, part := bestPeriod(seq[region.lo:region.lo+p], 2, minRepeats)
	if inner == 0 || float64(part.hi-part.lo) < innerCovers*float64(p) {
		return nil
	}
	var out []stretch
	for lo := region.lo; lo+p <= region.hi; lo += p {
		out = append(out, stretch{lo, lo + p})
	}
	return out
}

// bestPeriod returns the period whose longest stretch covers most of seq.
func bestPeriod(seq []uint32, least, repeats int) (int, stretch) {
	best, region := 0, stretch{}
	candidates := candidatePeriods(seq, least)
	slices.Sort(candidates)
	for _, p := range candidates {
		r := repeating(seq, p)
		if n := r.hi - r.lo; n >= p*repeats && float64(n)*sameCover > float64(region.hi-region.lo) {
			best, region = p, r
		}
	}
	return best, region
}

// candidatePeriods returns distances at which names recur evenly, those of most
// names first.
func candidatePeriods(seq []uint32, least int) []int {
	last, gap, hits, count := map[uint32]int{}, map[uint32]int{}, map[uint32]int{}, map[uint32]int{}
	votes := map[int]int{}
	for i, name := range seq {
		if at, ok := last[name]; ok {
			if g := i - at; g == gap[name] {
				hits[name]++
			} else if hits[name] <= count[name]/2 {
				gap[name], hits[name] = g, 1
			}
			count[name]++
		}
		last[name] = i
	}
	for name, g := range gap {
		if g >= least && hits[name]*2 >= count[name] {
			votes[g]++
		}
	}
	var out []int
	for g := range votes {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b int) int {
		if votes[a] != votes[b] {
			return votes[b] - votes[a]
		}
		return a - b
	})
	return out[:min(len(out), maxPeriods)]
}

// repeating returns the stretch of seq that repeats with period p best: where
// equal neighbours at distance p outweigh the others most.
func repeating(seq []uint32, p int) stretch {
	var best, run int
	var at, lo, hi int
	for i := 0; i+p < len(seq); i++ {
		if seq[i] == seq[i+p] {
			run++
		} else {
			run -= mismatchCost
		}
		if run <= 0 {
			run, at = 0, i+1
		} else if run > best {
			best, lo, hi = run, at, i+1+p
		}
	}
	return stretch{lo, hi}
}
