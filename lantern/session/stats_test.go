package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"reel/rec"
)

// statsOf runs an app with statistics in virtual time and reads the file.
func statsOf(t *testing.T, sessions int, a func() *script, o Options) (doc struct {
	Version  int                `json:"schema_version"`
	Type     string             `json:"artifact_type"`
	Session  rec.StatsInfo      `json:"session"`
	Steps    []rec.StatsStep    `json:"steps"`
	Samples  []rec.StatsSample  `json:"samples"`
	Sessions []rec.StatsSession `json:"sessions"`
}) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new", "stats.json")
	f := rec.NewStatsFile("host")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		clock := func() rec.Time { return rec.Time(time.Since(start)) }
		o.Clock, o.Stats = clock, f
		o.Profiler = rec.NewStats(rec.StatsOptions{Clock: clock})
		for range sessions {
			if _, err := Run(t.Context(), a(), o); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err := f.Write(path, false); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(path, false); !errors.Is(err, os.ErrExist) {
		t.Errorf("written over: %v", err)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil || data[len(data)-1] != '\n' {
		t.Fatal(err)
	}
	return doc
}

// TestStatsTail: the record of a step never holds its own presentation; that of a
// run of one step is in the samples without a step.
func TestStatsTail(t *testing.T) {
	doc := statsOf(t, 1, func() *script { return &script{at: map[int]func(*Session){20: press("left")}} }, Options{Steps: 2, FrameRate: 20})
	if doc.Version != 1 || doc.Type != "flashdreams.runtime.demo.benchmark_stats" || len(doc.Steps) != 2 || doc.Session.Width != 2 || doc.Session.Timing != "host" {
		t.Fatalf("%+v", doc)
	}
	tail := map[string]float64{}
	inSteps := 0
	for _, s := range doc.Samples {
		if s.Metadata["timing"] != "host" {
			t.Errorf("%+v does not tell its mode", s)
		}
		if s.Step == nil {
			tail[s.Name] = s.Value
			continue
		}
		inSteps++
		if s.Name == "input.latency_s" {
			t.Errorf("a step holds its own presentation: %+v", s)
		}
	}
	if inSteps != doc.Steps[0].Samples+doc.Steps[1].Samples || inSteps == 0 {
		t.Errorf("%d samples of steps, %+v", inSteps, doc.Steps)
	}
	// The input of 20 ms was consumed by step 1 (101 to 202 ms), shown at 250 ms or
	// when the chunk before was through.
	if l := tail["input.latency_s"]; l < 0.2 || l > 0.4 {
		t.Errorf("latency %v", l)
	}
	for _, name := range []string{"present.frame_fps", "model.frame_avg_fps", "end_to_end_fps", "ui.step_avg_fps"} {
		if _, ok := tail[name]; !ok {
			t.Errorf("no %s at the end: %v", name, tail)
		}
	}
}

// TestStatsSessions: all sessions are kept, the top level is the last one.
func TestStatsSessions(t *testing.T) {
	n := 0
	doc := statsOf(t, 3, func() *script { n++; return &script{} }, Options{Steps: 2, FrameRate: 20})
	if len(doc.Sessions) != 3 || len(doc.Sessions[0].Steps) != 2 || len(doc.Samples) != len(doc.Sessions[2].Samples) {
		t.Errorf("%d sessions", len(doc.Sessions))
	}
}
