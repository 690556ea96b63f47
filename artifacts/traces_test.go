package artifacts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/control"
	"reel/internal/rundir"
	"reel/internal/synth"
)

// TestTraces: of each rank's and window's trace that lies in a run folder, what the
// configuration asks for lies beside it, under the same window; a trace that cannot
// be read takes nothing from the others.
func TestTraces(t *testing.T) {
	dir := t.TempDir()
	folder, err := rundir.Join(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, name := range []string{"trace_rank0-request-0-loop-0-steps-1-2.json", "trace_rank3.json", "session-2/trace_rank0.json", "other.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := synth.Write(f, synth.Options{Steps: 2, Layers: 1}); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if err := os.WriteFile(filepath.Join(dir, "trace_rank5.json"), []byte("no trace"), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg := control.Config{Profiler: control.Torch, Stack: true, CUDATotal: true, Memory: true}
	err = Traces(t.Context(), folder, cfg)
	if err == nil || !strings.Contains(err.Error(), "trace_rank5.json") {
		t.Errorf("an unreadable trace: %v", err)
	}
	var derived []string
	for _, a := range folder.Scan() {
		if a.Role == rundir.Derived {
			derived = append(derived, a.Path)
		}
	}
	slices.Sort(derived)
	want := []string{
		"ops_rank0-request-0-loop-0-steps-1-2.xlsx", "ops_rank3.xlsx", "other.json", "profiler_out_0-request-0-loop-0-steps-1-2.txt", "profiler_out_3.txt",
		"session-2/ops_rank0.xlsx", "session-2/profiler_out_0.txt", "session-2/stacks_cpu_rank0.txt", "session-2/stacks_cuda_rank0.txt",
		"stacks_cpu_rank0-request-0-loop-0-steps-1-2.txt", "stacks_cpu_rank3.txt", "stacks_cuda_rank0-request-0-loop-0-steps-1-2.txt", "stacks_cuda_rank3.txt",
	}
	if !slices.Equal(derived, want) {
		t.Errorf("%q\nwant %q", derived, want)
	}
	for _, name := range want {
		if st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil || st.Size() == 0 && !strings.Contains(name, "stacks") {
			t.Errorf("%s: %v, %v", name, st, err)
		}
	}
}
