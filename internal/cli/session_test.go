package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/control"
)

// nothing is a collector that sees three events.
type nothing struct{}

func (nothing) Name() string                { return "nothing" }
func (nothing) Prepare(*control.Run) error  { return nil }
func (nothing) Start() error                { return nil }
func (nothing) Stop() (control.Seen, error) { return control.Seen{Events: 3}, nil }

// serve mounts a controller on a socket, as a program would.
func serve(t *testing.T, config string) (addr string) {
	t.Helper()
	c := profiled(t, config)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	addr = "unix:" + filepath.Join(dir, "s")
	l, err := control.Listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	listen(t, l, c)
	return addr
}

// listen serves until the test ends.
func listen(t *testing.T, l net.Listener, c *control.Controller) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- control.Serve(ctx, l, c, "") }()
	t.Cleanup(func() { cancel(); <-done })
}

// profiled is the controller of a program.
func profiled(t *testing.T, config string) *control.Controller {
	t.Helper()
	cfg, err := control.Parse([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	c, err := control.New(cfg, control.Options{App: "test", Root: t.TempDir(), Collectors: []control.Collector{nothing{}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSession starts, asks and stops a session, then does each of it wrongly.
func TestSession(t *testing.T) {
	addr := serve(t, `{"profiler":"torch","torch_profiler_dir":"`+filepath.ToSlash(t.TempDir())+`"}`)
	if out := good(t, "start", "--addr", addr); !strings.HasPrefix(out, "recording · profiler torch · test, pid ") {
		t.Errorf("start: %q", out)
	}
	if r := reel(t, "start", "--addr", addr); r.code != 1 || !strings.Contains(r.err, "409") && !strings.Contains(r.err, "recording") {
		t.Errorf("second start: %+v", r)
	}
	var reply control.Reply
	if err := json.Unmarshal([]byte(good(t, "status", "--addr", addr, "--json")), &reply); err != nil || reply.Schema != "reel.profile/1" || reply.State != control.Running {
		t.Errorf("status: %+v, %v", reply, err)
	}
	if out := good(t, "stop", "--addr", addr); !strings.HasPrefix(out, "done · ") || !strings.Contains(out, "run folder ") {
		t.Errorf("stop: %q", out)
	}
	if r := reel(t, "stop", "--addr", addr); r.code != 1 || !strings.Contains(r.err, "reel stop: ") {
		t.Errorf("second stop: %+v", r)
	}
	if r := reel(t, "start"); r.code != 2 || !strings.Contains(r.err, "--addr") {
		t.Errorf("without an address: %+v", r)
	}
	if r := reel(t, "status", "--addr", "unix:"+filepath.Join(t.TempDir(), "none")); r.code != 1 {
		t.Errorf("nobody listens: %+v", r)
	}
}

// TestProcesses finds a process by its pid, among those that serve.
func TestProcesses(t *testing.T) {
	dir, err := os.MkdirTemp("", "r") // shorter than that of the test, for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	t.Setenv("XDG_RUNTIME_DIR", "")
	pid := fmt.Sprint(os.Getpid())
	if out := good(t, "status"); !strings.HasPrefix(out, "no process of yours") {
		t.Errorf("none: %q", out)
	}
	if r := reel(t, "stop", "--pid", pid); r.code != 1 || !strings.Contains(r.err, "process "+pid) {
		t.Errorf("a process that serves nothing: %+v", r)
	}
	l, err := control.ListenLocal()
	if err != nil {
		t.Skipf("processes are not found by pid here: %v", err)
	}
	listen(t, l, profiled(t, `{"profiler":"torch","torch_profiler_dir":"`+filepath.ToSlash(t.TempDir())+`"}`))
	good(t, "start", "--pid", pid, "--prefix", "by-pid")
	if out := good(t, "status"); !strings.Contains(out, pid) || !strings.Contains(out, "recording") || !strings.Contains(out, "by-pid-") {
		t.Errorf("status:\n%s", out)
	}
	var list processList
	out := good(t, "status", "--json")
	check(t, schemas(t)["processes"], []string{"status"}, out)
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Processes) != 1 || list.Processes[0].State != "recording" {
		t.Errorf("%+v, %v", list, err)
	}
	if out = good(t, "stop", "--pid", pid, "--json"); !strings.Contains(out, `"state":"done"`) {
		t.Errorf("stop: %q", out)
	}
	check(t, schemas(t)["profile"], []string{"stop"}, out)
	good(t, "start", "--pid", pid)
	if out := good(t, "stop", "--pid", pid); !strings.HasPrefix(out, "done · ") {
		t.Errorf("stop: %q", out)
	}
	if r := reel(t, "start"); r.code != 2 || !strings.Contains(r.err, "--pid "+pid) {
		t.Errorf("without a process: %+v", r)
	}
	if r := reel(t, "start", "--pid", pid, "--addr", "localhost:1"); r.code != 2 {
		t.Errorf("two processes: %+v", r)
	}
}
