package rec

import (
	"context"
	"math"
	"slices"
	"testing"
)

// ticker is a clock that tests set.
type ticker struct{ now Time }

func (c *ticker) read() Time { return c.now }

func stats(opt StatsOptions) (*Stats, *ticker) {
	c := &ticker{now: 1e9}
	opt.Clock = c.read
	return NewStats(opt), c
}

func TestRates(t *testing.T) {
	s, c := stats(StatsOptions{})
	ctx := context.Background()
	want(t, "no time has passed", text(s.CollectFPS()), "")
	for range 12 {
		s.Event(ctx, "present.frame", 1, StepID{})
	}
	s.Event(ctx, "present.frame", 0, StepID{})
	s.Event(ctx, "present.frame", -3, StepID{})
	c.now += 1_800_000_000 // a burst, then waiting: the whole counts
	want(t, "burst", text(s.CollectFPS()), "present.frame_avg_fps=6.66667 present.frame_fps=6.66667")
	c.now += 1_800_000_000
	want(t, "stalled", text(s.CollectFPS()), "present.frame_avg_fps=3.33333 present.frame_fps=0")
	s.Event(ctx, "present.frame", 4, StepID{})
	want(t, "at once", text(s.CollectFPS()), "present.frame_avg_fps=4.44444")
	c.now += 1e9
	want(t, "not lost", text(s.CollectFPS()), "present.frame_avg_fps=3.47826 present.frame_fps=4")
	s.ResetCounts()
	c.now += 1e9
	want(t, "reset", text(s.CollectFPS()), "")
}

func TestStageTimes(t *testing.T) {
	s, c := stats(StatsOptions{})
	ctx := context.Background()
	stage := func(ctx context.Context, name string, gap, took Time) {
		c.now += gap * 1e6
		g := s.Range(ctx, name)
		c.now += took * 1e6
		g.End()
	}
	stage(ctx, "pipeline.encode", 5, 10)
	stage(ctx, "pipeline.diffuse", 2, 30) // the gap is the later one's
	stage(ctx, "model.step", 0, 3)        // no stage
	inner := InStages(ctx, &StageScope{})
	stage(inner, "pipeline.encode", 0, 1)
	stage(ctx, "pipeline.decode", 0, 4)
	want(t, "inner", text(s.CollectStageMS(inner)), "encode=1")
	want(t, "outer", text(s.CollectStageMS(ctx)), "decode=8 diffuse=32 encode=10")
	want(t, "again", text(s.CollectStageMS(ctx)), "")
	stage(ctx, "pipeline.encode", 0, 7) // the step fails behind this
	stage(ctx, "pipeline.encode", 100, 9)
	want(t, "anew", text(s.CollectStageMS(ctx)), "encode=9")
	if q := s.Stages()["encode"]; q.Count != 4 || q.Max != 10e6 || q.Sum != 27e6 {
		t.Errorf("%+v", q)
	}
}

func TestLatency(t *testing.T) {
	s, c := stats(StatsOptions{})
	s.InputReceived(100e6, 2)
	s.InputReceived(110e6, 1)
	c.now = 150e6
	s.InputConsumed(StepN(0), []Time{100e6, 110e6}, 120e6)
	want(t, "none shown", text(s.CollectInputLatencyMS()), "")
	c.now = 170e6
	s.StepPresented(StepN(0))
	s.StepPresented(StepN(0))
	want(t, "shown", text(s.CollectInputLatencyMS()),
		"input.latency_avg_ms=65 input.latency_ms=65 input.present_avg_ms=20 input.present_ms=20 input.queue_avg_ms=15 input.queue_ms=15")
	s.InputConsumed(StepN(1), []Time{120e6}, 150e6)
	s.InputConsumed(StepN(2), []Time{130e6}, 150e6)
	s.InputConsumed(StepIn(1, 0), []Time{140e6}, 150e6)
	s.StepPresented(StepN(2)) // passes over step 1
	s.InputDropped([]Time{140e6})
	l := s.Latency()
	if l.Received != 3 || l.Shown != 3 || l.Stale != 1 || l.Dropped != 1 || l.Pending != 0 || l.Total.Count != 3 {
		t.Errorf("%+v", l)
	}
}

// TestQuantiles checks counts, extremes and quantiles against the values themselves.
func TestQuantiles(t *testing.T) {
	s, c := stats(StatsOptions{})
	ctx := context.Background()
	var all []int64
	x := uint64(1)
	for range 20000 {
		x = x*6364136223846793005 + 1442695040888963407
		d := int64(math.Exp(float64(x>>40)/(1<<24)*12)*1000) + 1
		all = append(all, d)
		g := s.Range(ctx, "pipeline.step")
		c.now += Time(d)
		g.End()
		s.CollectStageMS(ctx)
	}
	slices.Sort(all)
	q := s.Stages()["step"]
	if q.Count != 20000 || q.Min != all[0] || q.Max != all[len(all)-1] {
		t.Errorf("%+v", q)
	}
	for p, got := range map[int]int64{50: q.P50, 90: q.P90, 99: q.P99} {
		exact := float64(all[len(all)*p/100-1])
		if e := math.Abs(float64(got)-exact) / exact; e > 0.002 {
			t.Errorf("p%d is %d, exactly %.0f: %.3f %% off", p, got, exact, 100*e)
		}
	}
}

func TestInputsAreBounded(t *testing.T) {
	s, _ := stats(StatsOptions{})
	for i := range maxPending + 10 {
		s.InputConsumed(StepN(i), []Time{Time(i)}, 0)
	}
	if l := s.Latency(); l.Pending != maxPending || l.Stale != 10 {
		t.Errorf("%+v", l)
	}
}

// TestStatsStamps: with stamps of the device a step of several stages waits for the
// device twice, before the first stage and when its times are collected, and each
// stage has the time of its own work.
func TestStatsStamps(t *testing.T) {
	now, device, syncs := Time(0), Time(0), 0
	s := NewStats(StatsOptions{Clock: func() Time { return now },
		Sync:  func() error { syncs++; now = max(now, device); return nil },
		Stamp: func(context.Context) func() Time { at := device; return func() Time { return at } }})
	if s.Timing() != "device" {
		t.Error(s.Timing())
	}
	for step := range 3 {
		for i, stage := range []string{"pipeline.encode", "pipeline.diffuse", "pipeline.decode"} {
			g := s.Range(t.Context(), stage)
			now += 1e6                                 // launching takes the host a millisecond
			device = max(device, now) + Time(i+1)*10e6 // the work ten times as long
			g.End()
		}
		ms := s.CollectStageMS(t.Context())
		if want := 2 * (step + 1); syncs != want {
			t.Errorf("step %d: %d waits, want %d", step, syncs, want)
		}
		if ms["encode"] != 11 || ms["diffuse"] != 20 || ms["decode"] != 30 {
			t.Errorf("step %d: %v", step, ms)
		}
	}
	if q := s.Stages()["diffuse"]; q.Count != 3 || q.Max != 20e6 {
		t.Errorf("%+v", q)
	}
}
