package analyze

import (
	"bytes"
	"context"
	"testing"

	"reel/event"
	"reel/internal/synth"
	"reel/read/kineto"
	"reel/timeline"
)

// open reads a generated trace and returns it with the generator's truth.
func open(t *testing.T, opt synth.Options) (*timeline.Timeline, synth.Truth) {
	t.Helper()
	var b bytes.Buffer
	truth, err := synth.Write(&b, opt)
	if err != nil {
		t.Fatal(err)
	}
	src, err := kineto.New(context.Background(), &b, "made", kineto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tl, truth
}

func summary(t *testing.T, tl *timeline.Timeline) RankSummary {
	t.Helper()
	roles, err := LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	return Summarize(tl, roles)
}

// TestTruth compares whole summaries with what the generator knows, for eager
// runs and graph replays, several requests, both vendors.
func TestTruth(t *testing.T) {
	for name, opt := range map[string]synth.Options{
		"eager":       {Python: true},
		"graph":       {Python: true, Graph: true},
		"rocm":        {Python: true, Vendor: synth.ROCm, Requests: 3},
		"collectives": {Python: true, WorldSize: 2, Rank: 1, Collectives: true},
		"absolute":    {Python: true, Absolute: true, HeaderLast: true, Style: synth.Spaced},
		"annotated":   {Annotations: true},
	} {
		t.Run(name, func(t *testing.T) {
			opt.Seed = 3
			tl, truth := open(t, opt)
			s := summary(t, tl)
			checkGPU(t, s.GPU, truth)
			if len(s.Steps) != len(truth.Steps) || len(s.Requests) != len(truth.Requests) {
				t.Fatalf("%d steps in %d requests, want %d in %d", len(s.Steps), len(s.Requests), len(truth.Steps), len(truth.Requests))
			}
			for i, w := range truth.Steps {
				g, each := s.Steps[i], len(truth.Steps)/len(truth.Requests)
				if g.Index != i%each || g.Request != i/each || g.Loop != 0 {
					t.Errorf("step %d: %+v stands elsewhere", i, g)
				}
				if !opt.Python { // the annotations reach further than the module calls that truth measures
					continue
				}
				if g.CPU != w.CPUNS || *g.GPUBusy != w.BusyNS || *g.GPUSpan != w.SpanNS || g.Activities != w.Activities || g.Launches != w.Launches {
					t.Errorf("step %d: %+v, want %+v", i, g, w)
				}
			}
			if opt.Python {
				checkStages(t, s, truth)
			}
		})
	}
}

func checkGPU(t *testing.T, g *GPU, truth synth.Truth) {
	t.Helper()
	w := truth.GPU
	if g == nil || g.Span != w.SpanNS || g.Busy != w.BusyNS || g.Idle != w.IdleNS || g.Compute != w.ComputeNS || g.Comm != w.CommNS ||
		g.Copy != w.CopyNS || g.ExposedComm != w.ExposedCommNS || g.ExposedCopy != w.ExposedCopyNS || g.Activities != w.Activities || g.Unattributed != 0 {
		t.Errorf("device %+v, want %+v", g, w)
	}
}

func checkStages(t *testing.T, s RankSummary, truth synth.Truth) {
	t.Helper()
	k := 0
	for _, g := range s.Stages {
		if g.Stage == "diffuse" || g.Stage == "prepare" {
			continue
		}
		if k == len(truth.Stages) {
			t.Fatalf("stage %+v is one too many", g)
		}
		w := truth.Stages[k]
		if k++; g.CPU != w.CPUNS || *g.GPUBusy != w.BusyNS || *g.GPUSpan != w.SpanNS || g.Activities != w.Activities {
			t.Errorf("stage %+v, want %+v", g, w)
		}
	}
	if k != len(truth.Stages) {
		t.Errorf("%d stages, want %d", k, len(truth.Stages))
	}
}

// TestRepetition finds the loop in traces without any name to go by, and none
// in a single forward, whose layers repeat as well.
func TestRepetition(t *testing.T) {
	for _, c := range []struct {
		opt   synth.Options
		steps int
	}{
		{synth.Options{Layers: 6, Steps: 8}, 8},
		{synth.Options{Layers: 12, Steps: 30, Vendor: synth.ROCm}, 30},
		{synth.Options{Layers: 24, Steps: 1}, 0},
		{synth.Options{Layers: 6, Steps: 5, Graph: true}, 5},
	} {
		tl, _ := open(t, c.opt)
		for i, class := range tl.Ranges.Class { // no compiled region, no profiler step to go by
			if class == event.Annotation || class == event.Op {
				tl.Ranges.Name[i] = 0
			}
		}
		s := summary(t, tl)
		if len(s.Steps) != c.steps {
			t.Errorf("%+v: %d steps, want %d", c.opt, len(s.Steps), c.steps)
		}
		for _, st := range s.Steps {
			if st.Evidence != ByPattern || st.Activities < minPeriod || *st.GPUBusy <= 0 || st.CPU <= 0 {
				t.Errorf("%+v: step %+v", c.opt, st)
			}
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		p, s string
		want bool
	}{
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"a*c", "abc", true}, {"a*c", "ac", true}, {"a*c", "acb", false},
		{"*text*model*", "cliptextmodelwithprojection", true}, {"?b", "ab", true}, {"?b", "b", false}, {"a**b", "ab", true},
	} {
		if got := glob(c.p, c.s); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.p, c.s, got)
		}
	}
}

func TestLoadRoles(t *testing.T) {
	r, err := LoadRoles([]byte("rules:\n- {on: module, role: forward, match: [MyNet]}\n"))
	if err != nil || r.Rules[0].Match[0] != "mynet" || len(r.Rules) < 10 {
		t.Errorf("%v %v", r, err)
	}
	for _, bad := range []string{"rules: [{on: x, role: step, match: [a]}]", "rules: [{on: call, role: x, match: [a]}]",
		"rules: [{on: call, role: stage, match: [a]}]", "rules: [{on: call, role: step}]", "rulez: []", "rules: [{on: call, role: step, needs: x, match: [a]}]"} {
		if _, err := LoadRoles([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
