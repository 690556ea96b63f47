package rec

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestComposite(t *testing.T) {
	if _, ok := Composite(nil, Noop{}).(Noop); !ok {
		t.Error("a composite of nothing is something")
	}
	var log strings.Builder
	a, b := tape{log: &log}, tape{log: &log}
	if Composite(a, nil) != Profiler(a) {
		t.Error("a composite of one is not that one")
	}
	r := recorder(t, Options{})
	now := Time(0)
	s1 := NewStats(StatsOptions{Clock: func() Time { return now }})
	s2 := NewStats(StatsOptions{Clock: func() Time { return now }})
	c := Composite(a, r, Composite(s1, b), s2)
	ctx := context.Background()
	g := c.Range(ctx, "pipeline.encode")
	now = 2e6
	g.End()
	g.End()
	c.Event(ctx, "model.frame", 4, StepIn(1, 2))
	want(t, "tape", log.String(), "pipeline.encode pipeline.encode /pipeline.encode /pipeline.encode model.frame [gen 1, step 2]*4 model.frame [gen 1, step 2]*4")
	want(t, "stages", text(c.CollectStageMS(ctx)), "encode=2")
	// Both were drained: one left uncollected would leak into the next step.
	for i, s := range []*Stats{s1, s2} {
		if ms := s.CollectStageMS(ctx); ms != nil {
			t.Errorf("back end %d kept %v", i, ms)
		}
	}
	want(t, "recording", brief(saved(t, r)), "range stage pipeline.encode"+strings.Repeat("\nmark model.frame [gen 1, step 2] value 4", 4))
}

// text writes a map in the order of its keys.
func text(m map[string]float64) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s=%.6g", k, m[k]))
	}
	return strings.Join(out, " ")
}

// emitted is an emitter that writes down.
type emitted struct {
	strings.Builder
	n uint64
}

func (e *emitted) Push(name string)         { fmt.Fprintf(e, "(%s ", name) }
func (e *emitted) Pop()                     { e.WriteString(") ") }
func (e *emitted) Mark(label string)        { fmt.Fprintf(e, "%s ", label) }
func (e *emitted) Start(name string) uint64 { e.n++; fmt.Fprintf(e, "<%d ", e.n); return e.n }
func (e *emitted) Stop(id uint64)           { fmt.Fprintf(e, "%d> ", id) }

func TestEmit(t *testing.T) {
	e := &emitted{}
	p := Emit(e)
	ctx := context.Background()
	func() {
		defer func() { _ = recover() }()
		defer p.Range(ctx, "model.step[1]").End()
		p.Event(ctx, "present.frame", 1, StepN(5))
		panic("body")
	}()
	p.InputReceived(10, 1)
	p.InputReceived(11, 1)
	p.InputReceived(12, 1)
	p.InputConsumed(StepN(0), []Time{10}, 0)
	p.StepPresented(StepN(0))
	p.StepPresented(StepN(0))
	p.InputDropped([]Time{11})
	p.ResetCounts()
	want(t, "emitted", e.String(), "(model.step[1] present.frame [step 5] ) <1 <2 <3 1> 2> 3>")
}

func TestLabels(t *testing.T) {
	want(t, "labels", StepN(5).Label("f")+", "+StepIn(2, 5).Label("f")+", "+StepID{}.Label("f")+", "+StepN(-1).Label("f"),
		"f [step 5], f [gen 2, step 5], f, f")
}
