package analyze

import (
	"fmt"
	"slices"
)

// skew looks for ranks whose steps, or without steps requests, take longer than those
// of the median rank, and for one that the others wait for in collectives: where those
// make all steps equally long, waiting is all that shows.
func (d *Document) skew() answer {
	list, told := d.slowRanks()
	waited, answered := d.waitedFor()
	for _, f := range waited {
		if !slices.ContainsFunc(list, func(x Finding) bool { return *x.Where.Rank == *f.Where.Rank }) {
			list = append(list, f)
		}
	}
	switch {
	case len(list) > 0:
		return found(list...)
	case told == "" && !answered:
		return unknown("fewer than two ranks have denoise steps or requests in common, and no collectives")
	case told == "":
		return fine("no rank makes the others wait in collectives")
	}
	return fine("the " + told + " of all ranks take equally long")
}

// lapKey is a step or request that ranks have in common.
type lapKey struct{ recording, request, loop, index int }

// laps are the lengths of a rank's steps, or requests, that are neither of a warm-up nor
// the first of a loop, as long as others are left.
func (r *RankSummary) laps(steps bool) map[lapKey]int64 {
	warm := map[int]bool{}
	for i := range r.Requests {
		warm[r.Requests[i].Index] = r.Requests[i].WarmUp
	}
	for _, left := range []struct{ first, warm bool }{{}, {first: true}, {true, true}} {
		out := map[lapKey]int64{}
		if steps {
			for i := range r.Steps {
				if s := &r.Steps[i]; (left.warm || !warm[s.Request]) && (left.first || s.Index > 0) {
					out[lapKey{0, s.Request, s.Loop, s.Index}] = s.took()
				}
			}
		} else {
			for i := range r.Requests {
				if q := &r.Requests[i]; left.warm || !q.WarmUp {
					out[lapKey{request: q.Index}] = q.Duration
				}
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// slowRanks finds ranks that take longer than the median; told says by what, "" where
// no two ranks have that in common.
func (d *Document) slowRanks() (list []Finding, told string) {
	for _, told = range []string{"steps", "requests"} {
		took := map[lapKey][]int64{}
		of := make([]map[lapKey]int64, len(d.Ranks))
		with := 0
		recording, last := 0, -1
		for i := range d.Ranks {
			of[i] = d.Ranks[i].laps(told == "steps")
			if recording++; i == 0 || d.Ranks[i].Rank != d.Ranks[i-1].Rank {
				recording = 0
			}
			if len(of[i]) > 0 && last != d.Ranks[i].Rank {
				with, last = with+1, d.Ranks[i].Rank
			}
			of[i] = inRecording(of[i], recording)
			for at, t := range of[i] {
				took[at] = append(took[at], t)
			}
		}
		if with < 2 {
			continue
		}
		middle := map[lapKey]int64{}
		for at, t := range took {
			middle[at] = medianInt(t)
		}
		for i := range d.Ranks {
			if f, ok := d.slowRank(i, of[i], middle, took); ok {
				f.Title = fmt.Sprintf("its %s take %s longer than those of the median rank", told, share100(f.Evidence["longer_percent"].(float64)))
				f.Evidence[told], f.Evidence["ranks"] = len(of[i]), with
				list = append(list, f)
			}
		}
		return list, told
	}
	return nil, ""
}

func inRecording(laps map[lapKey]int64, n int) map[lapKey]int64 {
	if n == 0 {
		return laps
	}
	out := make(map[lapKey]int64, len(laps))
	for at, t := range laps {
		at.recording = n
		out[at] = t
	}
	return out
}

func (d *Document) slowRank(i int, of, middle map[lapKey]int64, took map[lapKey][]int64) (Finding, bool) {
	var over []float64
	var cost int64
	for at, t := range of {
		if len(took[at]) > 1 && middle[at] > 0 {
			over = append(over, float64(t)/float64(middle[at]))
			cost += max(0, t-middle[at])
		}
	}
	if len(over) == 0 {
		return Finding{}, false
	}
	slices.Sort(over)
	n := len(over)
	p := 100 * ((over[(n-1)/2]+over[n/2])/2 - 1)
	if p <= d.limits.get(rankSkew) {
		return Finding{}, false
	}
	r, stage := &d.Ranks[i], ""
	if len(r.Steps) > 0 {
		stage = "diffuse"
	}
	return Finding{Severity: SeverityWarn, Cost: &cost, Where: &Where{Rank: &r.Rank, Stage: stage}, Evidence: facts{"longer_percent": p},
		Remedy: "Look at what this rank does more of: its part of the work, its host, the speed of its device."}, true
}

// waitedFor finds the rank that the others wait for; answered says that there were
// collectives to tell. Waits within the error of the clocks mean nothing.
func (d *Document) waitedFor() (list []Finding, answered bool) {
	w := d.Waits
	if w == nil || len(w.Ranks) < 2 {
		return nil, false
	}
	var spans []int64
	for i := range d.Ranks {
		if g := d.Ranks[i].GPU; g != nil {
			spans = append(spans, g.Span)
		}
	}
	if len(spans) == 0 || w.Last == nil {
		return nil, true
	}
	span := medianInt(spans)
	for _, r := range w.Ranks {
		each := r.HeldUp / int64(len(w.Ranks)-1) // what another rank waits for this one
		if d.Clock != nil && d.Clock.Error != nil {
			each -= *d.Clock.Error * int64(r.CameLast)
		}
		p := percent(each, span)
		if r.Rank != *w.Last || p <= d.limits.get(rankSkew) {
			continue
		}
		rank, cost := r.Rank, r.HeldUp/int64(len(w.Ranks)-1)
		list = append(list, Finding{Severity: SeverityWarn, Cost: &cost, Where: &Where{Rank: &rank},
			Title:    fmt.Sprintf("each of the others waits for it in collectives for %s of the time", share100(p)),
			Evidence: facts{"waited_percent": p, "held_up_ns": r.HeldUp, "came_last": r.CameLast, "collectives": r.Collectives, "ranks": len(w.Ranks)},
			Remedy:   "Look at what this rank does before its collectives that the others do not: its part of the work, its host, the speed of its device."})
	}
	return list, true
}

// took is the longer of what host and device needed.
func (s *StepInfo) took() int64 {
	if s.GPUSpan != nil {
		return max(s.CPU, *s.GPUSpan)
	}
	return s.CPU
}
