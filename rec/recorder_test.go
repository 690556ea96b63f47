package rec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"reel/event"
)

func TestRecords(t *testing.T) {
	r := recorder(t, Options{})
	ctx := OnTrack(context.Background(), NewTrack("model thread"))
	g := r.Range(ctx, "pipeline.diffuse")
	r.RangeAs(ctx, Label{Name: "model.step", Role: event.Step, Index: 3, Indexed: true}).End()
	r.Event(ctx, "present.frame", 1, StepN(5))
	r.Event(ctx, "model.frame", 3, StepIn(2, 7))
	r.Event(ctx, "pipeline.generate", 1, StepID{})
	r.Sample(ctx, "queue", 4)
	r.Mark(ctx, "reset")
	g.End()
	g.End() // the second does nothing
	want(t, "events", brief(saved(t, r)), `
range stage pipeline.diffuse
range step model.step[3]
mark frame present.frame [step 5]
mark model.frame [gen 2, step 7] value 3
mark model.frame [gen 2, step 7] value 3
mark model.frame [gen 2, step 7] value 3
mark pipeline.generate
counter queue value 4
mark reset`)
}

func TestTracks(t *testing.T) {
	r := recorder(t, Options{})
	var wg sync.WaitGroup
	for range 4 {
		ctx := OnTrack(context.Background(), NewTrack("worker"))
		wg.Go(func() {
			for range 200 {
				r.Range(ctx, "a").End()
			}
		})
	}
	wg.Wait()
	tracks := map[event.Track]int{}
	for _, e := range saved(t, r) {
		tracks[e.Track]++
	}
	if len(tracks) != 4 {
		t.Errorf("ranges lie on %v", tracks)
	}
	for track, n := range tracks {
		if n != 200 || track.A != int64(os.Getpid()) {
			t.Errorf("%v holds %d", track, n)
		}
	}
}

// TestDeviceLinks follows a launch to its activities, by the host's clock and by
// the device's own.
func TestDeviceLinks(t *testing.T) {
	r := recorder(t, Options{})
	ctx := context.Background()
	clock := NewDeviceClock("gpu", 1e9)
	r.SampleClock(clock, 0, Now())
	own, host := NewStream(0, 7, "stream 7", clock), NewStream(0, 8, "stream 8", nil)
	g, link := r.Launch(ctx, "launch attn")
	g.End()
	r.Activity(own, Activity{Name: "attn", Link: link, Start: 1000, Dur: 500})
	r.Activity(host, Activity{Name: "copy", Class: event.Copy, Link: link, Start: uint64(Now()), Dur: 700, Bytes: 4096})
	list := saved(t, r)
	want(t, "events", brief(list), "range launch attn\nactivity attn\nactivity copy value 4096 timed=host")
	for _, e := range list {
		if e.Link != int64(link) {
			t.Errorf("%s has link %d, want %d", e.Name, e.Link, link)
		}
	}
	if d := list[1].Dur; d != 500 {
		t.Errorf("attn lasts %d ns", d)
	}
	if d := list[2].Dur; d < 699 || d > 701 {
		t.Errorf("copy lasts %d ns", d)
	}
}

// TestInputWait pins that each wait ends exactly once: shown, passed over, dropped,
// or at the session's end.
func TestInputWait(t *testing.T) {
	r := recorder(t, Options{})
	at := func(i Time) Time { return Now() - 1000 + i }
	times := []Time{at(0), at(1), at(2), at(3), at(4)}
	for _, x := range times {
		r.InputReceived(x, 2)
		r.InputReceived(x, 1) // the same batch
	}
	r.InputConsumed(StepN(0), times[:1], 0)
	r.InputConsumed(StepN(1), times[1:2], 0)
	r.StepPresented(StepN(1)) // step 0 was dropped
	r.StepPresented(StepN(1)) // its second frame
	r.InputDropped(times[2:3])
	r.InputDropped(times[2:3])
	if n := len(r.waits.open); n != 2 {
		t.Errorf("%d waits are open, want 2", n)
	}
	r.ResetCounts()
	list := saved(t, r)
	if len(list) != 5 {
		t.Fatalf("%d waits, want 5:\n%s", len(list), brief(list))
	}
	for _, e := range list {
		if e.Name != waitName || len(e.Args) != 0 {
			t.Errorf("%s %v", e.Name, e.Args)
		}
	}
}

// TestAlso feeds runtime/trace and a log, and synchronises stages.
func TestAlso(t *testing.T) {
	var log bytes.Buffer
	broken := errors.New("illegal address")
	syncs := 0
	r := recorder(t, Options{RuntimeTrace: true, SyncStages: true,
		Sync:   func() error { syncs++; return broken },
		Ranges: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skipf("the program is traced already (go test -trace): %v", err)
	}
	err := r.Request(context.Background(), RequestOptions{}, func(ctx context.Context) error {
		defer r.Range(ctx, "pipeline.diffuse").End()
		r.Range(ctx, "inside").End()
		return nil
	})
	trace.Stop()
	if !errors.Is(err, broken) {
		t.Errorf("the request returned %v, want the device's error", err)
	}
	if syncs != 2 {
		t.Errorf("synchronised %d times, want at both ends of the stage", syncs)
	}
	if !bytes.Contains(out.Bytes(), []byte("pipeline.diffuse")) {
		t.Error("runtime/trace has no region")
	}
	if !strings.Contains(log.String(), "name=pipeline.diffuse") {
		t.Errorf("log: %s", log.String())
	}
	want(t, "events", brief(saved(t, r)), "range request request\nrange stage pipeline.diffuse timed=synced\nrange inside")
}

func TestStartStop(t *testing.T) {
	dir := t.TempDir()
	r := New(Options{Heap: true})
	ctx := context.Background()
	if r.Range(ctx, "off").Recorded() || r.On() || r.Save(dir+"/x") == nil {
		t.Error("a recorder records before it starts")
	}
	for _, name := range []string{"a.reel", "sub/b.reel"} {
		if err := r.Start(dir + "/" + name); err != nil {
			t.Fatal(err)
		}
		if err := r.Start(dir + "/c.reel"); err != ErrRecording {
			t.Errorf("second start: %v", err)
		}
		r.Range(ctx, name).End()
		done, err := r.Stop()
		if err != nil || done.Path != dir+"/"+name {
			t.Errorf("stopped %+v, %v", done, err)
		}
		want(t, name, brief(events(t, done.Path)), "range "+name)
	}
	if _, err := Open(dir+"/a.reel", Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("a recording was overwritten: %v", err)
	}
	if _, err := r.Stop(); err != nil {
		t.Error(err)
	}
}

// TestNoAllocation pins that ranges that are on, and off, allocate nothing, through
// interfaces too.
func TestNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop things at random under the race detector")
	}
	r, off := recorder(t, Options{}), New(Options{})
	ctx := OnTrack(context.Background(), NewTrack("x"))
	deep := context.WithValue(ctx, new(int), 1)
	stats := NewStats(StatsOptions{NoStages: true})
	both := NewWorker(Composite(r, stats), WorkerOptions{})
	for name, f := range map[string]func(){
		"off":     func() { off.Range(ctx, "pipeline.x").End() },
		"on":      func() { r.Range(ctx, "pipeline.x").End() },
		"defer":   func() { defer r.Range(ctx, "pipeline.x").End() },
		"deep":    func() { r.Range(deep, "pipeline.x").End() },
		"worker":  func() { r.Worker().Range(ctx, "pipeline.x").End() },
		"both":    func() { both.Range(ctx, "pipeline.x").End() },
		"mark":    func() { r.Event(ctx, "frame", 3, StepN(4)) },
		"async":   func() { r.Async("wait").End() },
		"indexed": func() { r.RangeAs(ctx, Label{Name: "s", Index: 4, Indexed: true}).End() },
		"sample":  func() { r.Sample(ctx, "queue", 1) },
	} {
		f()
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// TestStopUnderLoad starts and stops recordings while goroutines go on.
func TestStopUnderLoad(t *testing.T) {
	dir := t.TempDir()
	r := New(Options{Heap: true, Log: quietLog})
	stop := make(chan struct{})
	var laps atomic.Int64
	var wg sync.WaitGroup
	for i := range 3 {
		ctx := context.Background()
		if i > 0 {
			ctx = OnTrack(ctx, NewTrack("worker"))
		}
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				g := r.Range(ctx, "pipeline.diffuse")
				r.Event(ctx, "frame", 2, StepN(1))
				r.InputReceived(Now(), 1)
				r.StepPresented(StepN(1))
				g.End()
				laps.Add(1)
			}
		})
	}
	for i := range 10 {
		path := fmt.Sprintf("%s/%d.reel", dir, i)
		if err := r.Start(path); err != nil {
			t.Fatal(err)
		}
		// Of 4 laps of 3 goroutines one at least lies wholly behind Start.
		for from := laps.Load(); laps.Load() < from+4; {
			runtime.Gosched()
		}
		if _, err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if n, _, err := Count(path); err != nil || n == 0 {
			t.Errorf("%s holds %d events: %v", path, n, err)
		}
	}
	close(stop)
	wg.Wait()
}
