package analyze

import (
	"maps"
	"slices"

	"reel/internal/sketch"
)

// Totals are measures over several ranks. Counts, sums and extremes are exact;
// quantiles are those of a sketch, within QuantileError.
type Totals struct {
	Records       int           `json:"records"`
	QuantileError float64       `json:"quantile_error_percent"`
	Device        *DeviceTotals `json:"device,omitempty"`
	Steps         *TimesTotal   `json:"steps,omitempty"`
	Stages        []StageTotal  `json:"stages,omitempty"` // by name
}

// StageTotal is every run of a stage on every rank.
type StageTotal struct {
	Stage string `json:"stage"`
	TimesTotal
}

// TimesTotal is how long steps, or runs of a stage, took.
type TimesTotal struct {
	CPU     Durations  `json:"cpu"`
	GPUBusy *Durations `json:"gpu_busy,omitempty"` // absent when no device was measured
}

// Durations are the statistics of some durations, ns. A quantile that rests
// on too few of them is absent.
type Durations struct {
	Count int64  `json:"count"`
	Sum   int64  `json:"sum_ns"`
	Min   int64  `json:"min_ns"`
	P50   int64  `json:"p50_ns"`
	P90   *int64 `json:"p90_ns,omitempty"` // of 10 and more
	P99   *int64 `json:"p99_ns,omitempty"` // of 100 and more
	Max   int64  `json:"max_ns"`
}

// finish puts the totals into their last form.
func (t *totals) finish(records int) *Totals {
	out := &Totals{Records: records, QuantileError: 100 * sketch.MaxError}
	if t.Device != nil {
		d := *t.Device
		out.Device = &d
	}
	if t.Steps != nil {
		s := t.Steps.finish()
		out.Steps = &s
	}
	for _, name := range slices.Sorted(maps.Keys(t.Stages)) {
		out.Stages = append(out.Stages, StageTotal{name, t.Stages[name].finish()})
	}
	return out
}

func (x *times) finish() TimesTotal {
	t := TimesTotal{CPU: *durations(x.CPU)}
	if x.GPUBusy != nil {
		t.GPUBusy = durations(x.GPUBusy)
	}
	return t
}

func durations(s *sketch.Sketch) *Durations {
	d := &Durations{Count: s.Count(), Sum: s.Sum()}
	d.Min, _ = s.Min()
	d.Max, _ = s.Max()
	d.P50, _ = s.Quantile(50)
	if d.Count >= 10 {
		v, _ := s.Quantile(90)
		d.P90 = &v
	}
	if d.Count >= 100 {
		v, _ := s.Quantile(99)
		d.P99 = &v
	}
	return d
}
