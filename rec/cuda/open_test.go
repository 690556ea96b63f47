//go:build cuda && linux && (amd64 || arm64)

package cuda_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"reel/control"
	"reel/rec"
	"reel/rec/cuda"
	"reel/window"
)

// standIn compiles a libcudart that writes down its calls into a CUDA_HOME of its own.
func standIn(t *testing.T, flags ...string) (home, log string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no stand-in for libcudart: there is no C compiler (cc)")
	}
	home = t.TempDir()
	log = filepath.Join(home, "log")
	if err := os.Mkdir(filepath.Join(home, "lib64"), 0o755); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-shared", "-fPIC", "-Wall", "-Werror", `-DLOG="` + log + `"`, "-o", filepath.Join(home, "lib64", "libcudart.so"), "testdata/cudart.c"}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return home, log
}

// home makes a gate over the stand-in, unless the system has a libcudart, which the
// loader finds first.
func home(t *testing.T, dir string, env map[string]string) (*cuda.Gate, func() string) {
	t.Helper()
	if g, _ := gate(nil); g.Ready() == nil {
		t.Skipf("no test with a stand-in for libcudart: the system has one, %s", g.Library())
	}
	all := map[string]string{"CUDA_HOME": dir}
	for k, v := range env {
		all[k] = v
	}
	g, log := gate(all)
	return g, log.String
}

func calls(t *testing.T, log string) string {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(data)), " ")
}

// TestGate opens and closes the range; nobody is attached, and it says so once.
func TestGate(t *testing.T) {
	dir, log := standIn(t)
	g, said := home(t, dir, nil)
	for range 2 {
		if err := g.On(); err != nil {
			t.Fatal(err)
		}
		if err := g.Off(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Sync(); err != nil {
		t.Fatal(err)
	}
	if got, want := calls(t, log), "start stop start stop sync"; got != want {
		t.Errorf("calls %q, want %q", got, want)
	}
	if g.Library() != filepath.Join(dir, "lib64", "libcudart.so") {
		t.Errorf("library %s", g.Library())
	}
	if n := strings.Count(said(), "no collector seems attached"); n != 1 {
		t.Errorf("warned %d times: %s", n, said())
	}
}

// TestSession drives the range by a session of profiler: cuda, whose reply warns
// when no collector is attached, and says nothing of that with one.
func TestSession(t *testing.T) {
	for attached, env := range map[bool]map[string]string{false: nil, true: {"NSYS_PROFILING_SESSION_ID": "1"}} {
		dir, log := standIn(t)
		g, said := home(t, dir, env)
		cfg, err := control.Parse([]byte(`{"profiler": "cuda", "max_iterations": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		c, err := control.New(cfg, control.Options{App: "test", Root: t.TempDir(), Gate: g, Sync: g.Sync})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Start(control.StartOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := c.Iteration(window.Requests).End(); err != nil {
			t.Fatal(err)
		}
		s, err := c.Stop(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := calls(t, log), "start sync stop"; got != want {
			t.Errorf("calls %q, want %q", got, want)
		}
		if warned := strings.Contains(strings.Join(s.Warnings, "\n"), "no collector seems attached"); warned == attached || strings.Contains(said(), "no collector") == attached {
			t.Errorf("attached %v: warnings %q, log %s", attached, s.Warnings, said())
		}
	}
}

// TestWindows has the range variable alone drive the gate, and nothing else.
func TestWindows(t *testing.T) {
	dir, log := standIn(t)
	g, _ := home(t, dir, nil)
	t.Chdir(t.TempDir())
	env := map[string]string{rec.EnvTRTWindow: "1-2"}
	w, err := rec.FromEnv(func(k string) string { return env[k] }, rec.EnvOptions{Outer: g, Sync: g.Sync, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
			for range rec.Steps(ctx, 5) {
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Shutdown(); err != nil {
		t.Fatal(err)
	}
	if got, want := calls(t, log), "start sync stop start sync stop"; got != want {
		t.Errorf("calls %q, want %q", got, want)
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("the range variable alone left %v", left)
	}
}

// TestFailure keeps errors of the library apart from one that lacks a function, and
// from none at all.
func TestFailure(t *testing.T) {
	dir, _ := standIn(t, "-DFAILS")
	g, _ := home(t, dir, nil)
	if err := g.On(); err == nil || !strings.Contains(err.Error(), "cudaProfilerStart: error 46, all devices are busy") {
		t.Errorf("a failing call: %v", err)
	}
	dir, _ = standIn(t, "-DLACKS")
	g, _ = home(t, dir, nil)
	refused(t, g, "has no function cudaProfilerStop")
	g, _ = home(t, t.TempDir(), nil)
	refused(t, g, "libcudart is not to be found")
}
