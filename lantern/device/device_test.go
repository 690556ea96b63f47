package device

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var ctx = context.Background()

func device(t testing.TB, opt Options) *Device {
	t.Helper()
	d := New(opt)
	t.Cleanup(func() { d.Close() })
	return d
}

// TestLaunchReturnsFirst holds a kernel back until Launch has returned.
func TestLaunchReturnsFirst(t *testing.T) {
	d := device(t, Options{})
	s := d.NewStream("a")
	gate := make(chan struct{})
	var order []int
	s.Launch(ctx, "first", Work{}, func(*Kernel) { <-gate; order = append(order, 1) })
	e := s.Record(ctx)
	s.Launch(ctx, "second", Work{}, func(*Kernel) { order = append(order, 2) })
	if e.Done() {
		t.Error("the event is done before its work")
	}
	close(gate)
	if err := s.Synchronize(ctx); err != nil {
		t.Fatal(err)
	}
	if len(order) != 2 || order[0] != 1 || !e.Done() {
		t.Errorf("order %v, event done: %v", order, e.Done())
	}
}

func TestStreamsWait(t *testing.T) {
	d := device(t, Options{})
	a, b := d.NewStream("a"), d.NewStream("b")
	gate := make(chan struct{})
	var x atomic.Int64
	a.Launch(ctx, "set", Work{}, func(*Kernel) { <-gate; x.Store(7) })
	e := a.Record(ctx)
	b.Wait(ctx, e)
	var saw int64
	b.Launch(ctx, "get", Work{}, func(*Kernel) { saw = x.Load() })
	close(gate)
	if err := d.Synchronize(ctx); err != nil || saw != 7 {
		t.Errorf("saw %d, %v", saw, err)
	}
	later := a.Record(ctx)
	later.Synchronize(ctx)
	if took, ok := e.Elapsed(later); !ok || took < 0 {
		t.Errorf("elapsed %v, %v", took, ok)
	}
}

// TestFault pins that a fault comes to light at the synchronisation, once, and that
// what follows is skipped, on streams that wait for the faulty one too.
func TestFault(t *testing.T) {
	d := device(t, Options{Cores: 4})
	a, b := d.NewStream("a"), d.NewStream("b")
	broken := errors.New("illegal address")
	ran := false
	a.Launch(ctx, "bad", Work{}, func(k *Kernel) {
		k.Parallel(8, func(i int, _ *Lane) {
			if i == 5 {
				panic(broken)
			}
		})
	})
	a.Launch(ctx, "after", Work{}, func(*Kernel) { ran = true })
	b.Wait(ctx, a.Record(ctx))
	b.Launch(ctx, "other", Work{}, func(*Kernel) { ran = true })
	err := b.Synchronize(ctx)
	var e *Error
	if !errors.As(err, &e) || e.Kernel != "bad" || e.Stream != "a" || !errors.Is(err, broken) || !strings.Contains(e.Calls, "TestFault") {
		t.Errorf("b: %v", err)
	}
	if err := a.Synchronize(ctx); !errors.Is(err, broken) {
		t.Errorf("a: %v", err)
	}
	if ran {
		t.Error("a kernel ran after the fault")
	}
	a.Launch(ctx, "again", Work{}, func(*Kernel) { ran = true })
	if err := a.Synchronize(ctx); err != nil || !ran {
		t.Errorf("the stream does not recover: %v", err)
	}
}

// TestBackPressure fills a queue: Launch then waits for room.
func TestBackPressure(t *testing.T) {
	d := device(t, Options{Queue: 2})
	s := d.NewStream("a")
	gate, third := make(chan struct{}), make(chan struct{})
	var ran atomic.Int64
	k := func(*Kernel) { <-gate; ran.Add(1) }
	go func() {
		for range 8 {
			s.Launch(ctx, "k", Work{}, k)
		}
		close(third)
	}()
	select {
	case <-third:
		t.Error("8 launches fit into a queue of 2")
	case gate <- struct{}{}: // the first kernel runs
	}
	close(gate)
	<-third
	if err := s.Synchronize(ctx); err != nil || ran.Load() != 8 {
		t.Errorf("%d ran, %v", ran.Load(), err)
	}
}

func TestParallel(t *testing.T) {
	d := device(t, Options{Cores: 3})
	s := d.NewStream("a")
	sums := make([]int, 100)
	s.Launch(ctx, "sum", Work{}, func(k *Kernel) {
		k.Ranges(len(sums), 7, func(from, to int, l *Lane) {
			x := l.Floats(0, 16)
			for i := from; i < to; i++ {
				x[0] = float32(i)
				sums[i] += int(x[0])
			}
		})
		k.Ranges(0, 1, func(int, int, *Lane) { panic("nothing to do") })
	})
	if err := s.Synchronize(ctx); err != nil {
		t.Fatal(err)
	}
	for i, x := range sums {
		if x != i {
			t.Fatalf("task %d ran wrongly: %d", i, x)
		}
	}
}

func TestClosed(t *testing.T) {
	d := New(Options{})
	s := d.NewStream("a")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	s.Launch(ctx, "late", Work{}, func(*Kernel) { t.Error("it ran") })
	if err := s.Synchronize(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := d.NewStream("b").Synchronize(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("a new stream: %v", err)
	}
}

// TestManyHosts launches, waits and allocates from several goroutines.
func TestManyHosts(t *testing.T) {
	d := device(t, Options{Queue: 4, Cores: 2})
	s := []*Stream{d.NewStream("a"), d.NewStream("b")}
	var ran atomic.Int64
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			mine, other := s[i%2], s[1-i%2]
			for range 40 {
				b, err := mine.Alloc(ctx, 1000)
				if err != nil {
					t.Error(err)
					return
				}
				x := b.Data()
				mine.Launch(ctx, "set", Work{}, func(k *Kernel) {
					k.Ranges(len(x), 100, func(from, to int, _ *Lane) { x[from] = float32(to) })
					ran.Add(1)
				})
				other.Wait(ctx, mine.Record(ctx))
				b.UsedOn(other)
				other.Launch(ctx, "get", Work{}, func(*Kernel) {
					if x[0] == 0 {
						t.Error("the value is not there")
					}
					ran.Add(1)
				})
				b.Free(ctx)
			}
		})
	}
	wg.Wait()
	if err := d.Synchronize(ctx); err != nil || ran.Load() != 320 {
		t.Errorf("%d ran, %v", ran.Load(), err)
	}
	if m := d.Memory(); m.Allocated != 0 {
		t.Errorf("%d bytes are in use", m.Allocated)
	}
}
