package analyze

import (
	"fmt"
	"slices"
)

// skew looks for ranks whose steps take longer than the median of all ranks.
func (d *Document) skew() answer {
	type key struct{ request, loop, index int }
	took := map[key][]int64{}
	with := 0
	for i := range d.Ranks {
		if len(d.Ranks[i].Steps) > 0 {
			with++
		}
		for k := range d.Ranks[i].Steps {
			s := &d.Ranks[i].Steps[k]
			at := key{s.Request, s.Loop, s.Index}
			took[at] = append(took[at], s.took())
		}
	}
	if with < 2 {
		return unknown("fewer than two ranks have denoise steps")
	}
	middle := map[key]int64{}
	for at, list := range took {
		middle[at] = medianInt(list)
	}
	limit := 1 + Limits{}.get("rank-skew")/100
	var list []Finding
	for i := range d.Ranks {
		r := &d.Ranks[i]
		var over []float64
		var cost int64
		for k := range r.Steps {
			s := &r.Steps[k]
			at := key{s.Request, s.Loop, s.Index}
			if len(took[at]) > 1 && middle[at] > 0 {
				over = append(over, float64(s.took())/float64(middle[at]))
				cost += max(0, s.took()-middle[at])
			}
		}
		slices.Sort(over)
		if len(over) == 0 || over[len(over)/2] <= limit {
			continue
		}
		p := 100 * (over[len(over)/2] - 1)
		list = append(list, Finding{Severity: SeverityWarn, Cost: &cost, Where: &Where{Rank: &r.Rank, Stage: "diffuse"},
			Title:    fmt.Sprintf("its steps take %s longer than those of the median rank", share100(p)),
			Evidence: facts{"longer_percent": p, "steps": len(over), "ranks": with},
			Remedy:   "Look at what this rank does more of: its part of the work, its host, the speed of its device."})
	}
	if len(list) > 0 {
		return found(list...)
	}
	return fine("the steps of all ranks take equally long")
}

// took is the longer of what host and device needed.
func (s *StepInfo) took() int64 {
	if s.GPUSpan != nil {
		return max(s.CPU, *s.GPUSpan)
	}
	return s.CPU
}
