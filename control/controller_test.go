package control

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"reel/internal/rundir"
	"reel/window"
)

const whole = "a.prepare b.prepare a.start b.start sync b.stop a.stop export"

func TestStartStop(t *testing.T) {
	c, st := rig(t, Config{}, nil)
	wantState(t, c, Idle)
	s, err := c.Start(StartOptions{})
	if err != nil || s.State != Running {
		t.Fatal(s, err)
	}
	_, err = c.Start(StartOptions{})
	wantStateError(t, err, "start", Running)
	request(c, 3)
	s, err = c.Stop(t.Context())
	if err != nil || s.State != Done || s.Recorded != 3 || len(s.Artifacts) != 1 {
		t.Fatal(s, err)
	}
	want(t, "order", st.take(), whole)
	if a := s.Artifacts[0]; a.ID != "1-1" || a.Kind != Trace || a.Path != "trace_rank0.json" || a.Size != 9 || a.Role != Derived {
		t.Error(a)
	}
	want(t, "coverage", strings.Join(s.Coverage, "|"), "session: entered 3 requests, 20 events, 8 device events on rank 0")
	_, err = c.Stop(t.Context())
	wantStateError(t, err, "stop", Done)

	run, err := rundir.Read(s.Run)
	if err != nil || len(run.Ranks) != 1 || run.Ranks[0].State != "done" || run.Ranks[0].Dropped["a"] != 1 {
		t.Fatal(run, err)
	}
	want(t, "coverage in run.json", run.Coverage[0], s.Coverage[0])
	again, err := c.Start(StartOptions{Prefix: "again"})
	if err != nil || again.Run == s.Run || !strings.Contains(again.Run, "/again-") {
		t.Fatal(again, err)
	}
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := c.Status(); len(st.Earlier) != 1 || st.Earlier[0].ID != 1 || st.Session.ID != 2 {
		t.Error(st)
	}
}

// max M records M: not one more, delay or not.
func TestMaxIsExact(t *testing.T) {
	for _, cfg := range []Config{{Max: 1}, {Max: 2}, {Max: 2, Delay: 3}, {Max: 2, Wait: 1, Warmup: 2}, {Active: 2}, {Active: 3, Max: 2, Delay: 1, Warmup: 1}} {
		c, st := rig(t, cfg, nil)
		if _, err := c.Start(StartOptions{}); err != nil {
			t.Fatal(err)
		}
		recorded, sched := 0, cfg.Schedule()
		for i := range 12 {
			it := c.Iteration(window.Requests)
			if it.Recorded() {
				recorded++
				wantState(t, c, Running)
			} else if sched.Phase(i) == window.Off && it != nil {
				wantState(t, c, Armed)
			} else if it != nil {
				wantState(t, c, Warming)
			}
			if err := errors.Join(it.End(), it.End()); err != nil {
				t.Fatal(err)
			}
		}
		if recorded != cfg.target() {
			t.Errorf("%+v recorded %d", cfg, recorded)
		}
		s, err := c.Stop(t.Context())
		if err != nil || s.Recorded != recorded || s.Auto == "" || len(s.Artifacts) != 1 {
			t.Errorf("the stop behind it: %+v, %v", s, err)
		}
		want(t, "order", st.take(), whole)
		_, err = c.Stop(t.Context())
		wantStateError(t, err, "stop", Done)
	}
}

func TestCancelled(t *testing.T) {
	for name, cfg := range map[string]Config{"delay": {Delay: 3}, "wait": {Wait: 3}, "warm-up": {Warmup: 3}} {
		c, st := rig(t, cfg, nil)
		s, err := c.Start(StartOptions{})
		if err != nil {
			t.Fatal(err)
		}
		request(c, 2)
		s, err = c.Stop(t.Context())
		if err != nil || s.State != Idle || !s.Cancelled || len(s.Artifacts) != 0 || s.Recorded != 0 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if log := st.take(); strings.Contains(log, "export") || strings.Contains(log, "sync") {
			t.Error(name, log)
		}
		if left, _ := os.ReadDir(c.Config().Dir); len(left) != 0 {
			t.Errorf("%s left %v", name, left)
		}
		wantState(t, c, Idle)
		if it := c.Iteration(window.Requests); it != nil {
			t.Error("an iteration counts without a session")
		}
		_, err = c.Stop(t.Context())
		wantStateError(t, err, "stop", Idle)
	}
}

func TestNothingWithoutStart(t *testing.T) {
	c, st := rig(t, Config{}, nil)
	request(c, 3)
	if err := c.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(c.Config().Dir)
	if log := st.take(); log != "" || len(left) != 0 {
		t.Error(log, left)
	}
	if _, err := c.Start(StartOptions{}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestShutdownStopsAndFlushes(t *testing.T) {
	c, st := rig(t, Config{}, nil)
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Shutdown(t.Context()), c.Shutdown(t.Context())); err != nil {
		t.Fatal(err)
	}
	want(t, "order", st.take(), whole)
	if s := c.Status().Session; s.State != Done || s.Auto != "shutdown" || len(s.Artifacts) != 1 {
		t.Error(s)
	}
}

func TestUnits(t *testing.T) {
	c, _ := rig(t, Config{Max: 2, Unit: Unit(window.DenoiseSteps)}, nil)
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal(err)
	}
	request(c, 5)
	if c.Status().Session.Seen != 0 {
		t.Error("requests count as steps")
	}
	for range 2 {
		if err := c.Iteration(window.DenoiseSteps).End(); err != nil {
			t.Error(err)
		}
	}
	if s, err := c.Stop(t.Context()); err != nil || s.Recorded != 2 || s.Auto != "max_iterations" {
		t.Error(s, err)
	}
}

// Iterations that overlap are numbered as they begin, and the session closes
// behind the last recorded one.
func TestOverlap(t *testing.T) {
	c, st := rig(t, Config{Max: 2}, nil)
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal(err)
	}
	first, second := c.Iteration(window.Requests), c.Iteration(window.Requests)
	third := c.Iteration(window.Requests)
	if third.Recorded() {
		t.Error("the third of two is recorded")
	}
	_ = second.End()
	_ = third.End()
	wantState(t, c, Running)
	st.breaks("sync", "error")
	var device *DeviceError
	if err := first.End(); !errors.As(err, &device) {
		t.Error(err)
	}
	if s, err := c.Stop(t.Context()); err != nil || s.Recorded != 2 || s.State != Done || s.Device == "" {
		t.Error(s, err)
	}
}

func TestDisabledAndUnfit(t *testing.T) {
	c, err := New(Config{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Start(StartOptions{}); !errors.Is(err, ErrDisabled) {
		t.Error(err)
	}
	if _, err := c.Stop(t.Context()); !errors.Is(err, ErrDisabled) {
		t.Error(err)
	}
	for cfg, text := range map[Config]string{
		{Profiler: CUDA}:               "cannot open the range",
		{Profiler: Torch, Dir: "/x"}:   "no collector",
		{Profiler: Torch, Dir: "s://"}: "no collector",
	} {
		if _, err := New(cfg, Options{}); err == nil || !strings.Contains(err.Error(), text) {
			t.Error(cfg, err)
		}
	}
	_, err = New(Config{Profiler: Torch, Dir: "s3://key:pw@bucket/x"}, Options{Collectors: []Collector{fake{}}})
	if err == nil || !strings.Contains(err.Error(), "local folders only") || strings.Contains(err.Error(), "pw") {
		t.Error(err)
	}
}

// The cuda profiler opens and closes the gate, and writes no artifacts.
func TestCUDA(t *testing.T) {
	st := &stage{}
	c, err := New(Config{Profiler: CUDA, Max: 1}, Options{Gate: st, Sync: st.Sync, Root: t.TempDir(), Collectors: []Collector{fake{st, "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal(err)
	}
	request(c, 2)
	s, err := c.Stop(context.Background())
	if err != nil || s.State != Done || len(s.Artifacts) != 0 || len(s.Warnings) != 0 {
		t.Error(s, err)
	}
	want(t, "order", st.take(), "on sync off")
}
