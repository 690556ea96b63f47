package python_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"reel/event"
	"reel/python"
	"reel/reelfile"
)

// interpreter is the Python that the tests run, nothing installed; REEL_TEST_PYTHON
// names another.
func interpreter(t *testing.T) string {
	t.Helper()
	name := os.Getenv("REEL_TEST_PYTHON")
	if name == "" {
		name = "python3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("the client's tests need Python: %v", err)
	}
	out, err := exec.Command(path, "-c", "import sys; print(sys.version_info >= (3, 9))").Output()
	if err != nil || strings.TrimSpace(string(out)) != "True" {
		t.Skipf("%s is no Python from 3.9 on: %s, %v", path, out, err)
	}
	return path
}

// TestClient runs the client's own tests, a process for each file.
func TestClient(t *testing.T) {
	path := interpreter(t)
	files, err := filepath.Glob("tests/test_*.py")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".py")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(path, "-W", "error", "-m", "unittest", "-q", name)
			c.Dir = "tests"
			c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestFiles: what goes onto PYTHONPATH is whole, and nothing else goes there.
func TestFiles(t *testing.T) {
	files := python.Client()
	if err := fstest.TestFS(files, "reel/__init__.py", "reel/_file.py", "reel/py.typed", "sitecustomize.py"); err != nil {
		t.Error(err)
	}
	onDisk, err := filepath.Glob("reel/*.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range onDisk {
		if f, err := files.Open(filepath.ToSlash(name)); err != nil {
			t.Error(err)
		} else {
			f.Close()
		}
	}
}

const program = `
import os, threading
from reel import denoise_steps, profiler, request_scope, stage
def work():
    for q in range(3):
        with request_scope():
            with stage("encode"):
                pass
            for t in denoise_steps(range(800)):
                with profiler.range("model.forward"):
                    pass
            profiler.counter("queue", 0.5)
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
with profiler.range("at the end"):
    if os.environ.get("DIE"):
        os._exit(0)
`

// TestReadable: Reel's reader finds no fault in what the client wrote, in a closed
// recording as in one whose process died, in full mode and in a flight recorder's.
func TestReadable(t *testing.T) {
	path := interpreter(t)
	for name, env := range map[string][]string{"closed": nil, "died": {"DIE=1"}, "flight": {"REEL_MODE=flight", "REEL_MAX_BYTES=655360"}} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "rec.reel")
			here, err := filepath.Abs(".")
			if err != nil {
				t.Fatal(err)
			}
			c := exec.Command(path, "-c", program)
			c.Dir = t.TempDir()
			c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+here, "REEL_RECORD="+file, "RANK=1")
			c.Env = append(c.Env, env...)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
				t.Errorf("a recording of its own path left %v here: %v", left, err)
			}
			read(t, file, name)
		})
	}
}

func read(t *testing.T, file, name string) {
	t.Helper()
	src, err := reelfile.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	roles := map[event.Role]int{}
	events := 0
	for {
		var b event.Batch
		err := src.Next(&b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range b.Kind {
			if k == event.Range {
				events++
				roles[b.Role[i]]++
			}
		}
	}
	info := src.Info()
	for _, w := range info.Warnings {
		switch {
		case name == "died" && (w.Code == "not-closed" || w.Code == "unfinished"):
		default:
			t.Errorf("warning %+v", w)
		}
	}
	if info.Rank == nil || *info.Rank != 1 {
		t.Errorf("rank %v", info.Rank)
	}
	if name == "flight" {
		if events < 1000 || events > 9*1603 {
			t.Errorf("%d ranges in a flight recorder", events)
		}
		return
	}
	if roles[event.Request] != 9 || roles[event.Step] != 9*800 || roles[event.Forward] != 9*800 || roles[event.Stage] != 9 || roles[event.Loop] != 9 {
		t.Errorf("%v", roles)
	}
}
