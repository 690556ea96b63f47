package analyze

import (
	"fmt"

	"reel/timeline"
)

// compileInRun looks for compiling, loading and tuning within steady steps, and for
// a first step that is slower than the others.
func compileInRun(s *scene) answer {
	if s.unit == "run" {
		return unknown(noSteps)
	}
	var sum, host int64
	var n int
	var names, places tally
	s.hot(func(l *lap) {
		host += l.host()
		until := map[timeline.TrackID]int64{}
		s.ranges(l, func(r timeline.RangeID) {
			switch s.calls.kind(r) {
			case compileCall, loadCall, tuneCall:
			default:
				return
			}
			id := s.tl.RangeTrack(r)
			if s.tl.Ranges.Start[r] < until[id] {
				return // within one that counts already
			}
			until[id] = s.tl.Ranges.End(r)
			d := s.tl.Ranges.Dur[r]
			sum, n = sum+d, n+1
			names.add(shortName(s.tl.Name(s.tl.Ranges.Name[r])), d)
			places.add(s.calls.place(r), d)
		})
	})
	var list []Finding
	p := percent(sum, host)
	if n > 0 && p > s.limits.get("compile-in-run") {
		list = append(list, Finding{Severity: SeverityWarn, Cost: &sum, Where: where(s.stage(), places.top()),
			Title:    fmt.Sprintf("compiling and loading take %s of %s", share100(p), s.each()),
			Evidence: s.over(facts{"compile_percent": p, "compile_ns": sum, "events": n, "names": names.list(3)}),
			Remedy:   "Warm up with the shapes that the run uses, mark changing sizes as dynamic, and load modules eagerly (CUDA_MODULE_LOADING=EAGER) where the first use is in the loop."})
	}
	if f := s.slowFirst(); f != nil {
		list = append(list, *f)
	}
	if len(list) > 0 {
		return found(list...)
	}
	return fine("nothing was seen to be compiled or loaded in " + s.all())
}

// slowFirst compares the first steps of loops with the steady ones.
func (s *scene) slowFirst() *Finding {
	var firsts, rest []int64
	var cost int64
	if s.unit != "step" {
		return nil
	}
	s.counted(func(l *lap) {
		if l.span.Index == 0 {
			firsts = append(firsts, l.took())
		} else {
			rest = append(rest, l.took())
		}
	})
	if len(firsts) == 0 || len(rest) == 0 {
		return nil
	}
	first, steady := medianInt(firsts), medianInt(rest)
	if float64(first) <= s.limits.get("first-step")*float64(steady) {
		return nil
	}
	for _, v := range firsts {
		cost += max(0, v-steady)
	}
	step := 0
	return &Finding{Severity: SeverityInfo, Cost: &cost, Where: &Where{Stage: "diffuse", Step: &step, Call: s.lapCall()},
		Title:    fmt.Sprintf("the first step takes %.1f times as long as a steady one", float64(first)/float64(max(1, steady))),
		Evidence: facts{"first_ns": first, "steady_ns": steady, "loops": len(firsts)},
		Remedy:   "Warm up before what is measured, and report steady steps apart from the first one."}
}

// took is the longer of what host and device needed for the lap itself.
func (l *lap) took() int64 {
	if l.span == nil {
		return max(l.host(), l.device())
	}
	return max(l.span.Dur(), l.device())
}
