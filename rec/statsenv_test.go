package rec

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// statsFile is as much of a StatsFile's JSON as the test looks at.
type statsFile struct {
	Samples  []StatsSample   `json:"samples"`
	Sessions []*StatsSession `json:"sessions"`
}

func readStats(t *testing.T, path string) (f statsFile) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestStatsPath: a program that the environment asks for statistics leaves them as it
// shuts down, with a session for each that was reset, a name for each rank, and
// nothing written over.
func TestStatsPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "stats.json")
	synced := 0
	run := func(also map[string]string) {
		env := map[string]string{EnvStatsPath: path, EnvSyncProfile: "1"}
		for k, v := range also {
			env[k] = v
		}
		w, _, err := fromEnv(t, EnvOptions{Sync: func() error { synced++; return nil }, Stamp: func(context.Context) func() Time { panic("stamps want to be collected") }}, env)
		if err != nil {
			t.Fatal(err)
		}
		ctx := With(context.Background(), w)
		for range 2 {
			for range 3 { // nobody collects
				w.Range(ctx, "pipeline.diffuse").End()
			}
			at := Now()
			w.InputReceived(at, 1)
			w.InputConsumed(StepN(0), []Time{at}, at)
			w.StepPresented(StepN(0))
			w.Event(ctx, "present.frame", 1, StepN(0))
			w.ResetCounts()
		}
		if err := w.Shutdown(); err != nil {
			t.Fatal(err)
		}
		if err := w.Shutdown(); err != nil {
			t.Fatal(err)
		}
	}
	run(nil)
	run(nil)
	run(map[string]string{"RANK": "3", "WORLD_SIZE": "4"})
	want(t, "files", strings.Join(files(t, filepath.Dir(path)), " "), "stats-2.json stats-rank-3.json stats.json")
	f := readStats(t, path)
	got := map[string]float64{}
	for _, s := range f.Samples {
		got[s.Name] = s.Value
		if s.Metadata["timing"] != "synced" || s.Step != nil {
			t.Errorf("%+v", s)
		}
	}
	if len(f.Sessions) != 2 || got["diffuse_count"] != 3 || got["input.latency_count"] != 1 || got["present.frame_avg_fps"] <= 0 || got["diffuse_total_s"] < got["diffuse_max_s"] || synced == 0 {
		t.Errorf("%d sessions, %v", len(f.Sessions), got)
	}
}

// TestStatsPathFails: statistics that cannot be written are told in the log and fail
// nothing.
func TestStatsPathFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w, log, err := fromEnv(t, EnvOptions{}, map[string]string{EnvStatsPath: filepath.Join(file, "stats.json")})
	if err != nil || w.Shutdown() != nil || !strings.Contains(log.String(), EnvStatsPath) {
		t.Errorf("%v: %s", err, log)
	}
}
