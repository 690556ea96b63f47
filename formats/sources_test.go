package formats

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reel/internal/rundir"
)

// TestSources leaves out of a run folder what was made of its recordings, and takes
// that where the recordings are gone.
func TestSources(t *testing.T) {
	f, err := rundir.Create(t.TempDir(), "run")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path := func(name string) string { return filepath.Join(f.Path(), name) }
	for name, role := range map[string]rundir.Role{"rec-0-7.reel": rundir.Source, "trace_rank0.json.gz": rundir.Derived, "rec-0-7-saved-1.reel": rundir.Derived} {
		if err := os.WriteFile(path(name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := f.Register(name, rundir.Other, role); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path("rec-1-8.reel"), []byte("x"), 0o644); err != nil { // a killed process's, that no note lists
		t.Fatal(err)
	}
	if err := f.Write(rundir.Describe("x"), rundir.Rank{PID: 7, Files: f.Artifacts()}); err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		got, _, err := Files(f.Path())
		for i, g := range got {
			got[i] = filepath.Base(g)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	check("rec-0-7.reel", "rec-1-8.reel")
	for _, name := range []string{"rec-0-7.reel", "rec-1-8.reel"} {
		if err := os.Remove(path(name)); err != nil {
			t.Fatal(err)
		}
	}
	check("rec-0-7-saved-1.reel", "trace_rank0.json.gz")
}
