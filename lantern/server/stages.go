package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"reel/rec"
)

// StageTimes measures the stages of requests on the fly: how often each ran, how
// long, within which other one. It writes nothing. Times are the host's, or with a
// device to wait for, those of the work; waiting changes the overlap of stages.
//
// It is a Profiler that goes into the worker's, beside others; a request is
// measured between Begin and End.
type StageTimes struct {
	rec.Noop
	sync func() error
}

// NewStageTimes makes one; sync idles the device around each range, nil for host
// times.
func NewStageTimes(sync func() error) *StageTimes { return &StageTimes{sync: sync} }

// Stage is the ranges of one name within the same outer ones.
type Stage struct {
	Path    string  `json:"path"` // "request/pipeline.diffuse/step"
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	Rest    float64 `json:"rest_seconds,omitempty"` // not in any range within; absent without such
	Timing  string  `json:"timing"`                 // host or synced
}

// StageReport is what a request's stages took.
type StageReport struct {
	Total     float64            `json:"total_seconds"`
	Other     float64            `json:"other_seconds"` // in no stage
	Stages    []Stage            `json:"stages"`
	Durations map[string]float64 `json:"durations"` // by name, as vLLM-Omni gives them, summed over paths; nested ones overlap
}

// Line is the report on one line.
func (r *StageReport) Line() string {
	var parts []string
	for _, s := range r.Stages {
		parts = append(parts, fmt.Sprintf("%s %d× %.6fs", s.Path, s.Count, s.Seconds))
	}
	return strings.Join(append(parts, fmt.Sprintf("other %.6fs", r.Other)), ", ")
}

// Measured is a request under way.
type Measured struct {
	of    *StageTimes
	from  time.Time
	mu    sync.Mutex
	nodes map[string]*node
	open  map[*rec.Track][]*stageRange
}

type node struct {
	count  int
	took   time.Duration
	inside time.Duration // of the ranges right within
	leaf   string
}

// maxPaths bounds the different paths of a request.
const maxPaths = 4096

type measuredKey struct{}

// Begin measures the ranges of the returned context.
func (t *StageTimes) Begin(ctx context.Context) (context.Context, *Measured) {
	m := &Measured{of: t, from: time.Now(), nodes: map[string]*node{}, open: map[*rec.Track][]*stageRange{}}
	return context.WithValue(ctx, measuredKey{}, m), m
}

// End returns what was measured.
func (m *Measured) End() *StageReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &StageReport{Total: time.Since(m.from).Seconds(), Stages: []Stage{}, Durations: map[string]float64{}}
	timing := "host"
	if m.of.sync != nil {
		timing = "synced"
	}
	top := 0.0
	for path, n := range m.nodes {
		s := Stage{Path: path, Count: n.count, Seconds: n.took.Seconds(), Timing: timing}
		if n.inside > 0 {
			s.Rest = max(0, (n.took - n.inside).Seconds())
		}
		r.Stages = append(r.Stages, s)
		r.Durations[n.leaf] += s.Seconds
		if !strings.Contains(path, "/") {
			top += s.Seconds
		}
	}
	r.Other = max(0, r.Total-top)
	slices.SortFunc(r.Stages, func(a, b Stage) int { return cmp.Compare(a.Path, b.Path) })
	return r
}

// Range measures a range.
func (t *StageTimes) Range(ctx context.Context, name string) rec.Range {
	return t.RangeAs(ctx, rec.Label{Name: name})
}

// RangeAs measures a range; the number of a step does not count.
func (t *StageTimes) RangeAs(ctx context.Context, l rec.Label) rec.Range {
	m, ok := ctx.Value(measuredKey{}).(*Measured)
	if !ok {
		return rec.Range{}
	}
	return m.begin(ctx, l)
}

func (m *Measured) begin(ctx context.Context, l rec.Label) rec.Range {
	if m.of.sync != nil {
		_ = m.of.sync() // a device error comes to light at the request's own wait
	}
	track := rec.TrackOf(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &stageRange{m: m, track: track, from: time.Now(), path: l.Name, leaf: l.Name}
	if stack := m.open[track]; len(stack) > 0 {
		s.outer = stack[len(stack)-1]
		s.path = s.outer.path + "/" + l.Name
	}
	m.open[track] = append(m.open[track], s)
	return rec.RangeOf(s)
}

type stageRange struct {
	m          *Measured
	track      *rec.Track
	from       time.Time
	path, leaf string
	outer      *stageRange
	inside     time.Duration
}

// End files the range.
func (s *stageRange) End() {
	if s.m.of.sync != nil {
		_ = s.m.of.sync()
	}
	took := time.Since(s.from)
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	stack := s.m.open[s.track]
	if i := slices.Index(stack, s); i >= 0 {
		s.m.open[s.track] = stack[:i] // what lies within and was not ended is gone
	}
	if s.outer != nil {
		s.outer.inside += took
	}
	n := s.m.nodes[s.path]
	if n == nil {
		if len(s.m.nodes) >= maxPaths {
			return
		}
		n = &node{leaf: s.leaf}
		s.m.nodes[s.path] = n
	}
	n.count++
	n.took += took
	n.inside += s.inside
}
