//go:build unix

package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"reel/internal/rundir"
)

// TestTree runs a program that starts three workers, one of which is killed: one
// run folder holds what all recorded, and the dead one is named.
func TestTree(t *testing.T) {
	s := newScene(t, "tree", "worker")
	r, err := s.run(Options{Argv: []string{"tree", "--api-key", "s3cret"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Code != 0 || len(r.Processes) != 3 || len(r.Nothing) > 0 || len(r.Warnings) > 0 {
		t.Fatalf("exit code %d, %d processes, %q, %q\n%s", r.Code, len(r.Processes), r.Nothing, r.Warnings, s.out.String())
	}
	for i, p := range r.Processes {
		if p.Rank != i || p.Closed != (i != 1) || p.Events < 2 || p.Files != 1 {
			t.Errorf("%+v", p)
		}
	}
	if len(r.Lost) != 1 || !strings.HasPrefix(r.Lost[0], "rank 1 (pid ") {
		t.Errorf("lost: %q", r.Lost)
	}
	if want := []string{"cuda", "nvtx", "osrt", "vulkan"}; !slices.Equal(r.Missing, want) {
		t.Errorf("missing: %q", r.Missing)
	}
	if name := filepath.Base(r.Folder); !strings.HasPrefix(name, "tree-2") || filepath.Dir(r.Folder) != filepath.Join(cwd(t), "artifacts", "profiles") {
		t.Errorf("the folder is %s", r.Folder)
	}
	run, err := rundir.Read(r.Folder)
	if err != nil {
		t.Fatal(err)
	}
	if run.App != "tree" || len(run.Ranks) != 3 || run.Ranks[1].State != "lost" || run.Ranks[2].State != "done" || len(run.Ranks[0].Files) != 1 ||
		strings.Join(run.Command, " ") != "tree --api-key [hidden]" || !strings.HasPrefix(run.Coverage[0], "recording: entered 1 ") ||
		!strings.HasSuffix(run.Coverage[0], " on ranks 0–2") || len(run.Launch.Files) != 3 || run.Launch.Files[0].Role != rundir.Source || len(run.Launch.Lost) != 1 {
		t.Errorf("%+v\n%+v", run, run.Launch)
	}
}

func cwd(t *testing.T) string {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return wd
}

// TestKilled: the command itself is killed in the middle of what it records.
func TestKilled(t *testing.T) {
	s := newScene(t, "worker")
	r, err := s.run(Options{Argv: []string{"worker", "-die"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Code != 137 || r.Signal != "SIGKILL" || len(r.Processes) != 1 || r.Processes[0].Events < 3 || len(r.Lost) != 1 || !strings.HasSuffix(r.Lost[0], " was ended by SIGKILL") {
		t.Errorf("%d %s %+v %q", r.Code, r.Signal, r.Processes, r.Lost)
	}
}

// TestNothing says why nothing was recorded.
func TestNothing(t *testing.T) {
	s := newScene(t, "say", "worker", "python3")
	client := PythonClient{Files: fstest.MapFS{"reel/__init__.py": {Data: []byte("x")}}}
	for _, c := range []struct {
		argv  string
		opt   Options
		env   string
		wants []string
	}{
		{"say 0", Options{}, "", []string{"no process of the command is a producer", "rec.FromEnv", "reel profile --nsys"}},
		{"say 3", Options{}, "", []string{"the command failed (exit code 3)"}},
		{"say 0", Options{Window: "1-2"}, "", []string{"window 1-2 was never entered, or no process"}},
		{"worker", Options{}, "REEL_RECORD=/dev/null/x", []string{"REEL_RECORD=/dev/null/x sends recordings elsewhere"}},
		{"worker", Options{}, "REEL_RECORD=0", []string{"REEL_RECORD=0"}},
	} {
		c.opt.Argv = strings.Fields(c.argv)
		r, err := s.run(c.opt, c.env)
		if err != nil {
			t.Errorf("%s: %v", c.argv, err)
			continue
		}
		said := strings.Join(r.Nothing, "\n")
		for _, want := range c.wants {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q, want %q", c.argv, said, want)
			}
		}
		if run, err := rundir.Read(r.Folder); err != nil || !slices.Contains(run.Warnings, r.Nothing[0]) {
			t.Errorf("%s: run.json does not say so: %v, %q", c.argv, err, run.Warnings)
		}
	}
	for argv, want := range map[string]string{"python3 -IS x.py": "python -I -S: PYTHONPATH is ignored, no site module starts the client", "python3 x.py": ""} {
		r, err := s.run(Options{Argv: strings.Fields(argv), Client: client, Report: filepath.Join(t.TempDir(), "r")})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Warnings, "\n"); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", argv, got, want)
		}
	}
}

// TestEnvironment: children learn the run folder and what was asked for; what the
// user has set stays.
func TestEnvironment(t *testing.T) {
	s := newScene(t, "say")
	names := []string{"REEL_RUN_DIR", "REEL_RECORD", "REEL_WINDOW", "REEL_PROFILER_CONFIG", "REEL_STATS_PATH", "FLASHDREAMS_FPS", "KINETO_USE_DAEMON", "REEL_NVTX", "A", "PYTHONPATH"}
	opt := Options{Argv: append([]string{"say", "0"}, names...), Window: "1", Config: []byte(`{"a":1}`), Stats: "s/stats.json", Attach: true, Extra: []string{"A=1"}}
	r, err := s.run(opt)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"REEL_RUN_DIR=" + r.Folder, "REEL_RECORD=1", "REEL_WINDOW=1", `REEL_PROFILER_CONFIG={"a":1}`, "REEL_STATS_PATH=" + cwd(t) + "/s/stats.json", "FLASHDREAMS_FPS=1", "KINETO_USE_DAEMON=1", "REEL_NVTX", "A=1", "PYTHONPATH"}
	if got := strings.Split(strings.TrimSpace(s.out.String()), "\n"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "no statistics were written to s/stats.json") {
		t.Errorf("%q", r.Warnings)
	}
	opt = Options{Argv: append([]string{"say", "0"}, names...), Backend: Plain{}}
	if _, err := s.run(opt); err != nil || s.out.String() != strings.Join(names, "\n")+"\n" {
		t.Errorf("%v, plain gives %q", err, s.out.String())
	}
	outer := filepath.Join(t.TempDir(), "outer")
	opt = Options{Argv: append([]string{"say", "0"}, names[:2]...)}
	r, err = s.run(opt, "REEL_RUN_DIR="+outer, "REEL_RECORD=x")
	if err != nil || r.Folder != outer || s.out.String() != "REEL_RUN_DIR="+outer+"\nREEL_RECORD=x\n" {
		t.Errorf("%v, %s, %q", err, r.Folder, s.out.String())
	}
}

// TestClient lays out the package, puts it first on the path, and removes it.
func TestClient(t *testing.T) {
	s := newScene(t, "say")
	temp := t.TempDir()
	client := PythonClient{Files: fstest.MapFS{"reel/__init__.py": {Data: []byte("x")}, "sitecustomize.py": {}}, Temp: temp}
	r, err := s.run(Options{Argv: []string{"say", "0", "PYTHONPATH"}, Client: client}, "PYTHONPATH=/mine")
	if err != nil || !strings.HasPrefix(s.out.String(), "PYTHONPATH="+temp+"/reel-python-") || !strings.HasSuffix(s.out.String(), ":/mine\n") {
		t.Errorf("%v, %q, %q", err, s.out.String(), r.Warnings)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	client.Env = []string{"REEL_AUTO=1", "A=2"}
	if r, err = s.run(Options{Argv: []string{"say", "0", "REEL_AUTO", "A"}, Client: client}, "A=mine"); err != nil || !strings.HasSuffix(s.out.String(), "REEL_AUTO=1\nA=mine\n") {
		t.Errorf("%v, %q, %q", err, s.out.String(), r.Warnings)
	}
	out, remarks, cleanup, err := PythonClient{Files: fstest.MapFS{}}.Prepare(nil, []string{"A=1"})
	if err != nil || cleanup != nil || len(remarks) > 0 || !slices.Equal(out, []string{"A=1"}) {
		t.Errorf("without files: %v, %q", err, out)
	}
}

// TestDerive: what is made of what was recorded is listed; a fault is a warning.
func TestDerive(t *testing.T) {
	s := newScene(t, "say")
	r, err := s.run(Options{Argv: []string{"say", "0"}, Derive: func(_ context.Context, f *rundir.Folder) error {
		return errors.Join(os.WriteFile(filepath.Join(f.Path(), "ops_rank0.xlsx"), []byte("x"), 0o666), errors.New("the second trace is damaged"))
	}})
	if err != nil || len(r.Files) != 1 || r.Files[0].Kind != rundir.Ops || !strings.Contains(strings.Join(r.Warnings, "\n"), "the second trace is damaged") {
		t.Errorf("%v, %+v, %q", err, r.Files, r.Warnings)
	}
}

// TestTorchInNsys warns of a torch trace within nsys.
func TestTorchInNsys(t *testing.T) {
	s := newScene(t, "say")
	for _, env := range []string{"NSYS_PROFILING_SESSION_ID=1", "CUDA_INJECTION64_PATH=/opt/nvidia/nsight-systems/2026.1/libToolsInjection64.so"} {
		r, err := s.run(Options{Argv: []string{"say", "0"}, Profiler: "torch", Config: []byte("{}")}, env)
		if err != nil || !strings.Contains(strings.Join(r.Warnings, "\n"), "both need CUPTI") {
			t.Errorf("%v, %q", err, r.Warnings)
		}
	}
}

// TestReportFolder: a run is not overwritten without force, and what is no run
// never is.
func TestReportFolder(t *testing.T) {
	s := newScene(t, "say")
	opt := Options{Argv: []string{"say", "0"}, Report: "deep/er/run"}
	r, err := s.run(opt)
	if err != nil || r.Folder != cwd(t)+"/deep/er/run" {
		t.Fatal(err, r)
	}
	if _, err := s.run(opt); err == nil || !strings.Contains(err.Error(), "holds a run already; --force replaces it") {
		t.Error(err)
	}
	opt.Force = true
	if _, err := s.run(opt); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile("deep/other", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	opt.Report = "deep"
	if _, err := s.run(opt); err == nil || !strings.Contains(err.Error(), "holds no run") {
		t.Error(err)
	}
	misused := new(Misuse)
	if _, err := s.run(Options{}); !errors.As(err, &misused) {
		t.Error(err)
	}
	opt = Options{Argv: []string{"./notes"}}
	if err := os.WriteFile("notes", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run(opt); err == nil || err.Error() != "./notes: not executable" {
		t.Error(err)
	}
	if err := os.Chmod("notes", 0o755); err != nil {
		t.Fatal(err)
	}
	opt.Root = "fresh"
	missing := new(NotFound)
	if _, err := s.run(opt); !errors.As(err, &missing) { // no program, though executable
		t.Error(err)
	}
	if left, _ := os.ReadDir("fresh"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
