package analyze

import (
	"bytes"
	"context"
	"fmt"
	"strings"
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

// derive reads a trace in text form and recognises what is in it.
func derive(t *testing.T, text string) *Derived {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	return Derive(tl, roles)
}

// TestGuidance: two calls of the denoiser between two scheduler steps are one
// step; requests are never joined, even where the last scheduler step lacks; a
// wrapper belongs to its step; nested modules of a kind count once.
func TestGuidance(t *testing.T) {
	d := derive(t, `
track cpu1/1 "main"
range python "pipe/pipeline_x.py(1): __call__" at 0ms for 100ms
range python "nn.Module: T5EncoderModel_0" at 1ms for 5ms
range python "nn.Module: UMT5EncoderModel_0" at 2ms for 3ms
range python "nn.Module: WanTransformer3DModel_0" at 10ms for 10ms
range python "nn.Module: WanTransformer3DModel_0" at 21ms for 10ms
range python "s/scheduling_unipc.py(3): step" at 32ms for 1ms
range python "nn.Module: OptimizedModule_0" at 40ms for 12ms
range python "nn.Module: WanTransformer3DModel_0" at 41ms for 10ms
range python "nn.Module: WanTransformer3DModel_0" at 53ms for 10ms
range python "v/autoencoder_wan.py(9): decode" at 70ms for 20ms
range python "nn.Module: WanDecoder3d_0" at 71ms for 18ms
range python "pipe/pipeline_x.py(1): __call__" at 200ms for 100ms
range python "nn.Module: WanTransformer3DModel_0" at 210ms for 10ms
range python "s/scheduling_unipc.py(3): step" at 232ms for 1ms
`)
	var got []string
	for _, s := range d.Steps {
		got = append(got, fmt.Sprintf("%d.%d.%d %v-%v", s.Request, s.Loop, s.Index, s.Start/1e6, s.End/1e6))
	}
	if want := "[0.0.0 10-31 0.0.1 40-63 1.0.0 210-220]"; fmt.Sprint(got) != want {
		t.Errorf("steps %v, want %v", got, want)
	}
	got = nil
	for _, s := range d.Stages {
		got = append(got, s.Stage+" "+s.Name)
	}
	if want := "[encode T5EncoderModel_0 decode WanDecoder3d_0]"; fmt.Sprint(got) != want || len(d.Requests) != 2 {
		t.Errorf("stages %v, want %v; %d requests", got, want, len(d.Requests))
	}
}

// TestLoops: a stage between two steps, or new timesteps, begin another loop.
func TestLoops(t *testing.T) {
	d := derive(t, `
track cpu1/1 "main"
range annotation "pipeline_call" at 0ms for 100ms
range annotation "denoising_step_0" at 10ms for 5ms
range annotation "denoising_step_1" at 20ms for 5ms
range python "s/scheduling_x.py(1): set_timesteps" at 26ms for 1ms
range annotation "denoising_step_0" at 30ms for 5ms
range annotation "vae_decode" at 36ms for 2ms
range annotation "denoising_step_0" at 40ms for 5ms
range annotation "denoising_step_1" at 50ms for 5ms
`)
	var got []string
	for _, s := range d.Steps {
		got = append(got, fmt.Sprintf("%d.%d", s.Loop, s.Index))
	}
	if want := "[0.0 0.1 1.0 2.0 2.1]"; fmt.Sprint(got) != want {
		t.Errorf("steps %v, want %v", got, want)
	}
}

// TestWarmUp: a warm-up is a request of its own, and marked.
func TestWarmUp(t *testing.T) {
	d := derive(t, `
track cpu1/1 "main"
range warmup "request" at 0ms for 50ms
range step "model.step[0]" at 10ms for 5ms
range request "request" at 60ms for 50ms
range step "model.step[0]" at 70ms for 5ms
`)
	if len(d.Requests) != 2 || !d.Requests[0].WarmUp || d.Requests[1].WarmUp || len(d.Steps) != 2 || d.Steps[1].Request != 1 || d.Steps[1].Index != 0 {
		t.Errorf("%+v", d)
	}
}
