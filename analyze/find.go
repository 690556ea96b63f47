package analyze

import (
	"fmt"
	"slices"

	"reel/unit"
)

// Numbers in the sentences of findings.

func percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// share writes a percentage in whole percents, as prose has it.
func share100(p float64) string {
	switch {
	case p > 0 && p < 1:
		return "<1 %"
	case p > 99 && p < 100:
		return ">99 %"
	}
	return fmt.Sprintf("%.0f %%", p)
}

func durText(ns int64) string { return unit.Dur(ns).String() }

func countText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}

// medianInt is the middle of xs, 0 of none.
func medianInt(xs []int64) int64 {
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return sorted[(n-1)/2]/2 + sorted[n/2]/2 + (sorted[(n-1)/2]%2+sorted[n/2]%2)/2
}

// counted calls f for every lap that is no warm-up, the first ones included.
func (s *scene) counted(f func(l *lap)) {
	for i := range s.laps {
		if !s.laps[i].warm {
			f(&s.laps[i])
		}
	}
}

// perLap is the number of things in a steady lap, on average.
func (s *scene) perLap(n int) float64 { return float64(n) / float64(max(1, len(s.steady))) }

// over adds to evidence how many steady steps or requests it is of.
func (s *scene) over(f facts) facts {
	if s.unit != "run" {
		f[s.unit+"s"] = len(s.steady)
	}
	return f
}

// all says "the steady steps", "the requests", "the run".
func (s *scene) all() string {
	switch s.unit {
	case "run":
		return "the run"
	case "step":
		return "the steady steps"
	}
	return "the " + s.unit + "s"
}

// call is the place of the laps themselves: where the step is called from.
func (s *scene) lapCall() string {
	if s.unit != "step" || len(s.steady) == 0 || s.laps[s.steady[0]].span.Evidence == ByPattern {
		return ""
	}
	return s.calls.place(s.laps[s.steady[0]].span.Range)
}
