package cli

import (
	"context"
	"encoding/json"
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
	cfg, err := control.Parse([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	c, err := control.New(cfg, control.Options{App: "test", Root: t.TempDir(), Collectors: []control.Collector{nothing{}}})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	addr = "unix:" + filepath.Join(dir, "s")
	l, err := control.Listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- control.Serve(ctx, l, c, "") }()
	t.Cleanup(func() { cancel(); <-done })
	return addr
}

// TestSession starts, asks and stops a session, then does each of it wrongly.
func TestSession(t *testing.T) {
	addr := serve(t, `{"profiler":"torch","torch_profiler_dir":"`+filepath.ToSlash(t.TempDir())+`"}`)
	if out := good(t, "start", "--addr", addr); !strings.HasPrefix(out, "recording · profiler torch\n") {
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
	if r := reel(t, "status"); r.code != 2 || !strings.Contains(r.err, "--addr") {
		t.Errorf("without an address: %+v", r)
	}
	if r := reel(t, "status", "--addr", "unix:"+filepath.Join(t.TempDir(), "none")); r.code != 1 {
		t.Errorf("nobody listens: %+v", r)
	}
}
