package analyze

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limit is a threshold of a finding.
type Limit struct {
	Name  string
	Value float64 // the default, in Unit
	Unit  string  // "%", "us", "MiB", "x" (times), "" (a count)
	Means string  // what it bounds
}

// limitTable has every threshold there is.
var limitTable = [...]Limit{
	{"gpu-idle", 15, "%", "share of a step in which the device may wait"},
	{"launch-bound", 15, "%", "share of a step in which the device may wait for launches that come one after the other"},
	{"launch-pause", 1000, "us", "a wait longer than this is a pause of the program, not the pace of its launches"},
	{"short-kernel", 10, "us", "a kernel below this is short"},
	{"host-sync", 1, "%", "share of a step that the host may wait for the device"},
	{"scheduler-heavy", 5, "%", "share of a step that the scheduler may take"},
	{"compile-in-run", 1, "%", "share of the steady steps that compiling and loading may take"},
	{"first-step", 1.5, "x", "the first step, in steady ones"},
	{"graph-breaks", 2, "", "compiled regions or graph replays in one step, with other work between them"},
	{"uncompiled", 50, "%", "share of a step's launches outside of compiled regions"},
	{"unbatched-cfg", 2, "", "equal calls of the denoiser in one step"},
	{"repeated-encode", 2, "", "equal calls of an encoder in one request"},
	{"decode-heavy", 20, "%", "share of a request's device time that decoding may take"},
	{"layout-conversion", 3, "%", "share of a stage's device time that changes of layout may take"},
	{"precision", 10, "%", "share of the device time that 32-bit matrix kernels may take beside 16-bit ones"},
	{"attention-kernel", 3, "%", "share of a stage's device time that unfused attention may take"},
	{"pageable-copy", 0.1, "%", "share of a step that pageable copies may take"},
	{"memory-growth", 1, "MiB", "growth of the allocated memory from step to step"},
	{"exposed-comm", 5, "%", "share of a step in which only communication runs"},
	{"rank-skew", 10, "%", "how much longer than the median a rank's step may be"},
	{"step-jitter", 1.3, "x", "the 99th percentile of the steps, in medians"},
	{"steady-steps", 10, "", "steady steps below which step-jitter does not judge"},
	{"frame-pacing", 1.5, "x", "the 99th percentile of the frame intervals, in medians"},
	{"overlap-on-stream", 1, "us", "overlap of two activities on one stream that rounding explains"},
	{"unattributed", 1, "%", "share of activities without a launch beyond which it is a warning"},
	{"profiler-overhead", 5, "%", "share of a step that recording may cost"},
	{"python-call", 0.2, "us", "assumed cost of recording a Python call"},
	{"recorded-call", 1, "us", "assumed cost of recording an operator or a runtime call"},
}

// Limits are thresholds; the zero value has the defaults.
type Limits struct{ set map[string]float64 }

// LimitTable lists the thresholds with their defaults.
func LimitTable() []Limit { return append([]Limit(nil), limitTable[:]...) }

// get returns a threshold in its unit.
func (l Limits) get(name string) float64 {
	if v, ok := l.set[name]; ok {
		return v
	}
	for i := range limitTable {
		if limitTable[i].Name == name {
			return limitTable[i].Value
		}
	}
	return math.Inf(1)
}

// Set takes "gpu-idle=20", or with the unit "gpu-idle=20%". The error names the
// form and the thresholds.
func (l *Limits) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	var names []string
	for _, t := range limitTable {
		names = append(names, t.Name)
		if t.Name != name || !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(value, t.Unit)), 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%q: want a number in %s, such as %s=%v%s", text, wordOr(t.Unit, "whole things"), t.Name, t.Value, t.Unit)
		}
		if l.set == nil {
			l.set = map[string]float64{}
		}
		l.set[name] = v
		return nil
	}
	return fmt.Errorf("%q: want NAME=VALUE with one of %s", text, strings.Join(names, ", "))
}

func wordOr(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
