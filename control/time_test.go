package control

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"reel/window"
)

func TestMaxDuration(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c, st := rig(t, Config{Dir: dir, Delay: 1}, func(o *Options) { o.MaxDuration = time.Minute })
		if _, err := c.Start(StartOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // armed: the time of recording counts
		wantState(t, c, Armed)
		request(c, 2)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		wantState(t, c, Running)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantState(t, c, Done)
		want(t, "order", st.take(), whole)
		if s, err := c.Stop(t.Context()); err != nil || s.Auto != "max duration 1m0s" || s.Ended.Sub(s.Started) != time.Hour+time.Minute {
			t.Error(s, err)
		}
	})
}

// The request that ends a session does not wait for its artifacts; a stop does, as
// long as its caller wants to, and a later one gets what the first did not.
func TestSlowExport(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		slow := Exporter{"slow", func(ctx context.Context, _ *Run) error {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
			return ctx.Err()
		}}
		c, _ := rig(t, Config{Dir: dir, Max: 1}, func(o *Options) { o.Exporters = append(o.Exporters, slow) })
		begin := time.Now()
		_, err := c.Start(StartOptions{})
		if errs := request(c, 3); err != nil || len(errs) > 0 || time.Since(begin) != 0 {
			t.Fatal(err, errs, time.Since(begin))
		}
		wantState(t, c, Flushing)
		_, err = c.Start(StartOptions{})
		wantStateError(t, err, "start", Flushing)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s, err := c.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) || s.State != Flushing {
			t.Error(s, err)
		}
		if s, err := c.Stop(t.Context()); err != nil || s.State != Done || time.Since(begin) != time.Minute {
			t.Error(s, err)
		}

		// A shutdown out of patience tells the exports to give up.
		if _, err := c.Start(StartOptions{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
		wantState(t, c, Failed)
	})
}

// Two stops of one session: one gets it, the other is told that it is too late.
func TestStopsAtOnce(t *testing.T) {
	c, _ := rig(t, Config{}, nil)
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	for range 8 {
		go func() { _, err := c.Stop(t.Context()); errs <- err }()
	}
	got := 0
	for range 8 {
		if err := <-errs; err == nil {
			got++
		} else {
			wantStateError(t, err, "stop", Done)
		}
	}
	if got != 1 {
		t.Errorf("%d stops got the session", got)
	}
}

func BenchmarkIteration(b *testing.B) {
	c, _ := rig(b, Config{}, nil)
	b.Run("off", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = c.Iteration(window.Requests).End()
		}
	})
}
