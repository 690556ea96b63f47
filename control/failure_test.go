package control

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/window"
)

// A step that fails, by error or panic, keeps none of the later ones from
// happening, fails no request, and leaves the next session unharmed. A device
// error is the request's own.
func TestEachPointFails(t *testing.T) {
	const head = "a.prepare b.prepare a.start b.start "
	tests := []struct{ step, log string }{
		{"a.prepare", "a.prepare"},
		{"b.prepare", "a.prepare b.prepare a.stop"},
		{"a.start", "a.prepare b.prepare a.start sync b.stop a.stop"},
		{"b.start", head + "sync b.stop a.stop"},
		{"sync", whole}, {"b.stop", whole}, {"a.stop", whole}, {"export", whole},
	}
	for _, how := range []string{"error", "panic"} {
		for _, test := range tests {
			for _, delay := range []int{0, 1} {
				t.Run(test.step+"/"+how, func(t *testing.T) { failAt(t, test.step, how, test.log, delay) })
			}
		}
	}
}

func failAt(t *testing.T, step, how, log string, delay int) {
	c, st := rig(t, Config{Max: 1, Delay: delay}, nil)
	st.breaks(step, how)
	opening := strings.HasSuffix(step, "prepare") || strings.HasSuffix(step, "start")
	_, err := c.Start(StartOptions{})
	if failed := opening && delay == 0; failed != (err != nil) {
		t.Fatalf("start: %v", err)
	}
	var device *DeviceError
	errs := request(c, delay+2)
	if (step == "sync") != (len(errs) == 1 && errors.As(errs[0], &device)) || step != "sync" && len(errs) > 0 {
		t.Errorf("the requests' errors: %v", errs)
	}
	s, err := c.Stop(t.Context())
	var failed *SessionError
	switch {
	case opening && delay == 0:
		wantStateError(t, err, "stop", Failed)
	case step == "sync":
		if err != nil || s.State != Done || s.Device == "" {
			t.Error(s, err)
		}
	default:
		if !errors.As(err, &failed) || s.State != Failed || len(s.Faults) != 1 {
			t.Error(s, err)
		}
		if exported := step == "a.stop" || step == "b.stop"; exported != (len(s.Artifacts) == 1) {
			t.Errorf("artifacts %v", s.Artifacts)
		}
	}
	want(t, "order", st.take(), log)

	st.breaks("", "")
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal("the next session:", err)
	}
	request(c, delay+1)
	if s, err := c.Stop(t.Context()); err != nil || s.State != Done || len(s.Artifacts) != 1 {
		t.Error("the next session:", s, err)
	}
	want(t, "order of the next session", st.take(), whole)
}

// With an explicit stop the request that is under way gets the device's error.
func TestDeviceErrorOfStop(t *testing.T) {
	c, st := rig(t, Config{}, nil)
	st.breaks("sync", "error")
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal(err)
	}
	it := c.Iteration(window.Requests)
	s, err := c.Stop(t.Context())
	if err != nil || s.Device != "device: sync broke" || s.Recorded != 0 {
		t.Error(s, err)
	}
	var device *DeviceError
	if err := it.End(); !errors.As(err, &device) {
		t.Error(err)
	}
}

func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c, st := rig(t, Config{Dir: file + "/perf"}, nil)
	s, err := c.Start(StartOptions{})
	if err == nil || s.State != Failed {
		t.Error(s, err)
	}
	wantState(t, c, Failed)
	if log := st.take(); log != "" {
		t.Error(log)
	}
}

// Windows keep the same order, and the next window works.
func TestWindows(t *testing.T) {
	for _, step := range []string{"", "on", "a.prepare", "a.start", "sync", "a.stop", "export", "off"} {
		st := &stage{}
		w := &Windows{Collectors: []Collector{fake{st, "a"}}, Gate: st, Sync: st.Sync,
			Exporters: []Exporter{{"trace", func(_ context.Context, _ *Run) error { return st.do("export") }}}}
		spec, err := window.Parse("w", "1")
		if err != nil {
			t.Fatal(err)
		}
		gate := window.NewGate(spec, w)
		for n := range 2 {
			if n == 0 {
				st.breaks(step, "error")
			} else {
				st.breaks("", "")
			}
			_ = gate.BeginRequest(false, 1)
			gate.BeginLoop()
			for range 3 {
				gate.BeginStep()
				gate.EndStep()
			}
			gate.EndLoop(true)
			gate.EndRequest()
			if err := w.TakeDeviceError(); (err != nil) != (n == 0 && step == "sync") {
				t.Errorf("%s: device error %v", step, err)
			}
			log := st.take()
			if n == 1 && log != "a.prepare on a.start sync a.stop export off" {
				t.Errorf("after %s: %s", step, log)
			}
			for _, must := range []string{"off", "a.stop"} {
				opened := strings.Contains(log, strings.Replace(must, "a.stop", "a.start", 1)) || must == "off" && strings.Contains(log, "on ")
				if opened && strings.Count(log, must) != 1 {
					t.Errorf("%s fails: %s", step, log)
				}
			}
		}
		report, _ := gate.Report()
		cov := w.Coverage(report)
		if step == "" && (len(cov) != 1 || cov[0].Events != 20 || cov[0].Entered != 2 || cov[0].Asked != "window 1") {
			t.Error(cov)
		}
	}
}
