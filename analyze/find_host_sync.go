package analyze

import (
	"fmt"
	"math"
	"strings"

	"reel/event"
	"reel/timeline"
)

// hostSync looks for calls within the loop in which the host waits for the device:
// synchronisations, blocking copies, copies to the host.
func hostSync(s *scene) answer {
	if s.unit == "run" {
		return unknown(noSteps)
	}
	if s.runtimeCalls() == 0 {
		return unknown("no calls into the device's runtime in this trace")
	}
	toHost := s.copiesToHost()
	var wait, host, cost, idle int64
	var n int
	var places, ops, names tally
	s.counted(func(l *lap) {
		idle += l.idle
		if l.steady {
			host += l.host()
		}
		begin, end := s.launching(l)
		s.ranges(l, func(r timeline.RangeID) {
			k := s.calls.kind(r)
			if k != syncCall && k != blockingCopy && !toHost[r] || !s.isRuntime(r) || s.withinSync(r) || k == syncCall && s.tl.Ranges.Start[r] < begin || s.tl.Ranges.Start[r] > end {
				return
			}
			d := s.tl.Ranges.Dur[r]
			if cost += d; !l.steady {
				return
			}
			wait, n = wait+d, n+1
			places.add(s.calls.place(r), d)
			ops.add(s.operator(r), d)
			names.add(s.tl.Name(s.tl.Ranges.Name[r]), d)
		})
	})
	p := percent(wait, host)
	switch {
	case n == 0:
		return fine("the host waits for the device nowhere in " + s.all())
	case p <= s.limits.get("host-sync"):
		return fine(fmt.Sprintf("the host waits for the device %s of %s", share100(p), s.each()))
	}
	if s.sum.GPU != nil { // no longer than the device waited: else it had work meanwhile
		cost = min(cost, idle+s.between())
	}
	e := facts{"waits": n, "waits_per_" + s.unit: s.perLap(n), "wait_ns": wait, "wait_percent": p, "calls": names.list(3)}
	if list := ops.list(3); len(list) > 0 {
		e["operators"] = list
	}
	if list := places.list(3); len(list) > 1 {
		e["places"] = list
	}
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), places.top()), Evidence: s.over(e),
		Title:  fmt.Sprintf("the host waits for the device %s of %s: %s", share100(p), s.each(), countText(n, "wait", "waits")),
		Remedy: "Keep on the device what only the device needs: no .item(), .cpu(), nonzero or printing of tensors in the loop; copies with pinned memory and non_blocking=True."})
}

// launching is from when to when a request launches work: what waits before waits for
// earlier work, and what waits later for the result. A step goes before another one, and
// all its waits count.
func (s *scene) launching(l *lap) (begin, end int64) {
	if s.unit != "request" {
		return math.MinInt64, math.MaxInt64
	}
	begin = math.MaxInt64
	s.ranges(l, func(r timeline.RangeID) {
		if k := s.calls.kind(r); k == launchCall || k == graphCall {
			begin, end = min(begin, s.tl.Ranges.Start[r]), max(end, s.tl.Ranges.Start[r])
		}
	})
	return begin, end
}

func (s *scene) isRuntime(r timeline.RangeID) bool {
	c := s.tl.Ranges.Class[r]
	return c == event.Runtime || c == event.Driver
}

// withinSync says that r lies in another wait: a driver call in its runtime call.
func (s *scene) withinSync(r timeline.RangeID) bool {
	p := s.tl.Ranges.Parent[r]
	return p != timeline.NoRange && s.isRuntime(p) && s.calls.kind(p) != plainCall
}

func (s *scene) runtimeCalls() (n int) {
	for _, c := range s.tl.Ranges.Class {
		if c == event.Runtime || c == event.Driver {
			n++
		}
	}
	return n
}

// copiesToHost returns the calls that copied from a device to pageable memory, which
// they wait for. A copy to pinned memory does not hold the host up.
func (s *scene) copiesToHost() map[timeline.RangeID]bool {
	out := map[timeline.RangeID]bool{}
	a := &s.tl.Activities
	for _, i := range s.work {
		if a.Class[i] == event.Copy && a.Launch[i] != timeline.NoRange && strings.Contains(s.tl.Name(a.Name[i]), "Device -> Pageable") {
			out[a.Launch[i]] = true
		}
	}
	return out
}

// between is how long the device waited between one lap and the next.
func (s *scene) between() (sum int64) {
	for k := 1; k < len(s.laps); k++ {
		a, b := &s.laps[k-1], &s.laps[k]
		for _, g := range s.gapsWithin(a.last, b.first) {
			sum += g.to - g.from
		}
	}
	return sum
}

// operator is the innermost operator around r.
func (s *scene) operator(r timeline.RangeID) string {
	for ; r != timeline.NoRange; r = s.tl.Ranges.Parent[r] {
		if s.tl.Ranges.Class[r] == event.Op {
			return s.tl.Name(s.tl.Ranges.Name[r])
		}
	}
	return ""
}
