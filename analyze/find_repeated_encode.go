package analyze

import (
	"fmt"

	"reel/event"
	"reel/timeline"
)

// encoderCall tells equal calls of an encoder apart from others: work sums what it
// launched, or without a device the operators that it called.
type encoderCall struct {
	request int
	name    string
	work    uint64
}

// repeatedEncode looks for encoders that do the same work again in a request. Equal
// shapes give equal kernels in equal order.
func repeatedEncode(s *scene) answer {
	work := s.encoderWork()
	first := map[encoderCall]bool{}
	var cost, longest int64
	var again, all, blind int // blind: nothing tells what it worked on
	var names tally
	place := timeline.NoRange
	for i, x := range s.d.Stages {
		if x.Stage != "encode" || x.Request < len(s.d.Requests) && s.d.Requests[x.Request].WarmUp {
			continue
		}
		all++
		if work[i].n == 0 {
			blind++
			continue
		}
		key := encoderCall{x.Request, x.Name, work[i].sum}
		if !first[key] {
			first[key] = true
			continue
		}
		took := max(x.Dur(), work[i].last-work[i].first)
		cost, again = cost+took, again+1
		names.add(x.Name, took)
		if took > longest {
			longest, place = took, x.Range
		}
	}
	switch {
	case all == 0:
		return unknown("no text encoder was recognised in this trace")
	case blind == all:
		return unknown("neither device work nor operators of the encoders are in this trace: nothing tells what they worked on")
	case float64(again+1) < s.limits.get("repeated-encode"):
		return fine("each encoder runs once on its input")
	}
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where("encode", s.calls.place(place)),
		Title:    fmt.Sprintf("%s another on inputs of equal shape: the negative prompt of guidance?", countText(again, "encoder call repeats", "encoder calls repeat")),
		Evidence: facts{"repeated_calls": again, "calls": all, "repeated_ns": cost, "encoders": names.list(4)},
		Remedy:   "Encode prompt and negative prompt as one batch, or keep the embeddings of a negative prompt that does not change."})
}

// encoderRun is the work of a run of an encoder.
type encoderRun struct {
	sum         uint64 // of the names of what it launched, in order
	n           int
	first, last int64 // on the device
}

func (e *encoderRun) mix(name timeline.NameID) {
	e.sum = (e.sum+uint64(name)+1)*0x9E3779B97F4A7C15 ^ e.sum>>29
}

// encoderWork sums up what each encoder launched, in order.
func (s *scene) encoderWork() []encoderRun {
	out := make([]encoderRun, len(s.d.Stages))
	a := &s.tl.Activities
	for w, i := range s.work {
		if k := int(s.place[w]); k > 0 && s.d.Stages[k-1].Stage == "encode" {
			e := &out[k-1]
			if e.mix(a.Name[i]); e.n == 0 {
				e.first = a.Start[i]
			}
			e.last = max(e.last, a.End(int(i)))
			e.n++
		}
	}
	for k, x := range s.d.Stages { // one that works on the host
		if x.Stage == "encode" && out[k].n == 0 {
			s.rangesIn(x.Track, x.Start, x.End, func(r timeline.RangeID) {
				if s.tl.Ranges.Class[r] == event.Op {
					out[k].mix(s.tl.Ranges.Name[r])
					out[k].n++
				}
			})
		}
	}
	return out
}
