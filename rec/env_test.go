package rec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/internal/rundir"
	"reel/window"
)

// fromEnv makes a worker of variables and returns it with what was logged.
func fromEnv(t *testing.T, opt EnvOptions, env map[string]string) (*Worker, *bytes.Buffer, error) {
	t.Helper()
	log := &bytes.Buffer{}
	opt.Log = slog.New(slog.NewTextHandler(log, nil))
	w, err := FromEnv(func(k string) string { return env[k] }, opt)
	t.Cleanup(func() { w.Shutdown() })
	return w, log, err
}

// generate runs a warm-up and two requests of two loops.
func generate(w *Worker) {
	for i := range 3 {
		w.Request(context.Background(), RequestOptions{WarmUp: i == 0}, func(ctx context.Context) error {
			for _, n := range []int{4, 2} {
				for range Steps(ctx, n) {
					w.Range(ctx, "pipeline.diffuse").End()
				}
			}
			return nil
		})
	}
}

// files lists the files under dir.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name()[0] == '.' {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, p)
			out = append(out, filepath.ToSlash(name))
		}
		return nil
	})
	return out
}

func TestEnvironmentFiles(t *testing.T) {
	pid := fmt.Sprint(os.Getpid())
	for name, c := range map[string]struct {
		env  map[string]string
		want string
		log  string
	}{
		"nothing":      {nil, "", ""},
		"record":       {map[string]string{EnvRecord: "D/run.reel"}, "run.reel", ""},
		"folder":       {map[string]string{EnvRecord: "D/", "RANK": "3"}, "rec-3-PID.reel", ""},
		"run folder":   {map[string]string{EnvRecord: "1", "REEL_RUN_DIR": "D/run"}, "run/rec-0-PID.reel run/run.json", "recording: entered 1 of 1 recordings, 45 events, 0 device events on rank 0"},
		"window":       {map[string]string{EnvWindow: "loop1:0-4", "REEL_RUN_DIR": "D"}, "rec-0-PID-request-0-loop-1-steps-0-4.reel rec-0-PID-request-1-loop-1-steps-0-4.reel run.json", "cut short"},
		"keyword":      {map[string]string{EnvWindow: "predenoise", EnvRecord: "D/x.reel"}, "x-request-0-predenoise.reel", "window predenoise: entered 1 of 1 requests, 2 events, 0 device events on rank 0"},
		"range alone":  {map[string]string{EnvTRTWindow: "0-1"}, "", "nothing is recorded"},
		"range, reel":  {map[string]string{EnvTRTWindow: "postdenoise", EnvRecord: "D/x"}, "x-request-0-postdenoise.reel", ""},
		"trace alone":  {map[string]string{EnvTRTTrace: "D/t.json"}, "", EnvTRTTrace + " records nothing without " + EnvTRTWindow},
		"trace":        {map[string]string{EnvTRTTrace: "D/t.json.gz", EnvTRTWindow: "loop0:1", "RANK": "2"}, "t-rank-2-window-1.reel t-rank-2.reel", "window loop0:1: entered 2 of 2 loops, 4 events, 0 device events on rank 2"},
		"trace folder": {map[string]string{EnvTRTTrace: "D/", EnvTRTWindow: "loop0:1"}, "trace-rank-0-window-1.reel trace-rank-0.reel", ""},
		"both":         {map[string]string{EnvWindow: "decode", EnvTRTWindow: "0", "REEL_RUN_DIR": "D"}, "run.json", "the first one counts"},
		"never":        {map[string]string{EnvWindow: "12", "REEL_RUN_DIR": "D"}, "run.json", "never entered"},
	} {
		dir := t.TempDir()
		env := map[string]string{}
		for k, v := range c.env {
			if rest, ok := strings.CutPrefix(v, "D"); ok {
				v = dir + rest
			}
			env[k] = v
		}
		w, log, err := fromEnv(t, EnvOptions{}, env)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		generate(w)
		w.Shutdown()
		got := files(t, dir)
		slices.Sort(got)
		want(t, name, strings.ReplaceAll(strings.Join(got, " "), pid, "PID"), c.want)
		if !strings.Contains(log.String(), c.log) || c.log == "" && strings.Contains(log.String(), "level=WARN") {
			t.Errorf("%s: logged %s, want %q", name, log, c.log)
		}
	}
}

// TestRunNote reads the run.json that a process leaves without a session: one for all
// its windows, and for all ranks of the run.
func TestRunNote(t *testing.T) {
	dir := t.TempDir()
	for _, rank := range []string{"0", "2"} {
		w, _, err := fromEnv(t, EnvOptions{App: "paint"}, map[string]string{EnvWindow: "1-2", "REEL_RUN_DIR": dir, "RANK": rank, "WORLD_SIZE": "3"})
		if err != nil {
			t.Fatal(err)
		}
		generate(w)
		if run, err := rundir.Read(dir); err != nil || run.Ranks[len(run.Ranks)-1].State != "recording" || len(run.Ranks[len(run.Ranks)-1].Files) != 4 {
			t.Errorf("while it goes on: %+v, %v", run, err)
		}
		if err := w.Shutdown(); err != nil {
			t.Fatal(err)
		}
	}
	run, err := rundir.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.App != "paint" || run.Window != "1-2" || len(run.Ranks) != 2 || run.Ranks[1].State != "done" || run.Ranks[1].Ended.IsZero() {
		t.Errorf("%+v", run)
	}
	want(t, "coverage", strings.Join(run.Coverage, "; "),
		"window 1-2: entered 4 of 4 loops, 24 events, 0 device events on ranks 0, 2; rank 1: nothing (loop 1 of request 0 had 2 steps)")
}

// TestRangeVariable pins that the range variable alone drives the outer profiler's
// gate, and with the trace variable a trace on the same windows.
func TestRangeVariable(t *testing.T) {
	outer := &sw{}
	w, log, err := fromEnv(t, EnvOptions{Outer: outer}, map[string]string{EnvTRTWindow: "1-2"})
	if err != nil {
		t.Fatal(err)
	}
	generate(w)
	want(t, "gate", outer.log, strings.Repeat("on off ", 4))
	if log.Len() > 0 {
		t.Error(log)
	}
	dir := t.TempDir()
	var made []string
	export := func(recording, name string) error {
		made = append(made, filepath.Base(recording)+">"+filepath.Base(name))
		return os.WriteFile(name, nil, 0o644)
	}
	for range 2 { // a second process overwrites nothing
		outer.log = ""
		w, _, _ = fromEnv(t, EnvOptions{Outer: outer, Export: export}, map[string]string{EnvTRTWindow: "all", EnvTRTTrace: dir + "/t.json.gz"})
		generate(w)
		want(t, "gate", outer.log, "on off on off")
	}
	want(t, "exports", strings.Join(made, " "), "t-rank-0.reel>t-rank-0.json.gz t-rank-0-window-1.reel>t-rank-0-window-1.json.gz "+
		"t-rank-0-2.reel>t-rank-0-2.json.gz t-rank-0-window-1-2.reel>t-rank-0-window-1-2.json.gz")
}

func TestEnvironmentErrors(t *testing.T) {
	for variable, value := range map[string]string{EnvWindow: "5-2", EnvTRTWindow: " ", EnvMode: "ring", EnvMaxBytes: "1 GB"} {
		env := map[string]string{variable: value}
		if variable == EnvMode || variable == EnvMaxBytes {
			env[EnvRecord] = t.TempDir() + "/"
		}
		w, _, err := fromEnv(t, EnvOptions{}, env)
		if err == nil || !strings.Contains(err.Error(), variable) {
			t.Errorf("%s=%q: %v", variable, value, err)
		}
		generate(w) // goes on all the same
	}
}

func TestSwitches(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"none":    {nil, "rec.Noop"},
		"fps":     {map[string]string{EnvFDFPS: "1"}, "*rec.Stats"},
		"not 1":   {map[string]string{EnvFDFPS: "true", EnvFDSync: "yes"}, "rec.Noop"},
		"several": {map[string]string{EnvFDNVTX: "1", EnvFDLatency: "1"}, "rec.composite"},
	} {
		w, _, err := fromEnv(t, EnvOptions{NVTX: opens(&emitted{})}, c.env)
		if got := fmt.Sprintf("%T", w.Profiler); got != c.want || err != nil {
			t.Errorf("%s: %s, want %s; %v", name, got, c.want, err)
		}
	}
	w, log, _ := fromEnv(t, EnvOptions{}, map[string]string{EnvNVTX: "1"})
	if _, ok := w.Profiler.(Noop); !ok || !strings.Contains(log.String(), "this program brings none") {
		t.Errorf("%T, %s", w.Profiler, log)
	}
	s := mustStats(t, map[string]string{EnvFDLatency: "1"})
	s.Event(context.Background(), "x", 1, StepID{})
	if !s.opt.NoRates || !s.opt.NoStages || s.opt.NoLatency {
		t.Errorf("%+v", s.opt)
	}
}

// opens is an opener of NVTX that finds e.
func opens(e Emitter) func(func(string) string) (Emitter, error) {
	return func(func(string) string) (Emitter, error) { return e, nil }
}

// TestNVTX asks for NVTX, has a collector show itself, and has no library.
func TestNVTX(t *testing.T) {
	attached := "NVTX_INJECTION64_PATH"
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"asked for":     {map[string]string{EnvNVTX: "1"}, "(request ) "},
		"an outer nsys": {map[string]string{attached: "/x.so"}, "(request ) "},
		"not even then": {map[string]string{attached: "/x.so", EnvNVTX: "0"}, ""},
	} {
		e := &emitted{}
		w, _, err := fromEnv(t, EnvOptions{NVTX: opens(e)}, c.env)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Request(context.Background(), RequestOptions{}, func(context.Context) error { return nil }); err != nil || e.String() != c.want {
			t.Errorf("%s: %q, want %q; %v", name, e.String(), c.want, err)
		}
	}
	none := func(func(string) string) (Emitter, error) { return nil, errors.New("no library") }
	w, log, err := fromEnv(t, EnvOptions{NVTX: none}, map[string]string{EnvNVTX: "1"})
	if _, ok := w.Profiler.(Noop); !ok || err != nil || strings.Contains(log.String(), "level=WARN") {
		t.Errorf("without a library: %T, %v, %s", w.Profiler, err, log)
	}
}

func mustStats(t *testing.T, env map[string]string) *Stats {
	w, _, _ := fromEnv(t, EnvOptions{}, env)
	s, ok := w.Profiler.(*Stats)
	if !ok {
		t.Fatalf("%T", w.Profiler)
	}
	return s
}

func TestNames(t *testing.T) {
	steps := window.Window{Mode: window.Steps, Range: window.Range{From: 0, To: 4}, Request: 3, Loop: 1}
	for _, c := range []struct{ got, want string }{
		{TraceName("a/trace.json.gz", 2)(steps, 0), "a/trace-rank-2.json.gz"},
		{TraceName("a/trace.json.gz", 2)(steps, 3), "a/trace-rank-2-window-3.json.gz"},
		{TraceName("trace", 0)(steps, 0), "trace-rank-0.reel"},
		{TraceName("d/", 0)(steps, 0), "d/trace-rank-0.reel"},
		{WindowName("run.reel")(steps, 0), "run-request-3-loop-1-steps-0-4.reel"},
		{WindowName("run.reel")(window.Window{Mode: window.Decode}, 0), "run-request-0-decode.reel"},
	} {
		if filepath.ToSlash(c.got) != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// TestLastLoop keeps the window of the last loop alone where the request did not
// say how many it has.
func TestLastLoop(t *testing.T) {
	dir := t.TempDir()
	spec, _ := window.Parse("TEST", "last:0")
	r, err := Open(dir+"/run.reel", Options{Windows: spec, Heap: true, Log: quietLog})
	if err != nil {
		t.Fatal(err)
	}
	r.Request(context.Background(), RequestOptions{}, func(ctx context.Context) error {
		for range 3 {
			for range Steps(ctx, 2) {
			}
		}
		return nil
	})
	want(t, "files", strings.Join(files(t, dir), " "), "run-request-0-loop-2-steps-0.reel")
}
