package analyze

import (
	"fmt"
	"slices"

	"reel/timeline"
)

// gpuIdle looks for steps in which no device works for a good part of the time.
func gpuIdle(s *scene) answer {
	if s.sum.GPU == nil {
		return unknown(noDevice)
	}
	idle, device, _ := s.steadySums()
	if device == 0 {
		return unknown("the steps launched no device work")
	}
	p := percent(idle, device)
	if p <= s.limits.get("gpu-idle") {
		return fine(fmt.Sprintf("the device works %s of %s", share100(100-p), s.each()))
	}
	var cost int64
	s.counted(func(l *lap) { cost += l.idle })
	n := 0
	s.hot(func(l *lap) { n += len(l.gaps) })
	gaps := make([]gap, 0, n)
	s.hot(func(l *lap) { gaps = append(gaps, l.gaps...) })
	m := s.meanwhile(gaps)
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), s.lapCall()),
		Title:    fmt.Sprintf("the device waits %s of %s", share100(p), s.each()),
		Evidence: s.over(facts{"idle_percent": p, "idle_ns": idle, "gaps": len(gaps), "host_meanwhile_ns": m, "largest_gaps": s.largest(gaps)}),
		Remedy:   s.idleRemedy(m)})
}

// idleRemedy answers to what the host did most while the device waited.
func (s *scene) idleRemedy(m map[string]int64) string {
	top := ""
	for k, v := range m {
		if top == "" || v > m[top] || v == m[top] && k < top {
			top = k
		}
	}
	switch top {
	case deedNames[didSync], deedNames[didBlock]:
		return "Take the synchronisations out of the loop, so that the host can run ahead of the device."
	case deedNames[didData]:
		return "Load data in other processes, ahead of the loop."
	case deedNames[didAlloc]:
		return "Allocate before the loop, or let the caching allocator keep what it has."
	case deedNames[didCompile]:
		return "Warm up before what is measured, so that nothing is compiled or loaded in it."
	case "device":
		return "The work was launched in time and the device still waited: look at dependencies between streams."
	case deedNames[didNothing]:
		return "The launching thread did nothing that was recorded: it slept, waited for another thread, or ran code that is not profiled."
	}
	return s.fewerLaunches()
}

// fewerLaunches says how the host gets less to do: not by what is done already.
func (s *scene) fewerLaunches() string {
	if s.compiled() {
		return "It is compiled already: let graphs replay the launches (mode=\"reduce-overhead\", CUDA graphs), or give each launch more work."
	}
	return "Give the host less to do: torch.compile, CUDA graphs, larger batches (both halves of guidance at once)."
}

// shownGaps is how many of the largest waits are named.
const shownGaps = 3

// largest names the longest waits, and where the launch that ended each came from.
func (s *scene) largest(gaps []gap) []facts {
	var list []gap
	for _, g := range gaps {
		k := len(list)
		for ; k > 0 && list[k-1].to-list[k-1].from < g.to-g.from; k-- {
		}
		if k < shownGaps {
			list = slices.Insert(list, k, g)[:min(len(list)+1, shownGaps)]
		}
	}
	var out []facts
	for _, g := range list {
		f := facts{"at_ns": g.from - s.tl.Origin, "duration_ns": g.to - g.from, "before": shortName(s.tl.Name(s.tl.Activities.Name[g.next]))}
		if l := s.tl.Activities.Launch[g.next]; l != timeline.NoRange {
			if call := s.calls.place(l); call != "" {
				f["call"] = call
			}
		}
		out = append(out, f)
	}
	return out
}

// maxNameText bounds a kernel's name in evidence.
const maxNameText = 120

func shortName(name string) string {
	if len(name) > maxNameText {
		name = name[:maxNameText] + "…"
	}
	return name
}
