package html

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"reel/analyze"
	"reel/internal/stats"
	"reel/unit"
)

// ns writes a length of time that no line break parts.
func ns(v int64) string { return together(unit.Dur(v).String()) }

func together(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }

func value(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// count writes "1 step", "4 steps".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}

// shareText writes part of whole: whole percents are enough beside a bar.
func shareText(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p > 0 && p < 1:
		return "<1\u00a0%"
	case p > 99 && p < 100:
		return ">99\u00a0%"
	}
	return fmt.Sprintf("%.0f\u00a0%%", p)
}

// times writes a ratio: "1.65×".
func times(a, b int64) string {
	if b <= 0 {
		return "?"
	}
	return fmt.Sprintf("%.2f×", float64(a)/float64(b))
}

// shortName is a stage's name for people: of a Python call the function.
func shortName(name string, ev analyze.Evidence) string {
	if ev != analyze.ByCall {
		return name
	}
	if k := strings.LastIndex(name, "): "); k >= 0 {
		return name[k+3:]
	}
	return path.Base(name)
}

// joined joins the parts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// deviceName is "AMD Instinct MI300X", "2 × NVIDIA H100", "device 2"; "" when no
// device is known.
func deviceName(r *analyze.RankSummary) string {
	switch n := len(r.Devices); {
	case r.Device == "" && n == 1:
		return fmt.Sprintf("device %d", r.Devices[0].ID)
	case r.Device == "" && n > 1:
		return count(n, "device", "devices")
	case n > 1 && r.Devices[0].Name == r.Device:
		return fmt.Sprintf("%d × %s", n, r.Device)
	}
	return r.Device
}

// took is how long a step took: the longer of what the host and what the device
// needed, because either may run ahead of the other.
func took(s *analyze.StepInfo) int64 { return max(s.CPU, value(s.GPUSpan)) }

// medianTook is the median duration of steps, ns.
func medianTook(steps []analyze.StepInfo) int64 {
	all := make([]int64, len(steps))
	for i := range steps {
		all[i] = took(&steps[i])
	}
	m, _ := stats.Median(all)
	return int64(m)
}

// steady are the steps after the first of each loop, or all when there are no
// others.
func steady(steps []analyze.StepInfo) []analyze.StepInfo {
	rest := slices.DeleteFunc(slices.Clone(steps), func(s analyze.StepInfo) bool { return s.Index == 0 })
	if len(rest) == 0 {
		return steps
	}
	return rest
}

// typical is the place of the request of median duration.
func typical(list []analyze.RequestInfo) int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].Duration, list[b].Duration) })
	return order[(len(order)-1)/2]
}
