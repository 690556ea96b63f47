package rec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"reel/rec"
)

func encode(context.Context)         {}
func denoise(context.Context, int)   {}
func decode(context.Context) []byte  { return nil }
func timesteps(yield func(int) bool) { _ = yield(999) && yield(500) && yield(1) }

// The whole of it: a recording, a request, its stages and steps.
func Example() {
	dir, err := os.MkdirTemp("", "rec")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.reel")

	r, err := rec.Open(path, rec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = r.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
		encode(ctx)
		for i, t := range rec.StepsOf(ctx, timesteps) {
			g := r.Range(ctx, "model.forward")
			denoise(ctx, t)
			g.End()
			r.Event(ctx, "present.frame", 1, rec.StepN(i))
		}
		defer rec.Stage(ctx, "decode").End()
		decode(ctx)
		return nil
	})
	if err == nil {
		err = r.Close()
	}
	events, _, err2 := rec.Count(path)
	fmt.Println(err, err2, events, "events")
	// Output: <nil> <nil> 12 events
}

// stopwatch is a profiler of one's own: Noop does what it leaves out.
type stopwatch struct {
	rec.Noop
	took map[string]time.Duration
}

type lap struct {
	s     *stopwatch
	name  string
	since time.Time
}

// End notes the range's time.
func (l lap) End() { l.s.took[l.name] += time.Since(l.since) }

// Range begins a lap.
func (s *stopwatch) Range(_ context.Context, name string) rec.Range {
	return rec.RangeOf(lap{s, name, time.Now()})
}

func ExampleProfiler() {
	s := &stopwatch{took: map[string]time.Duration{}}
	w := rec.NewWorker(rec.Composite(s, rec.NewStats(rec.StatsOptions{})), rec.WorkerOptions{})
	w.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
		for range rec.Steps(ctx, 2) {
		}
		return nil
	})
	fmt.Println(len(s.took), "ranges")
	// Output: 4 ranges
}

func ExampleStats() {
	now := rec.Time(0)
	s := rec.NewStats(rec.StatsOptions{Clock: func() rec.Time { return now }})
	ctx := context.Background()
	for range 12 { // a burst, then waiting
		s.Event(ctx, "present.frame", 1, rec.StepID{})
	}
	now += 1_800_000_000
	fmt.Printf("%.2f\n", s.CollectFPS()["present.frame_fps"])
	// Output: 6.67
}
