package cuda_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"reel/control"
	"reel/rec"
	"reel/rec/cuda"
)

var (
	_ control.Switch = (*cuda.Gate)(nil)
	_ rec.Switch     = (*cuda.Gate)(nil)
)

// gate makes a gate with an environment, and its log.
func gate(env map[string]string) (*cuda.Gate, *bytes.Buffer) {
	log := &bytes.Buffer{}
	return &cuda.Gate{Log: slog.New(slog.NewTextHandler(log, nil)), Getenv: func(k string) string { return env[k] }}, log
}

// refused configures a session and windows with a gate that cannot be opened: the
// session is refused as the program starts, the windows warn and record nothing.
func refused(t *testing.T, g *cuda.Gate, want string) {
	t.Helper()
	if err := g.On(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("On: %v, want %q", err, want)
	}
	cfg, err := control.Parse([]byte(`{"profiler": "cuda"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.New(cfg, control.Options{Gate: g}); err == nil || !strings.Contains(err.Error(), "profiler: cuda: ") || !strings.Contains(err.Error(), want) {
		t.Errorf("a session: %v, want %q", err, want)
	}
	log := &bytes.Buffer{}
	env := map[string]string{rec.EnvTRTWindow: "0-4"}
	w, err := rec.FromEnv(func(k string) string { return env[k] }, rec.EnvOptions{Outer: g, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil || w.Recording().On() || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("windows: %v, %s", err, log)
	}
}

// TestWithoutTag says in programs built without the tag what they lack.
func TestWithoutTag(t *testing.T) {
	g, _ := gate(nil)
	if err := g.Ready(); !errors.Is(err, cuda.ErrTag) {
		t.Skip("this test was built with the tag cuda")
	}
	refused(t, g, "-tags cuda")
	if g.Off() == nil || g.Sync() == nil || g.Library() != "" {
		t.Error("a gate without a library works")
	}
}
