package formats

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reel/internal/rundir"
)

// TestDeeper: a run whose traces lie in folders below it is found by its note, which
// leads to nothing outside.
func TestDeeper(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	for _, name := range []string{"run/torch/x/trace_rank0.json", "run/torch/x/ops_rank0.xlsx", "outside.json"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("[]"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "outside.json"), filepath.Join(run, "torch", "link.json")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Files(run); err == nil {
		t.Error("without a note there is nothing to find")
	}
	f, err := rundir.Join(run)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := f.Scan()
	for _, path := range []string{"../outside.json", "torch/link.json", "torch/absent.json", "torch/x/trace_rank0.json"} {
		files = append(files, rundir.Artifact{Path: path, Role: rundir.Source})
	}
	if err := f.WriteLaunch(rundir.Info{App: "x"}, rundir.Launch{Files: files}); err != nil {
		t.Fatal(err)
	}
	got, folder, err := Files(run)
	if want := []string{filepath.Join(run, "torch", "x", "trace_rank0.json")}; err != nil || !folder || !slices.Equal(got, want) {
		t.Errorf("%v, %v, %v; want %v", got, folder, err, want)
	}
}
