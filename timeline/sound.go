package timeline

import (
	"fmt"

	"reel/event"
)

// Clocks of host and device are set against each other by the profiler, to some
// microseconds on a good day. What lies further off than these bounds has no
// true time (PyTorch issues 192021 and kineto 109: zero, or hours away).
const (
	maxBefore  = 100e6  // ns an activity may start before its launch
	maxOutside = 3600e9 // ns an activity without a launch may lie outside the host's events
)

// judge marks activities whose times cannot be true as unsound.
func (t *Timeline) judge(warn *event.Warnings) {
	lo, hi, any := t.hostSpan()
	a := &t.Activities
	for i, c := range a.Class {
		if !c.IsWork() {
			continue
		}
		reason := ""
		switch l := a.Launch[i]; {
		case l != NoRange && a.Start[i] < t.Ranges.Start[l]-maxBefore:
			reason = "starts long before its launch"
		case l == NoRange && any && (a.Start[i] < lo-maxOutside || a.Start[i] > hi+maxOutside):
			reason = "lies hours away from every other event"
		default:
			continue
		}
		a.Class[i] = event.Unsound
		t.Linked.Unsound++
		warn.Add(event.Warning{Code: "unsound-time", Event: -1,
			Text: fmt.Sprintf("a device activity %s; left out of every measure", reason)})
	}
}

// hostSpan returns the span of the host's ranges.
func (t *Timeline) hostSpan() (lo, hi int64, any bool) {
	r := &t.Ranges
	for i := range r.Start {
		if !any || r.Start[i] < lo {
			lo = r.Start[i]
		}
		if e := r.End(RangeID(i)); !any || e > hi {
			hi = e
		}
		any = true
	}
	return lo, hi, any
}
