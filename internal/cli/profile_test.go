//go:build unix

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reel/internal/golden"
	"reel/internal/rundir"
	"reel/internal/synth"
	"reel/rec"
)

// TestProfiled is the command that the tests run under the profiler.
func TestProfiled(t *testing.T) {
	what := os.Getenv("REEL_TEST_PROFILED")
	switch {
	case what == "":
		t.Skip("runs under the profiler of other tests only")
	case what == "print":
		fmt.Println("the command's own output")
		os.Exit(5)
	case what == "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(time.Minute)
	case what == "wait":
		record(false)
		got := make(chan os.Signal, 1)
		signal.Notify(got, os.Interrupt)
		fmt.Println("ready")
		<-got
		os.Exit(3)
	case what == "tree":
		var all []*exec.Cmd
		for rank := range 3 {
			c := exec.Command(os.Args[0], "-test.run=^TestProfiled$")
			c.Env = append(os.Environ(), "RANK="+strconv.Itoa(rank), "WORLD_SIZE=3", "REEL_TEST_PROFILED=rank"+strconv.Itoa(rank))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		for _, c := range all {
			_ = c.Wait()
		}
		os.Exit(0)
	}
	record(what == "rank1")
	os.Exit(0)
}

// record is a program with three requests of four steps; killed, it is in the
// middle of the last.
func record(killed bool) {
	w, err := rec.FromEnv(os.Getenv, rec.EnvOptions{})
	if err != nil {
		os.Exit(1)
	}
	for i := range 3 {
		_ = w.Request(context.Background(), rec.RequestOptions{Loops: 1}, func(ctx context.Context) error {
			for range rec.Steps(ctx, 4) {
				if i == 2 && killed {
					_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
					time.Sleep(time.Minute)
				}
			}
			return nil
		})
	}
	_ = w.Shutdown() // faults show in what the test finds
}

// underProfiler runs this test binary as a command under the profiler.
func underProfiler(t *testing.T, what string, flags ...string) result {
	t.Helper()
	args := append([]string{"profile", "--env", "REEL_TEST_PROFILED=" + what, "--env", "GORACE=atexit_sleep_ms=0"}, flags...)
	return reel(t, append(args, "--", os.Args[0], "-test.run=^TestProfiled$")...)
}

// TestProfile: one run folder with the recordings of all, their summary, and the
// dead one named; the command's output is its own.
func TestProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	r := underProfiler(t, "tree")
	if r.code != 0 || r.out != "" {
		t.Errorf("exit %d, stdout %q", r.code, r.out)
	}
	for _, want := range []string{"exit code 0 after ", ", 3 processes recorded · artifacts/profiles/cli.test-2", "3 ranks", "reel profile: rank 1 (pid ", "what it had recorded is kept",
		"not recorded: CUDA, NVTX, OS runtime, Vulkan\n", "rec-1-", "opens in", "look again: reel summary artifacts/profiles/cli.test-2"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("stderr does not say %q:\n%s", want, r.err)
		}
	}
	runs := reel(t, "runs")
	if runs.code != 0 || !strings.Contains(runs.out, "exit 0") || !strings.Contains(runs.out, "3 recording") {
		t.Errorf("runs: exit %d, %s%s", runs.code, runs.out, runs.err)
	}
	latest := reel(t, "summary")
	if latest.code != 0 || !strings.HasPrefix(latest.err, "reel summary: the latest run: artifacts/profiles/cli.test-2") || !strings.HasPrefix(latest.out, "3 ranks") {
		t.Errorf("summary: exit %d, %s%s", latest.code, latest.out, latest.err)
	}
}

// TestProfileCodes: the exit code is the command's, or says what went wrong before.
// notProgram is a file that may be executed and is no program.
func notProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(path, []byte("\x7fELF, but for the rest"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProfileCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	if r := underProfiler(t, "print"); r.code != 5 || r.out != "the command's own output\n" || !strings.Contains(r.err, "nothing was recorded: the command failed (exit code 5)") {
		t.Errorf("exit %d, %q, %s", r.code, r.out, r.err)
	}
	if r := underProfiler(t, "kill", "--plain"); r.code != 143 || !strings.HasPrefix(r.err, "\nended by SIGTERM (exit code 143) after ") || strings.Contains(r.err, "not recorded") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	if r := underProfiler(t, "one", "--repeat", "2", "--no-summary"); r.code != 0 || strings.Count(r.err, "1 process recorded") != 2 || strings.Contains(r.err, "steps of request") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	t.Chdir(t.TempDir())
	garbage := notProgram(t)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"absent-command", 127, "reel profile: absent-command: not found on PATH"},
		{"--nsys=absent-nsys true", 127, "reel profile: absent-nsys not found on PATH; install Nsight Systems"},
		{"", 2, "reel profile: name the command to run"},
		{"--", 2, "reel profile: name the command to run"},
		{"--timeout never true", 2, `reel profile: --timeout "never": want seconds or a time`},
		{"--timeout 1e-12 true", 2, `reel profile: --timeout "1e-12"`},
		{"--timeout -5 true", 2, `reel profile: --timeout "-5"`},
		{"--window 5-2 true", 2, `reel profile: --window="5-2"`},
		{"--trace cuda,,nvtx true", 2, `reel profile: --trace "cuda,,nvtx"`},
		{"--env novalue true", 2, `reel profile: --env: "novalue" is no NAME=VALUE`},
		{"--repeat 0 true", 2, "reel profile: --repeat 0: want 1 or more"},
		{"--nsys-arg=--x=1 true", 2, "reel profile: --nsys-arg without --nsys"},
		{"--nsys --plain true", 2, "reel profile: --nsys and --plain contradict each other"},
		{"--plain --window 1 true", 2, "reel profile: --plain records nothing"},
		{"--profiler-config absent.yaml true", 2, "reel profile: --profiler-config: profiler_config: open absent.yaml"},
		{`--profiler-config {"profiler":"moon"} true`, 2, "reel profile: --profiler-config: profiler"},
		{`--nsys --profiler-config {"profiler":"torch","torch_profiler_dir":"./perf"} true`, 2, "reel profile: --nsys and a torch trace (profiler: torch) both need CUPTI"},
		{garbage, 127, "reel profile: " + garbage + " does not start: "},
	} {
		r := reel(t, append([]string{"profile"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.HasPrefix(r.err, c.want) || r.out != "" {
			t.Errorf("reel profile %s: exit %d, %q; want exit %d, %q…", c.args, r.code, r.err, c.code, c.want)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Fatalf("reel profile %s: made %v", c.args, left)
		}
	}
}

// TestProfileInterrupted: an interrupt is the command's; what it recorded is summed
// up all the same, and the exit code is its own.
func TestProfileInterrupted(t *testing.T) {
	if os.Getenv("REEL_TEST_REEL") != "" {
		os.Exit(Run(t.Context(), []string{"profile", "--env", "REEL_TEST_PROFILED=wait", "--", os.Args[0], "-test.run=^TestProfiled$"}, Std))
	}
	c := exec.Command(os.Args[0], "-test.run=^TestProfileInterrupted$")
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), "REEL_TEST_REEL=1", "GORACE=atexit_sleep_ms=0")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // the exit code says more
	for _, want := range []string{"reel profile: SIGINT: passed on to the command", "exit code 3 after ", "1 process recorded", "steps of request 2", "look again"} {
		if c.ProcessState.ExitCode() != 3 || !strings.Contains(errs.String(), want) {
			t.Errorf("exit %d, stderr does not say %q:\n%s", c.ProcessState.ExitCode(), want, errs.String())
		}
	}
}

// TestProfileConfig: the run folder lies where torch_profiler_dir says, and the
// command line in run.json holds no secret.
func TestProfileConfig(t *testing.T) {
	t.Chdir(t.TempDir())
	r := reel(t, "profile", "--env", "REEL_TEST_PROFILED=one", "--name", "my app", "--profiler-config", `{"profiler":"torch","torch_profiler_dir":"./perf"}`,
		"--", os.Args[0], "-test.run=^TestProfiled$", "--token", "s3cret")
	folders, err := filepath.Glob("perf/my-app-*")
	if r.code != 2 && (err != nil || len(folders) != 1) { // the test binary refuses --token with 2
		t.Fatalf("exit %d, %v, %s", r.code, folders, r.err)
	}
	run, err := rundir.Read(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(run)
	if err != nil || strings.Contains(string(text), "s3cret") || run.Config == nil || !strings.Contains(string(text), "--token") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestRuns lists runs in every form, with and without notes.
func TestRuns(t *testing.T) {
	valid := validator(t)
	folder(t)
	if r := reel(t, "runs"); r.code != 0 || !strings.Contains(r.out, "no runs under artifacts/profiles; 'reel profile -- CMD' leaves one") {
		t.Errorf("no runs: exit %d, %s%s", r.code, r.out, r.err)
	}
	if r := reel(t, "runs", "absent"); r.code != 1 {
		t.Errorf("absent: exit %d", r.code)
	}
	code := 137
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC) }
	noted := func(name string, minute int, l rundir.Launch) {
		f, err := rundir.Join("runs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		l.Started, l.Ended = at(minute), at(minute).Add(90*time.Second)
		if err := f.WriteLaunch(rundir.Info{App: "gen"}, l); err != nil {
			t.Fatal(err)
		}
	}
	noted("gen-20260301-090500-1", 5, rundir.Launch{Backend: "own", ExitCode: &code, Signal: "SIGKILL", Warnings: []string{"nothing was recorded"}})
	noted("gen-20260301-091500-1", 15, rundir.Launch{Backend: "nsys", ExitCode: new(int)})
	made(t, "runs/gen-20260301-091500-1/trace_rank0.json", synth.Options{Steps: 2, Layers: 1})
	if err := os.MkdirAll("runs/foreign", 0o755); err != nil {
		t.Fatal(err)
	}
	made(t, "runs/foreign/a.json", synth.Options{Steps: 2, Layers: 1})
	if err := os.Chtimes("runs/foreign", at(10), at(10)); err != nil {
		t.Fatal(err)
	}
	golden.String(t, "runs/runs.csv", good(t, "runs", "runs", "--format", "csv"))
	golden.String(t, "runs/runs.md", good(t, "runs", "runs", "--format", "markdown", "--limit", "2"))
	var doc runsDocument
	if err := json.Unmarshal([]byte(good(t, "runs", "runs", "--json")), &doc); err != nil || len(doc.Runs) != 3 || doc.Runs[1].Path != "runs/foreign" || !doc.Runs[1].Readable {
		t.Errorf("%v, %+v", err, doc)
	}
	valid("runs", "runs", "runs", "--json")
	if one := good(t, "runs", "runs/foreign", "--json"); !strings.Contains(one, `"runs": []`) {
		t.Errorf("a folder without runs: %s", one)
	}
	if one := good(t, "runs", "runs/gen-20260301-090500-1", "--json"); !strings.Contains(one, `"exit_code": 137`) {
		t.Errorf("a run itself: %s", one)
	}
}

func TestProfileHelp(t *testing.T) {
	for _, verb := range []string{"profile", "runs"} {
		golden.String(t, "help/"+verb+".txt", good(t, verb, "--help"))
	}
}
