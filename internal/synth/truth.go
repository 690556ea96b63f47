package synth

import "sort"

// Truth is what a trace holds, known from making it. Times are nanoseconds;
// instants count from BaseNS. Activities belong to the stage or step whose
// module call launched them.
type Truth struct {
	Bytes      int64          // length of the text
	Events     int            // entries of traceEvents
	Categories map[string]int // X events by category
	BaseNS     int64          // baseTimeNanoseconds, 0 when times are absolute
	StartNS    int64          // first request's begin
	EndNS      int64          // last request's end on the host
	GPU        GPU
	Requests   []Request
	Stages     []Stage
	Steps      []Step
	Outside    Outside

	firstActivity int64
}

// GPU is the device's time line: unions from the first start to the last end.
// Compute is kernels that are no collectives, plus memsets; Exposed is the part
// of communication or copies that lies under no compute.
type GPU struct {
	SpanNS, BusyNS, IdleNS        int64
	ComputeNS, CommNS, CopyNS     int64
	ExposedCommNS, ExposedCopyNS  int64
	Activities, Launches, Kernels int
}

// Request is one pipeline call.
type Request struct {
	Index               int
	StartNS, DurationNS int64
}

// Stage is an nn.Module call outside the denoise loop: "encode" or "decode".
type Stage struct {
	Request int
	Stage   string
	Name    string // nn.Module name, without the prefix
	Cost
}

// Step is one denoise iteration's transformer call.
type Step struct {
	Request, Index int
	Name           string
	Cost
}

// Cost is what a stage or step took on the host and on the device.
type Cost struct {
	StartNS, CPUNS       int64
	BusyNS, SpanNS       int64
	Activities, Launches int
}

// Outside is the device work that no stage or step launched.
type Outside struct {
	BusyNS     int64
	Activities int
}

type interval struct{ start, end int64 }

// union is the length that the intervals cover together; it sorts them.
func union(v []interval) int64 {
	sort.Slice(v, func(i, j int) bool { return v[i].start < v[j].start })
	var total, end int64
	for i, x := range v {
		if i == 0 || x.start > end {
			total += x.end - x.start
			end = x.end
		} else if x.end > end {
			total += x.end - end
			end = x.end
		}
	}
	return total
}

// add takes in the request that s has just simulated. Requests never overlap on
// the device, so unions of requests add up.
func (t *Truth) add(s *sim, r int) {
	t.Requests = append(t.Requests, Request{r, s.callStart, s.callEnd - s.callStart})
	var all, compute, comm, copies []interval
	owned := make([][]interval, len(s.owners))
	for i := range s.activities {
		a := &s.activities[i]
		v := interval{a.start, a.start + a.dur}
		all = append(all, v)
		owned[a.owner] = append(owned[a.owner], v)
		switch {
		case a.work.kind == memcpy:
			copies = append(copies, v)
		case a.work.comm:
			comm = append(comm, v)
		default:
			compute = append(compute, v)
		}
		if a.work.kind == kernel {
			t.GPU.Kernels++
		}
	}
	g := &t.GPU
	under := union(compute)
	g.BusyNS += union(all)
	g.ComputeNS += under
	g.CommNS += union(comm)
	g.CopyNS += union(copies)
	g.ExposedCommNS += union(append(comm, compute...)) - under
	g.ExposedCopyNS += union(append(copies, compute...)) - under
	g.Activities += len(all)
	t.span(all)
	t.addOwners(s, r, owned)
}

func (t *Truth) span(v []interval) {
	if len(v) == 0 {
		return
	}
	last := v[0].end
	for _, x := range v {
		last = max(last, x.end)
	}
	if t.GPU.SpanNS == 0 {
		t.firstActivity = v[0].start
	}
	t.GPU.SpanNS = last - t.firstActivity
}

func (t *Truth) addOwners(s *sim, r int, owned [][]interval) {
	for i, o := range s.owners {
		c := Cost{StartNS: o.start, CPUNS: o.end - o.start, Activities: len(owned[i]), Launches: o.launches}
		t.GPU.Launches += o.launches
		c.BusyNS = union(owned[i])
		for _, v := range owned[i] {
			c.SpanNS = max(c.SpanNS, v.end-owned[i][0].start)
		}
		switch {
		case i == 0:
			t.Outside.BusyNS += c.BusyNS
			t.Outside.Activities += c.Activities
		case o.stage == "diffuse":
			t.Steps = append(t.Steps, Step{r, o.index, o.name, c})
		default:
			t.Stages = append(t.Stages, Stage{r, o.stage, o.name, c})
		}
	}
}

func (t *Truth) finish(e *encoder) {
	t.GPU.IdleNS = t.GPU.SpanNS - t.GPU.BusyNS
	t.StartNS = t.Requests[0].StartNS
	if !e.opt.Absolute {
		t.BaseNS = baseNS
	}
	t.Bytes, t.Events, t.Categories = e.written(), e.events, e.byCategory
}
