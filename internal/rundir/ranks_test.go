package rundir

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRanksBesideLauncher: under a launcher a rank leaves run.json alone, and what
// it said is found all the same.
func TestRanksBesideLauncher(t *testing.T) {
	f, err := Create(t.TempDir(), "run")
	if err != nil {
		t.Fatal(err)
	}
	dir := f.Path()
	if err := f.WriteLaunch(Info{App: "app"}, Launch{Backend: "own"}); err != nil {
		t.Fatal(err)
	}
	said := `{"info": {"app": "app"}, "rank": {"rank": 1, "pid": 7, "state": "recording", "faults": ["a window was open"]}}`
	if err := os.WriteFile(filepath.Join(dir, partFolder, "rank1-7.json"), []byte(said), 0o666); err != nil {
		t.Fatal(err)
	}
	if run, err := Read(dir); err != nil || len(run.Ranks) != 0 {
		t.Fatalf("run.json has %d ranks, %v; want the launcher's alone", len(run.Ranks), err)
	}
	ranks, err := f.Ranks()
	if err != nil || len(ranks) != 1 || ranks[0].PID != 7 || len(ranks[0].Faults) != 1 {
		t.Errorf("ranks %+v, %v; want what rank 1 said", ranks, err)
	}
}
