package analyze

import (
	"fmt"
	"slices"
	"strings"

	"reel/unit"
)

// lossy are the codes of warnings that tell of something lost, or of times that
// cannot be true. What every other warning tells of was set right.
var lossy = []string{"damaged-event", "oversized-event", "unfinished-event", "unreadable", "nul-bytes", "second-trace",
	"no-phase", "no-time", "time-range", "unsound-time", "impossible-value", "device-part-missing", "diagnostic-error"}

// Bounds of what is put down to the resolution of clocks, and of what is still
// harmless: beyond, measures of device time are wrong.
const (
	clockSlack = 2000 // ns
	runAway    = 1e6  // ns
)

// verdicts are the verdicts from best to worst.
var verdicts = []Verdict{Sound, Repaired, Damaged, Cut, Empty}

// because gathers reasons for verdicts.
type because map[Verdict][]string

func (b because) add(v Verdict, format string, args ...any) {
	b[v] = append(b[v], fmt.Sprintf(format, args...))
}

// judge finds the verdict and the reasons for it, the gravest first; events is
// how many ranges, activities and marks there are.
func (c *CheckReport) judge(events int) {
	why := because{}
	if events == 0 {
		why.add(Empty, "it holds no range, no activity and no mark")
	}
	if !c.Source.Complete {
		why.add(Cut, "it ends before its format says that it does")
	}
	if p := c.Source.MissingPercent; p > 0 {
		why.add(Damaged, "%v of its text could not be read as events", unit.Percent(p))
	}
	if l := c.Launches; c.Source.Complete && l.Calls > 0 && c.Activities.Count+c.Activities.Unsound == 0 {
		why.add(Damaged, "the device part is missing: %s and not one activity", plural(l.Calls, "launch", "launches"))
	}
	c.judgeTimes(why)
	for _, w := range c.Warnings {
		switch {
		case w.Code == "cut", w.Code == "unsound-time": // said already
		case slices.Contains(lossy, w.Code):
			why.add(Damaged, "%s", often(w.Text, w.Count))
		default:
			why.add(Repaired, "%s", often(w.Text, w.Count))
		}
	}
	c.Verdict = Sound
	for _, v := range verdicts {
		if len(why[v]) > 0 {
			c.Verdict = v
			c.Reasons = append(slices.Clone(why[v]), c.Reasons...)
		}
	}
}

// judgeTimes weighs times that contradict each other.
func (c *CheckReport) judgeTimes(why because) {
	if n := c.Activities.Unsound; n > 0 {
		why.add(Damaged, "%s with times that cannot be true, left out of every measure", plural(n, "activity", "activities"))
	}
	grave := func(r Irregular) Verdict {
		if r.Worst >= runAway {
			return Damaged
		}
		return Repaired
	}
	if o := c.Overlaps; o.Worst > clockSlack {
		why.add(grave(o), "%s before an earlier one of the stream has ended, by up to %v; what they share, %v, is measured once",
			plural(o.Count, "activity starts", "activities start"), unit.Dur(o.Worst), unit.Dur(o.Total))
	}
	if e := c.Early; e.Worst > clockSlack {
		why.add(grave(e), "%s before the launch, by up to %v: the clocks of host and device differ",
			plural(e.Count, "activity starts", "activities start"), unit.Dur(e.Worst))
	}
}

// note adds what to know about the numbers.
func (c *CheckReport) note() {
	say := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	l, a := c.Launches, c.Activities
	share, _ := unit.Share(int64(l.WithoutActivity), int64(l.Calls))
	switch cut := !c.Source.Complete; {
	case cut && l.Calls == 0 && a.Count == 0:
		say("no launch was read: whether a device part is missing cannot be told")
	case cut && l.WithoutActivity > 0:
		say("device part: at least %v of %s have no activity (%v)", unit.Count(l.WithoutActivity), plural(l.Calls, "launch", "launches"), share)
	case l.WithoutActivity > 0 && a.Count > 0:
		say("%v of %s have no activity (%s): sets of nothing, calls recorded into a graph, or work after the end of the window",
			unit.Count(l.WithoutActivity), plural(l.Calls, "launch", "launches"), nameCounts(l.Names))
	}
	if a.WithoutLaunch > 0 {
		say("%v of %s have no launch in the file: launched before the window, perhaps; %v without an operator either",
			unit.Count(a.WithoutLaunch), plural(a.Count, "activity", "activities"), unit.Count(a.Unattributed))
	}
	if o := c.Overlaps; o.Count > 0 && o.Worst <= clockSlack {
		say("%s before an earlier one of the stream has ended, by up to %v: within the resolution of the clock",
			plural(o.Count, "activity starts", "activities start"), unit.Dur(o.Worst))
	}
	if e := c.Early; e.Count > 0 && e.Worst <= clockSlack {
		say("%s before the launch, by up to %v: within the resolution of the clock",
			plural(e.Count, "activity starts", "activities start"), unit.Dur(e.Worst))
	}
	if x := c.Crossings; x.Count > 0 {
		say("%s another of the thread, starting inside it and ending after it: asynchronous ranges do so, and annotations of the profiler itself",
			plural(x.Count, "range crosses", "ranges cross"))
	}
}

// nameCounts writes "cudaMemsetAsync 3, cudaLaunchKernel 1".
func nameCounts(list []NameCount) string {
	var b strings.Builder
	for i, n := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %v", n.Name, unit.Count(n.Count))
	}
	return b.String()
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}

// often writes a text with how often it applies.
func often(text string, n int64) string {
	if n == 1 {
		return text
	}
	return fmt.Sprintf("%s (%v times)", text, unit.Count(n))
}
