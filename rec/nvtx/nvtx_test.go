//go:build linux && (amd64 || arm64)

package nvtx

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"reel/rec"
)

// standIn compiles testdata/tool.c, a tool's library that writes down its calls, and
// returns the library and its log. Flags choose what it is like.
func standIn(t *testing.T, flags ...string) (library, log string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no stand-in for a tool's library: there is no C compiler (cc)")
	}
	dir := t.TempDir()
	library, log = filepath.Join(dir, "tool.so"), filepath.Join(dir, "log")
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", `-DLOG="` + log + `"`, "-o", library, "testdata/tool.c"}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return library, log
}

// lines returns what the library wrote, without the threads' numbers, and how many
// threads pushed and popped.
func lines(t *testing.T, log string) (calls []string, byThread map[string][]string) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	byThread = map[string][]string{}
	for line := range strings.Lines(string(data)) {
		thread, call, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		calls = append(calls, call)
		byThread[thread] = append(byThread[thread], call)
	}
	return calls, byThread
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// run makes a request with a range that panics, marks and inputs.
func run(t *testing.T, e rec.Emitter) {
	t.Helper()
	ctx := context.Background()
	p := rec.Emit(e)
	func() {
		defer func() { _ = recover() }()
		defer p.Range(ctx, "pipeline.diffuse").End()
		g := p.Range(ctx, strings.Repeat("long ", 60)+"\x00never seen")
		p.Event(ctx, "present.frame", 1, rec.StepIn(2, 5))
		g.End()
		panic("body")
	}()
	p.InputReceived(10, 1)
	p.InputReceived(11, 1)
	p.InputDropped([]rec.Time{10})
	p.ResetCounts()
}

var wanted = []string{"push pipeline.diffuse", "push " + strings.Repeat("long ", 60), "mark present.frame [gen 2, step 5]", "pop", "pop",
	"start input.wait", "start input.wait", "end 1001", "end 1002"}

// TestInjection has a tool's library fill the tables, with and without the functions
// that take a text alone.
func TestInjection(t *testing.T) {
	for name, flags := range map[string][]string{"text": nil, "attributes": {"-DATTRIBUTES_ALONE"}} {
		library, log := standIn(t, flags...)
		e, err := Open(env(injectionVariable, library))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e.(*emitter).String() != library {
			t.Errorf("%s: library %s", name, e)
		}
		run(t, e)
		calls, _ := lines(t, log)
		if want := append([]string{"version 3", "core 16", "core2 16", "sync 7", "none 0"}, wanted...); !slices.Equal(calls, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(calls, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestLibrary opens the older library, which lies where CUDA_HOME says.
func TestLibrary(t *testing.T) {
	built, log := standIn(t, "-DLIBRARY")
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "lib64"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "lib64", library)
	if err := os.Rename(built, path); err != nil {
		t.Fatal(err)
	}
	if e, err := Open(env()); err == nil {
		t.Skipf("no test with a stand-in for %s: the system has one, %s", library, e)
	}
	e, err := Open(env("CUDA_HOME", home))
	if err != nil {
		t.Fatal(err)
	}
	if e.(*emitter).String() != path {
		t.Errorf("library %s, want %s", e, path)
	}
	run(t, e)
	if calls, _ := lines(t, log); !slices.Equal(calls, wanted) {
		t.Errorf("%s\nwant\n%s", strings.Join(calls, "\n"), strings.Join(wanted, "\n"))
	}
}

// TestAbsent opens what is not there, what is no library, and what refuses.
func TestAbsent(t *testing.T) {
	if _, err := Open(env(injectionVariable, "/nowhere/tool.so")); err == nil || !strings.Contains(err.Error(), injectionVariable) || !strings.Contains(err.Error(), "/nowhere/tool.so") {
		t.Errorf("no file: %v", err)
	}
	for flag, want := range map[string]string{"-DLIBRARY": "has no function " + entry, "-DREFUSES": "does not take part", "-DNOTHING": "takes no ranges"} {
		library, _ := standIn(t, flag)
		if _, err := Open(env(injectionVariable, library)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), library) {
			t.Errorf("%s: %v, want %q", flag, err, want)
		}
	}
	e, err := Open(env())
	if err == nil {
		t.Skipf("not tested without a library: the system has %s", e)
	}
	if !errors.Is(err, ErrAbsent) {
		t.Errorf("without a library: %v", err)
	}
}

// TestFromEnv has many goroutines emit at once, as workers of one program that the
// environment tells to: pushes and pops of each thread fit together although
// goroutines move between threads.
func TestFromEnv(t *testing.T) {
	library, log := standIn(t)
	w, err := rec.FromEnv(env("REEL_NVTX", "1", injectionVariable, library), rec.EnvOptions{NVTX: Open, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	const requests, steps = 8, 5
	var wg sync.WaitGroup
	for range requests {
		wg.Go(func() {
			_ = w.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
				for range rec.Steps(ctx, steps) {
					g := w.Range(ctx, "model.forward")
					hop := make(chan bool)
					go close(hop)
					<-hop // others run on this processor meanwhile
					g.End()
				}
				return nil
			})
		})
	}
	wg.Wait()
	a := w.Async("upload")
	a.End()
	_, byThread := lines(t, log)
	pushes := 0
	for thread, calls := range byThread {
		var open []string
		for _, c := range calls {
			if name, ok := strings.CutPrefix(c, "push "); ok {
				if name == "model.forward" && !strings.HasPrefix(open[len(open)-1], "denoise[") {
					t.Errorf("thread %s: a forward within %q", thread, open)
				}
				open = append(open, name)
				pushes++
			} else if c == "pop" {
				if len(open) == 0 {
					t.Fatalf("thread %s: a pop too many", thread)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("thread %s: open at the end: %q", thread, open)
		}
	}
	if want := requests * (2 + 2*steps); pushes != want {
		t.Errorf("%d ranges, want %d", pushes, want)
	}
	if calls, _ := lines(t, log); !slices.Contains(calls, "start upload") || calls[len(calls)-1] != "end 1001" {
		t.Errorf("async: %q", calls[len(calls)-2:])
	}
}

// BenchmarkRange measures a range against a tool that does nothing.
func BenchmarkRange(b *testing.B) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		b.Skip("no C compiler (cc)")
	}
	library := filepath.Join(b.TempDir(), "tool.so")
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-O1", "-DQUIET", `-DLOG=""`, "-o", library, "testdata/tool.c").CombinedOutput(); err != nil {
		b.Fatalf("cc: %v\n%s", err, out)
	}
	e, err := Open(env(injectionVariable, library))
	if err != nil {
		b.Fatal(err)
	}
	p, ctx := rec.Emit(e), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		p.Range(ctx, "pipeline.diffuse").End()
	}
}
