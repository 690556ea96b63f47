package nsight

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func env(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

// TestAttached looks at variables and at ancestors.
func TestAttached(t *testing.T) {
	proc := t.TempDir()
	stat := func(pid int, name string, parent int) {
		dir := filepath.Join(proc, fmt.Sprint(pid))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "stat"), fmt.Appendf(nil, "%d (%s) S %d 1 1 0 -1", pid, name, parent), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stat(10, "nsys", 1)
	stat(11, "bash", 10)
	stat(12, "a) S 10 (b", 11)
	stat(20, "nsys-like", 1)
	stat(30, "loop", 30)
	for _, c := range []struct {
		env    map[string]string
		parent int
		want   string
	}{
		{nil, 1, ""},
		{nil, 99, ""},
		{nil, 20, ""},
		{nil, 30, ""},
		{nil, 12, "its parent nsys (pid 10)"},
		{map[string]string{"NVTX_INJECTION64_PATH": "/x.so"}, 1, "the variable NVTX_INJECTION64_PATH"},
		{map[string]string{"NSYS_PROFILING_SESSION_ID": "4"}, 1, "the variable NSYS_PROFILING_SESSION_ID"},
		{map[string]string{"LD_PRELOAD": "/a/libToolsInjectionProxy64.so:/b.so"}, 1, "the variable LD_PRELOAD"},
		{map[string]string{"LD_PRELOAD": "/a/libjemalloc.so"}, 1, ""},
	} {
		if runtime.GOOS != "linux" && c.env == nil {
			continue // there is no /proc to look into
		}
		by, ok := attached(env(c.env), c.parent, proc)
		if by != c.want || ok != (c.want != "") {
			t.Errorf("%v, parent %d: %q, %v, want %q", c.env, c.parent, by, ok, c.want)
		}
	}
}

// TestLibraries looks in the loader's places first, then in CUDA's own.
func TestLibraries(t *testing.T) {
	home := t.TempDir()
	lib := filepath.Join(home, "lib64", "libx.so.1")
	if err := os.MkdirAll(filepath.Dir(lib), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lib, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := Libraries(env(map[string]string{"CUDA_HOME": home, "CUDA_PATH": "relative"}), "libx.so.1", "libx.so")
	if want := []string{"libx.so.1", "libx.so", lib}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
