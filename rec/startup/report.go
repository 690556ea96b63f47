package startup

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// ArtifactType names the form of a Report; its JSON schema is startup-1.
const ArtifactType = "reel.startup"

// Report is what a start-up consisted of. Times are nanoseconds. Phases come by
// their start; one that lies within another has it as its parent, so durations of
// both must not be added.
type Report struct {
	Version      int         `json:"schema_version"`
	Type         string      `json:"artifact_type"`
	Started      int64       `json:"started_at_unix_ns"`
	Duration     int64       `json:"duration_ns"` // gaps between phases included
	Synchronized bool        `json:"synchronized"`
	Rank         *int        `json:"rank,omitempty"`
	Phases       []Phase     `json:"phases"`
	Environment  Environment `json:"environment"`
	// DeviceEarly says that the device was initialised before the phase that sets
	// it up: imports may do that. On CUDA it stands under FastVideo's name as well.
	DeviceEarly *bool    `json:"device_initialized_before_setup,omitempty"`
	CUDAEarly   *bool    `json:"cuda_initialized_before_device_setup,omitempty"`
	Notes       []string `json:"notes,omitempty"`
	// Repetitions are the runs of a measurement, each in a process of its own; the
	// report that holds them is one of them again, the one with the median time.
	Repetitions []Report `json:"repetitions,omitempty"`
	// Plain is the wall time of a run that was not instrumented, from exec to exit.
	Plain      *int64 `json:"uninstrumented_wall_time_ns,omitempty"`
	PlainCache string `json:"uninstrumented_page_cache_state,omitempty"` // before that run: cold, warm, mixed
}

// Environment says what was measured. Absent is not known.
type Environment struct {
	Source     string            `json:"source_revision,omitempty"`
	Checkpoint string            `json:"checkpoint_revision,omitempty"` // or a hash of its content
	Hardware   string            `json:"hardware,omitempty"`
	Host       string            `json:"host,omitempty"`
	Versions   map[string]string `json:"versions,omitempty"`
	Cache      []CacheState      `json:"page_cache,omitempty"`           // before loading
	CacheWord  string            `json:"page_cache_state,omitempty"`     // cold, warm, mixed
	Wall       int64             `json:"process_wall_time_ns,omitempty"` // from exec to exit, by the parent
}

// CacheState is how much of a weight file was in the page cache.
type CacheState struct {
	File     string  `json:"file"` // base name
	Bytes    int64   `json:"bytes"`
	Resident float64 `json:"resident"` // share, 0 to 1
}

// Finish adds what the parent alone can see of a process: the time from the report's
// end to the exit.
func (r *Report) Finish(exit time.Time) {
	end := r.Started + r.Duration
	if last := exit.UnixNano() - end; last > 0 {
		id := 0
		for _, p := range r.Phases {
			id = max(id, p.ID+1)
		}
		r.Phases = append(r.Phases, Phase{ID: id, Name: "process.exit", Start: r.Duration, Duration: last, Status: Success})
		r.Duration += last
	}
}

// component reports whether a phase is the loading of a pipeline's component.
func component(name string) bool { return strings.HasPrefix(name, "component.") }

func clone(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	return maps.Clone(m)
}

// Encode writes the report as JSON.
func (r Report) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// maxReport bounds a report's file.
const maxReport = 256 << 20

// Decode reads a report and checks that its phases make a forest.
func Decode(rd io.Reader) (Report, error) {
	var r Report
	data, err := io.ReadAll(io.LimitReader(rd, maxReport+1))
	if err != nil {
		return r, err
	}
	if len(data) > maxReport {
		return r, fmt.Errorf("startup: a report of more than %d bytes", maxReport)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("startup: %w", err)
	}
	if r.Type != ArtifactType || r.Version != 1 {
		return r, fmt.Errorf("startup: artifact_type %q, schema_version %d: want %q, 1", r.Type, r.Version, ArtifactType)
	}
	return r, r.check()
}

// check finds what no collector writes.
func (r *Report) check() error {
	at := map[int]int{}
	for i, p := range r.Phases {
		if _, twice := at[p.ID]; twice {
			return fmt.Errorf("startup: two phases have the id %d", p.ID)
		}
		if p.Duration < 0 || r.Duration < 0 {
			return fmt.Errorf("startup: phase %d: a negative duration", p.ID)
		}
		at[p.ID] = i
	}
	for _, p := range r.Phases {
		depth := 0
		for q := p; q.Parent != nil; depth++ {
			i, ok := at[*q.Parent]
			if !ok {
				return fmt.Errorf("startup: phase %d: there is no phase %d to hold it", q.ID, *q.Parent)
			}
			if depth > len(r.Phases) {
				return errors.New("startup: phases hold each other")
			}
			q = r.Phases[i]
		}
		if depth > 1000 {
			return errors.New("startup: phases nest deeper than 1000")
		}
	}
	return nil
}

// Node is a phase with what lies in it: the exclusive view.
type Node struct {
	Phase
	Own      int64 // of the duration, what no phase within covers, ns
	Children []*Node
}

// Tree returns the phases as a tree whose root is the whole start-up. Own times
// add up to the whole: that of the root is the gaps between phases, "other". The
// time of phases that ran at once within one parent counts once, to the first. Of
// merged reports each rank's own times add up to that rank's whole.
func (r *Report) Tree() *Node {
	root := &Node{Phase: Phase{ID: -1, Name: "start-up", Duration: r.Duration, Status: Success}}
	nodes := map[int]*Node{}
	for _, p := range r.Phases {
		nodes[p.ID] = &Node{Phase: p}
	}
	for _, p := range r.Phases {
		n, parent := nodes[p.ID], root
		if p.Parent != nil && nodes[*p.Parent] != nil {
			parent = nodes[*p.Parent]
		}
		parent.Children = append(parent.Children, n)
	}
	if r.merged() {
		root.Own = 0
		for _, rank := range root.Children {
			rank.share(rank.Start, rank.Start+rank.Duration)
		}
		return root
	}
	root.share(0, r.Duration)
	return root
}

// merged reports whether the root phases are ranks, which ran at the same time.
func (r *Report) merged() bool {
	n := 0
	for _, p := range r.Phases {
		if p.Parent == nil {
			if _, ok := p.Attrs["rank"]; !ok {
				return false
			}
			n++
		}
	}
	return n > 0
}

// share gives the node the time [from, to), hands parts of it to its children and
// keeps the rest as its own.
func (n *Node) share(from, to int64) {
	slices.SortStableFunc(n.Children, func(a, b *Node) int { return cmp.Compare(a.Start, b.Start) })
	n.Own = max(0, to-from)
	at := from
	for _, c := range n.Children {
		lo, hi := min(max(c.Start, at), to), min(max(c.Start+c.Duration, at), to)
		c.share(lo, hi)
		n.Own -= max(0, hi-lo)
		at = max(at, hi)
	}
}

// Covered is the share of the whole, 0 to 1, that root phases cover.
func (r *Report) Covered() float64 {
	if r.Duration <= 0 {
		return 0
	}
	return 1 - float64(r.Tree().Own)/float64(r.Duration)
}

// Merge joins the reports of several worker processes into one: each rank becomes
// a root phase rank<N> that holds its phases, on one clock. Reports that do not
// say their rank are numbered in the order given.
func Merge(reports ...Report) Report {
	out := Report{Version: 1, Type: ArtifactType, Phases: []Phase{}}
	if len(reports) == 0 {
		return out
	}
	out.Environment, out.Synchronized = reports[0].Environment, reports[0].Synchronized
	out.Environment.Wall = 0
	first, last := reports[0].Started, int64(0)
	for _, r := range reports {
		first = min(first, r.Started)
	}
	for i, r := range reports {
		rank := i
		if r.Rank != nil {
			rank = *r.Rank
		}
		id, shift := len(out.Phases), r.Started-first
		out.Phases = append(out.Phases, Phase{ID: id, Name: fmt.Sprintf("rank%d", rank), Start: shift, Duration: r.Duration, Status: worst(r.Phases), Attrs: map[string]any{"rank": rank}})
		moved := map[int]int{}
		for k, p := range r.Phases {
			moved[p.ID] = id + 1 + k
		}
		for _, p := range r.Phases {
			parent := id
			if p.Parent != nil {
				parent = moved[*p.Parent]
			}
			p.ID, p.Parent, p.Start, p.Attrs = moved[p.ID], &parent, p.Start+shift, clone(p.Attrs)
			out.Phases = append(out.Phases, p)
		}
		last = max(last, r.Started+r.Duration)
		for _, n := range r.Notes {
			out.Notes = append(out.Notes, fmt.Sprintf("rank %d: %s", rank, n))
		}
	}
	out.Started, out.Duration = first, last-first
	return out
}

// worst is error when a phase failed.
func worst(phases []Phase) Status {
	if slices.ContainsFunc(phases, func(p Phase) bool { return p.Status == Error }) {
		return Error
	}
	return Success
}
