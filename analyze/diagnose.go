package analyze

import (
	"cmp"
	"slices"

	"reel/timeline"
)

// Diagnosis is what was found in one rank: faults, what is well, and what its
// trace does not tell.
type Diagnosis struct {
	Findings      []Finding    `json:"findings,omitempty"`
	Healthy       []Healthy    `json:"healthy,omitempty"`
	NotAnswerable []Unanswered `json:"not_answerable,omitempty"`
}

// Healthy is a fault that was looked for and is not there.
type Healthy struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Unanswered is a fault that the trace does not tell about.
type Unanswered struct {
	ID      string `json:"id"`
	Because string `json:"because"`
}

// answer is what looking for one fault gives: findings, or why there is none, or
// why that cannot be told.
type answer struct {
	found   []Finding
	fine    string
	because string
}

func fine(why string) answer        { return answer{fine: why} }
func unknown(because string) answer { return answer{because: because} }
func found(list ...Finding) answer  { return answer{found: list} }

// Reasons that several checks give.
const (
	noDevice = "no device activity in this trace"
	noSteps  = "no denoise step was found in this trace"
	noStacks = "no Python calls in this trace (record with stacks)"
)

// check is one fault that is looked for in a rank.
type check struct {
	id   string
	look func(*scene) answer
}

// checks lists what is looked for, in the order of the documentation. What is
// looked for in all ranks together is in document_findings.go.
var checks = [...]check{
	{"gpu-idle", gpuIdle},
	{"launch-bound", launchBound},
	{"host-sync", hostSync},
	{"scheduler-heavy", schedulerHeavy},
	{"compile-in-run", compileInRun},
	{"graph-breaks", graphBreaks},
	{"uncompiled", uncompiled},
	{"unbatched-cfg", unbatchedCFG},
	{"repeated-encode", repeatedEncode},
	{"decode-heavy", decodeHeavy},
	{"layout-conversion", layoutConversion},
	{"precision", precision},
	{"attention-kernel", attentionKernel},
	{"pageable-copy", pageableCopy},
	{"memory-growth", memoryGrowth},
	{"exposed-comm", exposedComm},
	{"step-jitter", stepJitter},
	{"frame-pacing", framePacing},
	{"input-latency", inputLatency},
	{"overlap-on-stream", overlapOnStream},
	{"unattributed", unattributed},
	{"empty-window", emptyWindow},
	{"no-device-events", noDeviceEvents},
	{"lost-events", lostEvents},
	{"profiler-overhead", profilerOverhead},
}

// ExamineOptions say what Examine knows beside the timeline. The zero value is good.
type ExamineOptions struct {
	Limits   Limits
	Coverage []Coverage // of the rank
}

// Examine measures a rank as Summarize does, and diagnoses it. Findings come by
// their cost, the highest first.
func Examine(tl *timeline.Timeline, roles *Roles, opt ExamineOptions) (RankSummary, *Diagnosis) {
	s := survey(tl, roles)
	s.limits, s.sum.Coverage = opt.Limits, opt.Coverage
	s.prepare()
	d := &Diagnosis{}
	for _, c := range checks {
		a := c.look(s)
		switch {
		case len(a.found) > 0:
			for _, f := range a.found {
				f.ID = c.id
				d.Findings = append(d.Findings, f)
			}
		case a.because != "":
			d.NotAnswerable = append(d.NotAnswerable, Unanswered{c.id, a.because})
		default:
			d.Healthy = append(d.Healthy, Healthy{c.id, a.fine})
		}
	}
	sortFindings(d.Findings)
	return s.sum, d
}

// sortFindings orders findings by cost, the highest first; those without a cost
// come last, errors before warnings before the rest.
func sortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(-compareCost(a.Cost, b.Cost), -cmp.Compare(a.Severity.level(), b.Severity.level()))
	})
}

func compareCost(a, b *int64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// level orders severities.
func (s Severity) level() int {
	return slices.Index([]Severity{SeverityInfo, SeverityWarn, SeverityError}, s)
}

// AtLeast says that s is as bad as o or worse.
func (s Severity) AtLeast(o Severity) bool { return s.level() >= o.level() }

// facts are the evidence of a finding.
type facts = map[string]any

// where names a place; call may be "".
func where(stage, call string) *Where { return &Where{Stage: stage, Call: call} }
