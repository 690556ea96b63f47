package rec

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		"run folder":   {map[string]string{EnvRecord: "1", "REEL_RUN_DIR": "D/run"}, "run/rec-0-PID.reel", ""},
		"window":       {map[string]string{EnvWindow: "loop1:0-4", "REEL_RUN_DIR": "D"}, "rec-0-PID-request-0-loop-1-steps-0-4.reel rec-0-PID-request-1-loop-1-steps-0-4.reel", "cut short"},
		"keyword":      {map[string]string{EnvWindow: "predenoise", EnvRecord: "D/x.reel"}, "x-request-0-predenoise.reel", ""},
		"range alone":  {map[string]string{EnvTRTWindow: "0-1"}, "", "nothing is recorded"},
		"range, reel":  {map[string]string{EnvTRTWindow: "postdenoise", EnvRecord: "D/x"}, "x-request-0-postdenoise.reel", ""},
		"trace alone":  {map[string]string{EnvTRTTrace: "D/t.json"}, "", EnvTRTTrace + " records nothing without " + EnvTRTWindow},
		"trace":        {map[string]string{EnvTRTTrace: "D/t.json.gz", EnvTRTWindow: "loop0:1", "RANK": "2"}, "t-rank-2-window-1.reel t-rank-2.reel", ""},
		"trace folder": {map[string]string{EnvTRTTrace: "D/", EnvTRTWindow: "loop0:1"}, "trace-rank-0-window-1.reel trace-rank-0.reel", ""},
		"both":         {map[string]string{EnvWindow: "decode", EnvTRTWindow: "0", "REEL_RUN_DIR": "D"}, "", "the first one counts"},
		"never":        {map[string]string{EnvWindow: "12", "REEL_RUN_DIR": "D"}, "", "never entered"},
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
		if !strings.Contains(log.String(), c.log) || c.log == "" && log.Len() > 0 {
			t.Errorf("%s: logged %s, want %q", name, log, c.log)
		}
	}
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
		w, _, err := fromEnv(t, EnvOptions{Emitter: &emitted{}}, c.env)
		if got := fmt.Sprintf("%T", w.Profiler); got != c.want || err != nil {
			t.Errorf("%s: %s, want %s; %v", name, got, c.want, err)
		}
	}
	w, log, _ := fromEnv(t, EnvOptions{}, map[string]string{EnvNVTX: "1"})
	if _, ok := w.Profiler.(Noop); !ok || !strings.Contains(log.String(), "no emitter") {
		t.Errorf("%T, %s", w.Profiler, log)
	}
	s := mustStats(t, map[string]string{EnvFDLatency: "1"})
	s.Event(context.Background(), "x", 1, StepID{})
	if !s.opt.NoRates || !s.opt.NoStages || s.opt.NoLatency {
		t.Errorf("%+v", s.opt)
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
