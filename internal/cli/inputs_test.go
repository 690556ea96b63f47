package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"reel/internal/synth"
)

// TestLatestRun: without a PATH the youngest run that holds a trace is meant.
func TestLatestRun(t *testing.T) {
	folder(t)
	for i, run := range []string{"old", "new", "without"} {
		path := runsFolder + "/" + run
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path+"/run.json", "{}")
		if run != "without" {
			made(t, path+"/trace_rank0.json", synth.Options{Seed: uint64(i), Steps: i + 2, Layers: 1, Python: true})
		}
		when := time.Unix(int64(1_700_000_000+i*60), 0)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	r := reel(t, "summary")
	if r.code != 0 || r.err != "reel summary: the latest run: artifacts/profiles/new\n" || !strings.Contains(r.out, "3 steps") {
		t.Errorf("exit %d, stderr %q, stdout\n%s", r.code, r.err, r.out)
	}
}

// TestFolder: files that lie beside the traces are passed over, and said so.
func TestFolder(t *testing.T) {
	folder(t)
	for r := range 11 {
		made(t, "rank"+string(rune('a'+r))+".json", synth.Options{Seed: uint64(r), Steps: 2, Layers: 1, Rank: r, WorldSize: 11})
	}
	write(t, "config.json", `{"steps": 4}`)
	r := reel(t, "summary", ".")
	if r.code != 0 || !strings.HasPrefix(r.err, "reel summary: passed over: kineto: config.json: ") || !strings.HasPrefix(r.out, "11 ranks") {
		t.Errorf("exit %d, stderr %q, stdout\n%s", r.code, r.err, r.out)
	}
	if r := reel(t, "check", "."); r.code != 0 || !strings.Contains(r.out, "11 files: 11 sound") {
		t.Errorf("exit %d, stderr %q, stdout\n%s", r.code, r.err, r.out)
	}
	if twice := good(t, "summary", "--json", "ranka.json", "./ranka.json"); twice != good(t, "summary", "--json", "ranka.json") {
		t.Error("a file that is named twice counts twice")
	}
}
