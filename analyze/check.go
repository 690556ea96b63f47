package analyze

import (
	"reel/event"
	"reel/timeline"
)

// CheckSchema names the JSON of a CheckReport.
const CheckSchema = "reel.check/1"

// CheckReport says whether a timeline's file is sound: what it holds, what is
// missing, what was repaired, and what in it cannot be true.
type CheckReport struct {
	Schema  string   `json:"schema"`
	Source  Source   `json:"source"`
	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"` // for the verdict, the gravest first; none when sound

	Classes    []ClassCount  `json:"classes"` // ranges, activities and marks by class
	Launches   LaunchCheck   `json:"launches"`
	Activities ActivityCheck `json:"activities"`
	// Overlaps are activities that start before an earlier one of their stream has
	// ended, which no real stream does. Total is the time that two share, Worst how
	// far the earlier one reaches past a start.
	Overlaps Irregular `json:"overlaps"`
	// Early are activities that start before their launch: the clocks of host and
	// device are set against each other to some microseconds only.
	Early Irregular `json:"early"`
	// Crossings are host ranges that start inside an earlier one of their thread and
	// outlast it, by more than the resolution of old traces: asynchronous, or false.
	Crossings Irregular      `json:"crossings"`
	Warnings  []CheckWarning `json:"warnings"`
	Notes     []string       `json:"notes"` // what to know about the numbers above
}

// Verdict is the short answer to "is this file sound?".
type Verdict string

// The verdicts, worst last; the worst that applies holds.
const (
	Sound    Verdict = "sound"    // nothing is wrong
	Repaired Verdict = "repaired" // something was wrong and was set right, or does no harm
	Damaged  Verdict = "damaged"  // something is lost, or its times cannot be true
	Cut      Verdict = "cut"      // the file ends early
	Empty    Verdict = "empty"    // it holds no range and no activity
)

// ClassCount is how many ranges, activities or marks a class has.
type ClassCount struct {
	Class string `json:"class"` // a word of event.Class
	Count int    `json:"count"`
}

// LaunchCheck counts the calls that start work on a device: launches, copies,
// sets. A driver call inside such a runtime call is the same launch.
type LaunchCheck struct {
	Calls           int         `json:"calls"`
	WithoutActivity int         `json:"without_activity"`
	Names           []NameCount `json:"without_activity_names,omitempty"` // the most frequent of those
}

// NameCount is how often a name occurs.
type NameCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// ActivityCheck counts activities that are work, by how they were attributed.
type ActivityCheck struct {
	Count         int `json:"count"` // sound ones
	WithoutLaunch int `json:"without_launch"`
	Unattributed  int `json:"unattributed"` // of those, with no operator either
	Unsound       int `json:"unsound"`      // their times cannot be true; measured nowhere
}

// Irregular counts one kind of irregularity, ns.
type Irregular struct {
	Count   int    `json:"count"`
	Total   int64  `json:"total_ns"`
	Worst   int64  `json:"worst_ns"`
	WorstAt *Place `json:"worst_at,omitempty"`
}

// Place says where in a timeline something is.
type Place struct {
	Name  string `json:"name"`
	Track string `json:"track"`    // "device 0, stream 7", "thread 417 of process 416"
	Start int64  `json:"start_ns"` // since the timeline's first event
}

// CheckWarning is a warning of the file's reader or of the timeline.
type CheckWarning struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Event *int64 `json:"event,omitempty"` // number of the first event concerned
	Count int64  `json:"count"`
}

// Check looks for what is damaged, missing or repaired in a timeline.
func Check(tl *timeline.Timeline) *CheckReport {
	c := &CheckReport{Schema: CheckSchema, Source: SourceOf(tl), Reasons: []string{}, Classes: classCounts(tl),
		Warnings: []CheckWarning{}, Notes: []string{}}
	for _, w := range tl.Warnings {
		cw := CheckWarning{Code: w.Code, Text: w.Text, Count: max(1, w.Count)}
		if w.Event >= 0 {
			cw.Event = &w.Event
		}
		c.Warnings = append(c.Warnings, cw)
	}
	c.Launches = checkLaunches(tl)
	l := tl.Linked
	c.Activities = ActivityCheck{l.ByLaunch + l.ByOp + l.None, l.ByOp + l.None, l.None, l.Unsound}
	c.Overlaps = checkOverlaps(tl)
	c.Early = checkEarly(tl)
	c.Crossings = checkCrossings(tl)
	c.judge(tl.Ranges.Len() + tl.Activities.Len() + len(tl.Marks.At))
	c.note()
	return c
}

// classCounts lists the classes that occur, in their own order.
func classCounts(tl *timeline.Timeline) []ClassCount {
	var n [256]int
	for _, list := range [][]event.Class{tl.Ranges.Class, tl.Activities.Class, tl.Marks.Class} {
		for _, c := range list {
			n[c]++
		}
	}
	out := []ClassCount{}
	for c, k := range n {
		if k > 0 && event.Class(c) != event.NoClass {
			out = append(out, ClassCount{event.Class(c).String(), k})
		}
	}
	return out
}
