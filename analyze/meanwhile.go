package analyze

import (
	"cmp"
	"slices"

	"reel/event"
	"reel/timeline"
)

// meanwhile says what the host did while the device waited: for each wait, until
// the launch that ended it, on the thread of that launch.
func (s *scene) meanwhile(gaps []gap) map[string]int64 {
	out := map[string]int64{}
	by := map[timeline.TrackID][]gap{}
	var unknown, device, launching int64
	for _, g := range gaps {
		l := s.tl.Activities.Launch[g.next]
		if l == timeline.NoRange {
			unknown += g.to - g.from
			continue
		}
		from := max(g.from, min(g.to, s.tl.Ranges.Start[l]))
		if s.tl.Ranges.End(l) <= g.from {
			device += g.to - g.from // launched before it fell idle
			continue
		}
		launching += g.to - from
		if from > g.from {
			id := s.tl.RangeTrack(l)
			by[id] = append(by[id], gap{g.from, from, g.next})
		}
	}
	for id, list := range by {
		var did [numDeeds]int64
		slices.SortFunc(list, func(a, b gap) int { return cmp.Compare(a.from, b.from) })
		s.sweep(id, list, func(r timeline.RangeID, ns int64) { did[s.doing(r)] += ns })
		for d, ns := range did {
			if ns > 0 {
				out[deedNames[d]] += ns
			}
		}
	}
	for name, ns := range map[string]int64{"unknown": unknown, "device": device, deedNames[didLaunch]: launching} {
		if ns > 0 {
			out[name] += ns
		}
	}
	return out
}

// deed is what the host does.
type deed uint8

const (
	didNothing deed = iota
	didSync
	didBlock
	didAlloc
	didCompile
	didData
	didLaunch
	didPython
	didRuntime
	didProfiler
	didOps
	didOthers
	numDeeds
)

var deedNames = [numDeeds]string{"nothing recorded", "sync", "blocking copy", "allocation", "compiling, loading", "data loading",
	"launching", "Python", "runtime calls", "the profiler", "operators", "other ranges"}

// doing says what the host does in its innermost range.
func (s *scene) doing(r timeline.RangeID) deed {
	if r == timeline.NoRange {
		return didNothing
	}
	switch s.calls.kind(r) {
	case syncCall:
		return didSync
	case blockingCopy:
		return didBlock
	case allocCall:
		return didAlloc
	case loadCall, compileCall, tuneCall:
		return didCompile
	case dataCall:
		return didData
	case launchCall, graphCall:
		return didLaunch
	}
	switch s.tl.Ranges.Class[r] {
	case event.Python:
		return didPython
	case event.Runtime, event.Driver:
		return didRuntime
	case event.Overhead:
		return didProfiler
	case event.Op:
		return didOps
	}
	return didOthers
}

// sweep tells the innermost range of a track during each part of the waits, which
// are ordered and do not overlap.
func (s *scene) sweep(id timeline.TrackID, waits []gap, tell func(timeline.RangeID, int64)) {
	r, t := &s.tl.Ranges, &s.tl.Tracks[id]
	var open []timeline.RangeID
	k, now := 0, int64(-1<<62)
	spend := func(until int64) { // the time from now to until belongs to the innermost open range
		top := timeline.NoRange
		if n := len(open); n > 0 {
			top = open[n-1]
		}
		for ; k < len(waits) && waits[k].from < until; k++ {
			from, to := max(waits[k].from, now), min(waits[k].to, until)
			if to > from {
				tell(top, to-from)
			}
			if waits[k].to > until {
				break
			}
		}
		now = max(now, until)
	}
	for i := timeline.RangeID(t.Lo); int(i) < t.Hi && k < len(waits); i++ {
		for n := len(open); n > 0 && r.End(open[n-1]) <= r.Start[i]; n = len(open) {
			spend(r.End(open[n-1]))
			open = open[:n-1]
		}
		spend(r.Start[i])
		open = append(open, i)
	}
	for n := len(open); n > 0; n = len(open) {
		spend(r.End(open[n-1]))
		open = open[:n-1]
	}
	spend(1<<63 - 1)
}
