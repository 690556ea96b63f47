//go:build unix

package launch

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

	"reel/rec"
)

// The test binary is also the programs that the tests launch: it is linked under
// their names.
var programs = map[string]func(args []string) int{
	"nsys": standInNsys, "launcher": launcher, "tree": tree, "worker": worker, "stubborn": stubborn, "say": say, "detach": detach, "sleeper": sleeper,
	"python3": func([]string) int { return 0 },
}

func TestMain(m *testing.M) {
	if p := programs[filepath.Base(os.Args[0])]; p != nil {
		os.Exit(p(os.Args[1:]))
	}
	if !strings.Contains(filepath.Base(os.Args[0]), ".test") { // a program that the tests forgot must not run them
		os.Exit(99)
	}
	os.Setenv("GORACE", quickEnd) // the programs' as well
	os.Exit(m.Run())
}

// quickEnd takes the second away that programs with the race detector end with.
const quickEnd = "atexit_sleep_ms=0"

// bin makes a folder with the named programs and returns it.
func bin(t testing.TB, names ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, n := range names {
		if err := os.Symlink(self, filepath.Join(dir, n)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// say prints its arguments and the variables that they name, and exits with the
// code of the first.
func say(args []string) int {
	code, _ := strconv.Atoi(args[0])
	for _, a := range args[1:] {
		if v, ok := os.LookupEnv(a); ok {
			a += "=" + v
		}
		fmt.Println(a)
	}
	return code
}

// worker records two steps as a program with package rec does; -rank N, -die to be
// killed in the middle of a third.
func worker(args []string) int {
	w, err := rec.FromEnv(os.Getenv, rec.EnvOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx := context.Background()
	for range 2 {
		w.Range(ctx, "model.forward").End()
	}
	if len(args) > 0 && args[0] == "-die" {
		w.Range(ctx, "model.forward")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until it comes
	}
	if err := w.Shutdown(); err != nil {
		return 1
	}
	return 0
}

// tree starts three workers, of which the second is killed, and waits for all.
func tree([]string) int {
	self := filepath.Join(filepath.Dir(os.Args[0]), "worker")
	var all []*exec.Cmd
	for rank := range 3 {
		c := exec.Command(self)
		if rank == 1 {
			c.Args = append(c.Args, "-die")
		}
		c.Env = append(os.Environ(), "RANK="+strconv.Itoa(rank), "WORLD_SIZE=3")
		if err := c.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		all = append(all, c)
	}
	for _, c := range all {
		_ = c.Wait()
	}
	return 0
}

// stubborn says "ready" and how many signals it got; it ends at so many of SIGINT,
// with code 3, or by SIGTERM with 4; 0 and -1 never. It leaves the program of its second
// argument running.
func stubborn(args []string) int {
	ints, _ := strconv.Atoi(args[0])
	if len(args) > 1 {
		if err := exec.Command(args[1]).Start(); err != nil {
			return 1
		}
	}
	got := make(chan os.Signal, 16)
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1)
	fmt.Println("ready", os.Getpid())
	n := 0
	for s := range got {
		fmt.Println("got", signalName(s))
		switch s {
		case syscall.SIGINT:
			if n++; n == ints {
				return 3
			}
		case syscall.SIGTERM:
			if ints >= 0 {
				return 4
			}
		}
	}
	return 0
}

// detach leaves a sleeper: in its own session with -session, in this group without.
func detach(args []string) int {
	c := exec.Command(filepath.Join(filepath.Dir(os.Args[0]), "sleeper"))
	if len(args) > 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.Process.Pid)
	return 0
}

func sleeper([]string) int {
	time.Sleep(time.Minute)
	return 0
}

// launcher runs Run as reel does, in a process of its own; its first argument are
// the options. The last line that it prints is the result.
func launcher(args []string) int {
	var o struct {
		Timeout, Grace, Linger time.Duration
		Argv                   []string
		Nsys                   string
		Steps                  int // of ending the command that are taken, each when it has said one more line
	}
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	opt := Options{Argv: o.Argv, Timeout: o.Timeout, Grace: o.Grace, Linger: o.Linger, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Say: func(s string) { fmt.Println("reel:", s) }}
	if o.Timeout > 0 {
		lines := newLineClock()
		opt.Stdout, opt.after = lines, lines.after(o.Steps)
	}
	if o.Nsys != "" {
		opt.Backend = NewNsys(o.Nsys, nil)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	r, err := Run(ctx, opt)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	b, _ := json.Marshal(r)
	fmt.Println(string(b))
	return r.Code
}

// lineClock passes lines on, each of which is a tick.
type lineClock struct{ ticks chan time.Time }

func newLineClock() *lineClock { return &lineClock{make(chan time.Time, 100)} }

// after is time.After by ticks, so many times; then time stands still.
func (l *lineClock) after(times int) func(time.Duration) <-chan time.Time {
	return func(time.Duration) <-chan time.Time {
		if times--; times < 0 {
			return nil
		}
		return l.ticks
	}
}

func (l *lineClock) Write(p []byte) (int, error) {
	n, err := os.Stdout.Write(p)
	for range strings.Count(string(p), "\n") {
		l.ticks <- time.Time{}
	}
	return n, err
}

// started is a launcher under test.
type started struct {
	*exec.Cmd
	out  *bufio.Scanner
	seen []string
}

// launchIt starts a launcher; BIN in opts is the folder of the test's programs.
func launchIt(t *testing.T, attr *syscall.SysProcAttr, tty *os.File, opts string, env ...string) *started {
	t.Helper()
	dir := bin(t, "launcher", "stubborn", "detach", "sleeper", "say", "nsys")
	c := exec.Command(filepath.Join(dir, "launcher"), strings.ReplaceAll(opts, "BIN", dir))
	c.Dir, c.SysProcAttr, c.Env = t.TempDir(), attr, append(os.Environ(), env...)
	if tty != nil {
		c.Stdin = tty
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = w, w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		_ = c.Process.Kill() // as a rule it has ended
		out.Close()
	})
	return &started{Cmd: c, out: bufio.NewScanner(out)}
}

// expect reads lines up to one that begins so, and returns the rest of it.
func (s *started) expect(t *testing.T, prefix string) string {
	t.Helper()
	for s.out.Scan() {
		line := s.out.Text()
		s.seen = append(s.seen, line)
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return rest
		}
	}
	t.Fatalf("no line begins with %q in\n%s", prefix, strings.Join(s.seen, "\n"))
	return ""
}

// result reads the result, and waits for the launcher's end.
func (s *started) result(t *testing.T) (r Result) {
	t.Helper()
	if err := json.Unmarshal([]byte("{"+s.expect(t, "{")), &r); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	if code := s.ProcessState.ExitCode(); code != r.Code {
		t.Errorf("the launcher ends with %d, the command with %d", code, r.Code)
	}
	return r
}

// count counts the lines seen that begin so.
func (s *started) count(prefix string) (n int) {
	for _, line := range s.seen {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}
