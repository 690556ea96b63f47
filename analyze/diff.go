package analyze

import (
	"fmt"
)

// DiffSchema names the JSON of a Diff.
const DiffSchema = "reel.diff/1"

// DiffKind says what a row of a comparison is about.
type DiffKind string

// The kinds. Requests, stages, steps and phases of a start-up can be regressions,
// the others say where a change comes from.
const (
	DiffRequest DiffKind = "request"
	DiffStage   DiffKind = "stage"
	DiffStep    DiffKind = "step"
	DiffPhase   DiffKind = "phase" // of a start-up
	DiffOp      DiffKind = "op"    // operators, annotations, runtime calls: self time on the host
	DiffKernel  DiffKind = "kernel"
)

// DiffKinds are all kinds, in the order of rows.
var DiffKinds = []DiffKind{DiffRequest, DiffStage, DiffStep, DiffPhase, DiffOp, DiffKernel}

// DiffVerdict is what a comparison says of a row.
type DiffVerdict string

// The verdicts. Slower and faster are changes beyond the relative threshold that,
// with enough runs, chance does not explain.
const (
	DiffSlower  DiffVerdict = "slower"
	DiffFaster  DiffVerdict = "faster"
	DiffSame    DiffVerdict = "same"
	DiffAdded   DiffVerdict = "added"
	DiffRemoved DiffVerdict = "removed"
)

// EnoughRuns is how many runs a side needs for a test of significance.
const EnoughRuns = 8

// DiffLevel is the chance of a false alarm that the gated rows together may have.
const DiffLevel = 0.05

// DiffOptions says when a row is a regression. The zero value has the defaults of
// DiffThreshold and compares everything.
type DiffOptions struct {
	Percent  *float64 // relative threshold of every kind; nil is each kind's own
	MinDelta *int64   // ns; absolute threshold of every kind; nil is each kind's own
	Kinds    []DiffKind
	Limit    int  // rows of operators, and of kernels, to keep; 0 is all
	Exact    bool // names are aligned as they are
}

// DiffThreshold is what a row must pass, both ways, to be a regression.
type DiffThreshold struct {
	Percent  float64 `json:"percent"`
	MinDelta int64   `json:"min_delta_ns"` // of a step: times the steps of a request
}

// threshold follows the benchmark rule that video pipelines use: 8 % and half a second
// of a whole generation, 5 % and a quarter of a second of its parts.
func (o *DiffOptions) threshold(k DiffKind) DiffThreshold {
	t := DiffThreshold{5, 250e6}
	if k == DiffRequest {
		t = DiffThreshold{8, 500e6}
	}
	if o.Percent != nil {
		t.Percent = *o.Percent
	}
	if o.MinDelta != nil {
		t.MinDelta = *o.MinDelta
	}
	return t
}

// Diff is a comparison of two sides, in the form of the JSON schema reel.diff/1. A row's
// values are medians over the runs of a side.
type Diff struct {
	Schema     string                   `json:"schema"`
	A          DiffSide                 `json:"a"`
	B          DiffSide                 `json:"b"`
	Thresholds map[string]DiffThreshold `json:"thresholds"` // by kind, of those that can be regressions
	// Tested says that both sides have EnoughRuns runs, so that verdicts rest on tests.
	Tested bool   `json:"tested"`
	Why    string `json:"not_significant,omitempty"` // the reason when they do not
	// Rows come by kind; requests, stages, steps and phases in the order of the
	// run, operators and kernels with the largest change first.
	Rows        []DiffRow `json:"rows"`
	RowsTotal   int       `json:"rows_total"`
	Regressions int       `json:"regressions"`
	Notes       []string  `json:"notes,omitempty"`

	total map[DiffKind]int // rows before the limit
	apart bool             // see Apart
}

// DiffSide is the runs of one side.
type DiffSide struct {
	Runs []DiffRunInfo `json:"runs"`
}

// DiffRunInfo says what a run is.
type DiffRunInfo struct {
	Path     string `json:"path"` // the last part of it
	Device   string `json:"device,omitempty"`
	Ranks    int    `json:"ranks"`
	Requests int    `json:"requests"` // that were compared
	Steps    int    `json:"steps"`
}

// DiffRow is one row. Times are ns. What a side does not have is absent there. The
// time that is compared is: of a request its duration on the host; of a stage, step or
// phase the longer of host time and span on the device; of an operator its self time on
// the host; of a kernel its time on the device.
type DiffRow struct {
	Kind    DiffKind    `json:"kind"`
	Name    string      `json:"name"`
	Of      string      `json:"of,omitempty"` // the stage that a model\'s row belongs to
	A       *int64      `json:"a_ns,omitempty"`
	B       *int64      `json:"b_ns,omitempty"`
	Delta   int64       `json:"delta_ns"`
	Percent *float64    `json:"delta_percent,omitempty"` // of A; absent where A is absent or 0
	ACount  *int64      `json:"a_count,omitempty"`
	BCount  *int64      `json:"b_count,omitempty"`
	Verdict DiffVerdict `json:"verdict"`

	ACPU    *int64 `json:"a_cpu_ns,omitempty"` // on the host; of an operator with what it calls
	BCPU    *int64 `json:"b_cpu_ns,omitempty"`
	ADevice *int64 `json:"a_device_ns,omitempty"` // span on the device, of kernels their time
	BDevice *int64 `json:"b_device_ns,omitempty"`

	Gated      bool     `json:"gated,omitempty"`      // could be a regression
	Regression bool     `json:"regression,omitempty"` // is one
	P          *float64 `json:"p,omitempty"`          // Mann-Whitney, two-sided; with enough runs
	PHolm      *float64 `json:"p_holm,omitempty"`     // corrected over the gated rows
	weight     int64    // how many of it a request has
}

// Impact is what the row's change means for a request, ns: of a step, times the steps.
func (r *DiffRow) Impact() int64 { return r.Delta * max(1, r.weight) }

// Compare compares two sides of runs. Every run is one sample, whatever it holds: the
// steps of one run are no independent samples. Runs that were recorded by turns, A B A B,
// do not take a machine that warms up for a change.
func Compare(a, b []*DiffRun, opt DiffOptions) *Diff {
	d := &Diff{Schema: DiffSchema, A: sideOf(a), B: sideOf(b), Rows: []DiffRow{}, Thresholds: map[string]DiffThreshold{}}
	d.Tested = len(a) >= EnoughRuns && len(b) >= EnoughRuns
	if !d.Tested {
		d.Why = fmt.Sprintf("not significant: %s", runsText(len(a), len(b)))
	}
	rows := alignRuns(a, b, opt.Exact)
	for _, x := range rows {
		d.Rows = append(d.Rows, x.row(len(a), len(b)))
		if r := &d.Rows[len(d.Rows)-1]; r.Gated {
			d.Thresholds[string(r.Kind)] = opt.threshold(r.Kind)
		}
	}
	if d.Tested {
		d.test(rows)
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.judge(opt.threshold(r.Kind), d.Tested); r.Regression {
			d.Regressions++
		}
	}
	d.Notes, d.apart = sideNotes(a, b), apart(d.Rows)
	d.choose(opt)
	return d
}

// Apart reports whether a side lacks everything that the other could be judged by: all its
// requests, or all its stages, steps and phases. No verdict rests on such a comparison.
func (d *Diff) Apart() bool { return d.apart }

func apart(rows []DiffRow) bool {
	var gated, common, requests, met int
	for i := range rows {
		r := &rows[i]
		switch both := r.A != nil && r.B != nil; {
		case !r.Gated:
		case r.Kind == DiffRequest:
			if requests++; both {
				met++
			}
		default:
			if gated++; both {
				common++
			}
		}
	}
	return gated > 0 && common == 0 || requests > 0 && met == 0
}

func runsText(a, b int) string {
	if a == b && a == 1 {
		return "1 run a side"
	}
	if a == b {
		return fmt.Sprintf("%d runs a side", a)
	}
	return fmt.Sprintf("%d and %d runs", a, b)
}
