package nsys

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"reel/event"
	"reel/unit"
)

// end closes the accounts, and fills b with the names of the threads that had events.
func (s *Source) end(b *event.Batch) {
	s.done = io.EOF
	s.wait.Wait()
	s.free = nil // the workers have ended: what the reader's caller does next may need the memory
	a := s.x.about
	for _, t := range s.threads() {
		name, ok := a.threads[t]
		if v, named := s.named.Load(t); named {
			name, ok = v.(string), true
		}
		if ok && name != "" {
			b.Add(event.Event{Kind: event.Meta, Track: t, Name: "thread_name", Args: []event.Arg{{Key: "name", Kind: event.ArgText, Text: name}}})
		}
	}
	for _, pid := range s.pids() {
		if name := a.processes[pid]; name != "" {
			b.Add(event.Event{Kind: event.Meta, Track: event.Track{Place: event.Thread, A: pid}, Name: "process_name",
				Args: []event.Arg{{Key: "name", Kind: event.ArgText, Text: name}}})
		}
	}
	s.info.Memory = s.rows["CUDA_GPU_MEMORY_USAGE_EVENTS"] > 0
	s.share()
	s.diagnose()
	s.info.Warnings = s.warn.List()
}

// threads lists the threads that had events.
func (s *Source) threads() []event.Track {
	return slices.SortedFunc(maps.Keys(s.found), func(a, b event.Track) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
}

// pids lists their processes.
func (s *Source) pids() (out []int64) {
	for _, t := range s.threads() {
		out = append(out, t.A)
	}
	return slices.Compact(out)
}

// share says what share of the file is missing, or could not be read.
func (s *Source) share() {
	if s.x.missing > 0 {
		s.info.MissingPercent = 100 * float64(s.x.missing) / float64(s.x.claimed)
		s.warn.Add(event.Warning{Code: "cut", Event: -1, Text: fmt.Sprintf("the file ends %v before its header says that it does: its copy, or the export, was cut short", unit.Bytes(s.x.missing))})
	}
	if s.lost > 0 {
		s.info.MissingPercent = max(s.info.MissingPercent, 100*float64(s.lost)/float64(s.lost+s.info.Events))
	}
}

// maxTold bounds how many messages of nsys are passed on.
const maxTold = 24

// diagnose passes on what nsys itself says is wrong, and says why an empty profile is.
func (s *Source) diagnose() {
	told := 0
	for _, d := range s.x.about.diagnosed {
		if !d.grave() || !s.concerns(d) {
			continue
		}
		if told++; told > maxTold {
			s.warn.Add(event.Warning{Code: "diagnostic", Event: -1, Text: "more messages of nsys; not shown"})
			continue
		}
		code := "diagnostic"
		switch {
		case d.severity == 3:
			code = "diagnostic-error"
		case d.lossy():
			code = "diagnostic-loss"
		}
		s.warn.Add(event.Warning{Code: code, Event: -1, Text: "nsys says: " + d.text})
	}
	if why := s.emptiness(); why != "" && s.opt.Tables == nil {
		code := "no-device-part" // by choice, or of a program without any
		if s.rows["CUPTI_ACTIVITY_KIND_RUNTIME"] > 0 {
			code = "device-part-missing"
		}
		s.warn.Add(event.Warning{Code: code, Event: -1, Text: why})
	}
	if g := s.rows["CUPTI_ACTIVITY_KIND_GRAPH_TRACE"]; g > 0 {
		s.warn.Add(event.Warning{Code: "graphs-whole", Event: -1, Text: fmt.Sprintf("%s recorded as a whole: the kernels in them are not in the file; nsys profile --cuda-graph-trace=node records them, at a cost", count(g, "launch of a CUDA graph was", "launches of CUDA graphs were"))})
	}
}

// grave reports whether a message tells that something is wrong: warnings and errors, and
// among the others those that tell of a loss.
func (d diagnostic) grave() bool {
	return d.severity == 2 || d.severity == 3 || d.severity == 1 && d.lossy()
}

// lossy reports whether a message tells that events of the device may be lost.
func (d diagnostic) lossy() bool { return strings.Contains(d.text, "might be missing") }

// concerns reports whether a message is told with this rank: its own, and with the first
// those of no rank.
func (s *Source) concerns(d diagnostic) bool {
	if d.pid == s.who.Process || s.who.Alone {
		return true
	}
	return s.who.order == 0 && !slices.Contains(s.who.all, d.pid)
}

// emptiness says why a profile without work on a device, or without any range, is so; ""
// when it has both.
func (s *Source) emptiness() string {
	device := int64(0)
	for _, t := range append(slices.Clone(kernelTables), copyTables...) {
		device += s.rows[t]
	}
	calls, ranges := s.rows["CUPTI_ACTIVITY_KIND_RUNTIME"], s.rows["NVTX_EVENTS"]
	if device > 0 || calls == 0 && ranges > 0 && s.traced("Cuda") != no {
		return "" // a program that does not use CUDA is none of ours to judge
	}
	var b strings.Builder
	b.WriteString("no work on a device was recorded: ")
	switch {
	case s.traced("Cuda") == no:
		b.WriteString("CUDA was not traced (nsys profile --trace=cuda,nvtx does)")
	case calls == 0:
		b.WriteString("the program called no CUDA function while the session recorded")
	default:
		fmt.Fprintf(&b, "the program called CUDA (%s), and CUPTI gave no kernel, copy or set", count(calls, "call", "calls"))
	}
	if ranges == 0 {
		b.WriteString(". Nor was an NVTX range")
		if s.traced("NvtxEvents") == no {
			b.WriteString(": NVTX was not traced")
		}
	}
	for _, d := range s.x.about.diagnosed {
		if d.severity >= 2 && d.severity <= 3 && strings.Contains(strings.ToLower(d.text), "driver") {
			b.WriteString(". Most likely because of this: " + strings.TrimSuffix(d.text, ".") + "; record again with an nsys that knows the driver")
			return b.String()
		}
	}
	if calls > 0 {
		b.WriteString(". Usual reasons: a driver newer than nsys, a process that was killed before its buffers were written, or another profiler that held CUPTI")
	}
	return b.String()
}

// answer is yes, no, or that nobody knows.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// traced tells whether a sort of events was asked for.
func (s *Source) traced(kind string) answer {
	switch list := s.x.about.traced; {
	case len(list) == 0:
		return unknown
	case slices.Contains(list, kind):
		return yes
	}
	return no
}

// count writes a number with its noun.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(int(n)).String() + " " + many
}
