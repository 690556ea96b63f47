//go:build unix

package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/internal/rundir"
)

// scene is a working folder with programs on its PATH.
type scene struct {
	bin, log string
	env      []string
	out      bytes.Buffer
	said     []string
}

func newScene(t *testing.T, names ...string) *scene {
	t.Helper()
	s := &scene{bin: bin(t, names...)}
	t.Chdir(t.TempDir())
	s.log = filepath.Join(t.TempDir(), "calls")
	export := filepath.Join(t.TempDir(), "x.sqlite")
	if err := os.WriteFile(export, []byte("SQLite format 3\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.env = []string{"PATH=" + s.bin, "HOME=/home/ada", "GORACE=" + quickEnd, fakeLog + "=" + s.log, fakeExport + "=" + export}
	return s
}

// run runs with the scene's environment and more of it.
func (s *scene) run(opt Options, env ...string) (*Result, error) {
	opt.Env = append(slices.Clone(s.env), env...)
	s.out.Reset()
	s.said = nil
	opt.Stdout, opt.Stderr = &s.out, &s.out
	opt.Say = func(text string) { s.said = append(s.said, text) }
	return Run(context.Background(), opt)
}

// calls returns the argument lists with which the stand-in ran, and forgets them.
func (s *scene) calls(t *testing.T) (calls [][]string) {
	t.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var args []string
		if err := json.Unmarshal(line, &args); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, args)
	}
	_ = os.Remove(s.log) // absent when nothing ran
	return calls
}

// profiled is the command line of the run itself, with FOLDER and BIN for paths.
func (s *scene) profiled(t *testing.T, r *Result) string {
	t.Helper()
	for _, args := range s.calls(t) {
		if args[0] == "profile" && !slices.Equal(args, []string{"profile", "--help"}) {
			line := strings.Join(args, " ")
			return strings.ReplaceAll(strings.ReplaceAll(line, r.Folder, "FOLDER"), s.bin, "BIN")
		}
	}
	t.Fatal("nsys profile was not run")
	return ""
}

// TestNsysCommand compares the command lines that versions and options get.
func TestNsysCommand(t *testing.T) {
	s := newScene(t, "nsys", "say")
	const app = " --output=FOLDER/nsys-%h-%p BIN/say 5 --x -- y"
	newest := "profile --trace=cuda,nvtx,osrt,vulkan --sample=none --cpuctxsw=none --cuda-event-trace=false --cuda-graph-trace=node --cuda-flush-interval=10000 --kill=none --wait=primary --discard-environment=true"
	for _, c := range []struct {
		name string
		opt  Options
		args []string // for nsys
		env  []string
		want string
		warn string
	}{
		{"newest", Options{}, nil, nil, newest + app, ""},
		{"no help", Options{}, nil, []string{fakeNoHelp + "=1"}, newest + app, ""},
		{"2023.1", Options{}, nil, []string{fakeVersion + "=2023.1.1"}, "profile --trace=cuda,nvtx,osrt,vulkan --sample=none --cpuctxsw=none --cuda-graph-trace=node --cuda-flush-interval=10000 --kill=none --wait=primary" + app,
			"nsys 2023.1.1 does not know --discard-environment; left out|so the report holds the command's environment, keys included; 'reel redact' takes it out of an export"},
		{"2023.1, no help", Options{}, nil, []string{fakeVersion + "=2023.1.1", fakeNoHelp + "=1"}, "profile --trace=cuda,nvtx,osrt,vulkan --sample=none --cpuctxsw=none --cuda-graph-trace=node --cuda-flush-interval=10000 --kill=none --wait=primary" + app,
			"nsys 2023.1.1 does not know --discard-environment; left out|so the report holds the command's environment, keys included; 'reel redact' takes it out of an export"},
		{"2020.5", Options{Trace: []string{"cuda", "nvtx"}}, nil, []string{fakeVersion + "=2020.5.1"}, "profile --trace=cuda,nvtx --sample=none --cpuctxsw=none --cuda-flush-interval=10000 --kill=none --wait=primary" + app,
			"nsys 2020.5.1 does not know --cuda-graph-trace, --discard-environment; left out|so the report holds the command's environment, keys included; 'reel redact' takes it out of an export"},
		{"overridden", Options{Trace: []string{"cuda"}}, []string{"--cuda-graph-trace=graph", "-s", "process-tree", "-t", "cuda-sw,nvtx"}, nil,
			"profile --cpuctxsw=none --cuda-event-trace=false --cuda-flush-interval=10000 --kill=none --wait=primary --discard-environment=true --output=FOLDER/nsys-%h-%p --cuda-graph-trace=graph -s process-tree -t cuda-sw,nvtx BIN/say 5 --x -- y", ""},
		{"profiler: cuda", Options{Profiler: "cuda", Config: []byte(`{"profiler":"cuda"}`)}, nil, []string{fakeRanges + "=1"},
			newest + " --trace-fork-before-exec=true --capture-range=cudaProfilerApi --capture-range-end=repeat" + app, ""},
		{"window, rank", Options{Window: "0-4"}, nil, []string{fakeRanges + "=2", "RANK=3"},
			newest + " --capture-range=cudaProfilerApi --capture-range-end=repeat --output=FOLDER/nsys-rank3-%h-%p BIN/say 5 --x -- y", ""},
	} {
		c.opt.Backend, c.opt.Argv = NewNsys("", c.args), []string{"say", "5", "--x", "--", "y"}
		r, err := s.run(c.opt, c.env...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := s.profiled(t, r); got != c.want || strings.Join(r.Warnings, "|") != c.warn || r.Code != 5 || len(r.Nothing) > 0 {
			t.Errorf("%s: exit code %d, nothing %q, warnings %q\n got %s\nwant %s", c.name, r.Code, r.Nothing, r.Warnings, got, c.want)
		}
		run, err := rundir.Read(r.Folder)
		if err != nil || run.Launch.Backend != "nsys" || *run.Launch.ExitCode != 5 || run.Versions["nsys"] == "" || strings.Join(run.Command, " ") != "say 5 --x -- y" {
			t.Errorf("%s: %v, %+v", c.name, err, run.Launch)
		}
	}
}

// TestNsysReports: all reports are found, in their order, exported, and put where
// they were asked for; none is overwritten.
func TestNsysReports(t *testing.T) {
	s := newScene(t, "nsys", "say")
	kinds := func(r *Result) (reports, exports int) {
		for _, f := range r.Files {
			switch f.Kind {
			case rundir.NsysReport:
				reports++
			case rundir.NsysExport:
				exports++
			}
		}
		return reports, exports
	}
	opt := Options{Argv: []string{"say", "0"}, Profiler: "cuda", Report: "out/run.v2"}
	do := func(want string, ranges string, placed ...string) {
		t.Helper()
		opt.Backend = NewNsys("", nil)
		r, err := s.run(opt, fakeRanges+"="+ranges)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if a, b := kinds(r); a != len(placed) || b != len(placed) || !slices.Equal(r.Placed, placed) || len(r.Warnings) > 0 {
			t.Errorf("%d reports, %d exports, placed %q, want %q; %q", a, b, r.Placed, placed, r.Warnings)
		}
		for _, p := range placed {
			if b, _ := os.ReadFile(p); !strings.HasPrefix(string(b), "a report of ") {
				t.Errorf("%s holds %q", p, b)
			}
		}
	}
	var many []string
	for i := range 11 {
		many = append(many, fmt.Sprintf("out/run.v2.%d.nsys-rep", i+1))
	}
	do("", "11", many...)
	do("", "1", "out/run.v2.nsys-rep")
	do("out/run.v2.nsys-rep exists; --force overwrites it", "1")
	opt.Report = "out/run.v2.nsys-rep"
	do("out/run.v2.nsys-rep exists; --force overwrites it", "1")
	opt.Force = true
	do("", "1", "out/run.v2.nsys-rep")
	opt.Report, opt.Force = "folder/", false
	opt.Backend = NewNsys("", nil)
	r, err := s.run(opt, fakeRanges+"=2")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := kinds(r); a != 2 || b != 2 || filepath.Base(r.Folder) != "folder" {
		t.Errorf("%d reports, %d exports in %s", a, b, r.Folder)
	}
	do("holds a run already; --force replaces it", "1")
}

// TestNsysFaults: what is wrong is said, and before a run nothing is made.
func TestNsysFaults(t *testing.T) {
	s := newScene(t, "nsys", "say")
	opt := Options{Argv: []string{"say", "0"}}
	for _, c := range []struct {
		name string
		opt  Options
		env  []string
		args []string
		want string // of the error; else of r.Nothing and r.Warnings
	}{
		{"range never opened", Options{Profiler: "cuda"}, nil, nil, "no capture range was opened: start_profile was never called"},
		{"window never entered", Options{Window: "0-4"}, nil, nil, "no capture range was opened: window 0-4 was never entered"},
		{"only a stream", Options{}, []string{fakeLate + "=1"}, nil, "nsys was ended before it made its report and left nsys-node1-"},
		{"no export", Options{}, []string{fakeExport + "=none"}, nil, ".nsys-rep is not exported: Exporting failed.; later: nsys export --type=sqlite --force-overwrite=true artifacts/profiles/say-"},
		{"refused option", Options{}, nil, []string{"--nonsense=1"}, "nsys left no report; it ended with exit code 1"},
		{"foreign injection", Options{}, []string{"NVTX_INJECTION64_PATH=/home/ada/libx.so"}, nil, "NVTX_INJECTION64_PATH=/home/ada/libx.so is set: that tool receives what NVTX reports, and it is left alone"},
		{"nsys in nsys", Options{}, []string{"NSYS_PROFILING_SESSION_ID=3"}, nil, "this runs within nsys already"},
	} {
		o := c.opt
		o.Argv, o.Backend = opt.Argv, NewNsys("", c.args)
		r, err := s.run(o, c.env...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if said := strings.Join(append(r.Nothing, r.Warnings...), "\n"); !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		name string
		opt  Options
		env  []string
		want string
	}{
		{"too old", Options{Window: "0-4"}, []string{fakeVersion + "=2020.5.1"}, "nsys 2020.5.1 has no --capture-range-end, which --window needs"},
		{"torch", Options{Profiler: "torch"}, nil, "both need CUPTI"},
		{"missing", Options{}, []string{"PATH=" + bin(t, "say")}, "nsys not found on PATH; install Nsight Systems"},
		{"no command", Options{Argv: []string{"absent"}}, nil, "absent: not found on PATH"},
		{"bad variable", Options{Extra: []string{"=x"}}, nil, `--env: "=x" is no NAME=VALUE`},
		{"bad report", Options{Report: s.bin + "/"}, nil, "the folder is not empty and holds no run"},
	} {
		o := c.opt
		if o.Backend = NewNsys("", nil); o.Argv == nil {
			o.Argv = opt.Argv
		}
		r, err := s.run(o, c.env...)
		if r != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		missing := new(NotFound)
		if errors.As(err, &missing) != strings.Contains(c.want, "not found") {
			t.Errorf("%s: %T", c.name, err)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("%s: made %v", c.name, left)
		}
	}
}

// TestNsysKilled ends an nsys that hangs: SIGKILL, and no report, is told.
func TestNsysKilled(t *testing.T) {
	s := newScene(t, "nsys", "stubborn")
	lines := newLineClock()
	opt := Options{Argv: []string{"stubborn", "-1"}, Backend: NewNsys("", nil), Timeout: 1, after: lines.after(3)}
	opt.Env = append(s.env, fakeDeaf+"=1")
	opt.Stdout = lines
	r, err := Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Signal != "SIGKILL" || r.Code != 137 || len(r.Nothing) != 1 || !strings.Contains(r.Nothing[0], "it was ended by SIGKILL before it wrote one") || len(r.Warnings) != 3 {
		t.Errorf("%s, exit code %d, %q, %q", r.Signal, r.Code, r.Nothing, r.Warnings)
	}
}

// TestNsysEnvironment: the command is told to say NVTX, and the window goes to the
// variable that drives an outer profiler's gate.
func TestNsysEnvironment(t *testing.T) {
	s := newScene(t, "nsys", "say")
	names := []string{"REEL_NVTX", "FLASHDREAMS_NVTX", "REEL_RECORD", "REEL_WINDOW", "TLLM_PROFILE_VISUAL_GEN_START_STOP", "KINETO_USE_DAEMON", "A"}
	r, err := s.run(Options{Argv: append([]string{"say", "0"}, names...), Backend: NewNsys("", nil), Window: "0-4", Extra: []string{"A=b=c"}}, fakeRanges+"=1")
	if err != nil {
		t.Fatal(err)
	}
	want := "REEL_NVTX=1\nFLASHDREAMS_NVTX=1\nREEL_RECORD\nREEL_WINDOW\nTLLM_PROFILE_VISUAL_GEN_START_STOP=0-4\nKINETO_USE_DAEMON\nA=b=c\nGenerated: " + r.Folder
	if !strings.HasPrefix(s.out.String(), want) {
		t.Errorf("got %s", s.out.String())
	}
}

func TestReadVersion(t *testing.T) {
	for text, want := range map[string]version{"NVIDIA Nsight Systems version 2025.6.3.541-256337736014v0": {2025, 6, 3}, "NVIDIA Nsight Systems version 2020.5.1.85-5ee086b": {2020, 5, 1},
		"version 2025.2": {2025, 2, 0}, "nonsense": {}, "version ": {}} {
		if got := readVersion(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if !namesOption("--kill-all --kill=", "--kill") || namesOption("--kill-all", "--kill") || namesOption("", "--kill") {
		t.Error("options are told apart by how they begin")
	}
}
