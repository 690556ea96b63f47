package synth

import "fmt"

// closing writes what Kineto puts behind all activities: the annotations' spans
// on the device, the names of rows, the trace's own span and its end marks.
func (e *encoder) closing(t *Truth) {
	for _, a := range e.repeated {
		e.event("gpu_user_annotation", e.forms.repeated)
		e.str(a.name).int(e.device()).int(e.stream(computeStream)).at(a.start - 1).micros(a.end - a.start + 2).int(a.id)
	}
	begin := t.Requests[0].StartNS - 390_211
	e.process(begin, e.pid, "CPU", e.pid)
	for i := range int64(max(1, min(e.opt.WorldSize, 8))) {
		e.process(begin, i, fmt.Sprintf("GPU %d", i), 5_000_000+i)
	}
	streams := 1
	if e.opt.Collectives {
		streams = 2
	}
	for i := range streams {
		stream := e.stream(i)
		e.row(begin, e.device(), stream, fmt.Sprintf("stream %d ", stream))
	}
	e.row(begin, e.pid, e.tid, fmt.Sprintf("thread %d (python3)", e.tid))
	e.event("Trace", e.forms.span)
	e.at(begin).micros(t.EndNS - begin)
	e.event("", e.forms.spanOrder)
	e.at(begin)
	e.event("", e.forms.iteration)
	e.at(begin)
	e.event("", e.forms.windowEnd)
	e.at(t.EndNS + 61_330)
}

func (e *encoder) process(at, pid int64, label string, order int64) {
	e.event("", e.forms.process)
	e.at(at).int(pid).int(0)
	e.event("", e.forms.labels)
	e.at(at).int(pid).int(0).str(label)
	e.event("", e.forms.order)
	e.at(at).int(pid).int(0).int(order)
}

func (e *encoder) row(at, pid, tid int64, name string) {
	e.event("", e.forms.thread)
	e.at(at).int(pid).int(tid).str(name)
	e.event("", e.forms.position)
	e.at(at).int(pid).int(tid).int(tid)
}
