package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reel/analyze"
	"reel/lantern/device"
	"reel/lantern/pipeline"
	"reel/reelfile"
	"reel/timeline"
)

// modelled is a run on modelled time, whose launches vary by a percent from run to run.
func modelled(t *testing.T, rnd *rand.Rand, f Fault) *analyze.DiffRun {
	t.Helper()
	launch := time.Duration(4000 * (0.99 + 0.02*rnd.Float64()))
	trial := Trial{Model: os.DirFS("../../lantern/wan/testdata/model"), Fault: f, Kernel: slowed, Sleep: 200 * time.Microsecond, Tokens: 16,
		Clock:   &device.CostModel{Clock: device.NewClock(), Launch: launch, Sync: 50 * time.Microsecond},
		Request: pipeline.Request{Prompt: "a b", Width: 16, Frames: 1, Steps: 2, Seed: rnd.Uint64()}}
	path := filepath.Join(t.TempDir(), "run.reel")
	if err := trial.Run(t.Context(), path); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	src, err := reelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := analyze.LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	return analyze.MeasureRun(tl, roles, analyze.MeasureOptions{})
}

const slowed = "attention"

// named are the rows by which a fault is found.
var named = map[Fault][]string{
	Sleep:  {"op scheduler_step", "step steady steps"},
	Sync:   {"op deviceSynchronize", "step steady steps"},
	Kernel: {"kernel " + slowed},
	Encode: {"stage encode"},
}

// TestPlantedRegressions finds every fault by name in 20 of 20 runs, and nothing where
// there is none.
func TestPlantedRegressions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	opt := analyze.DiffOptions{MinDelta: new(int64(1000))}
	for trial := range 20 {
		a := modelled(t, rnd, None)
		if trial%10 == 0 {
			if d := analyze.Compare([]*analyze.DiffRun{a}, []*analyze.DiffRun{modelled(t, rnd, None)}, opt); d.Regressions > 0 {
				t.Errorf("trial %d: %d regressions without a fault", trial, d.Regressions)
			}
		}
		for _, f := range faults {
			d := analyze.Compare([]*analyze.DiffRun{a}, []*analyze.DiffRun{modelled(t, rnd, f)}, opt)
			worse := map[string]bool{}
			for _, r := range d.Rows {
				worse[fmt.Sprint(r.Kind, " ", r.Name)] = r.Verdict == analyze.DiffSlower || r.Verdict == analyze.DiffAdded
				if testing.Verbose() && worse[fmt.Sprint(r.Kind, " ", r.Name)] && trial == 0 {
					t.Log(f, r.Kind, r.Name, r.Verdict, r.Delta)
				}
			}
			for _, n := range named[f] {
				if !worse[n] {
					t.Errorf("trial %d: %s is not found by %q", trial, f, n)
				}
			}
			if f != Kernel && d.Regressions == 0 {
				t.Errorf("trial %d: %s is no regression", trial, f)
			}
		}
	}
}
