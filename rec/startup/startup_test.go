package startup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// ticking is a clock that a test sets.
type ticking struct {
	mu sync.Mutex
	t  time.Time
}

func (c *ticking) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *ticking) pass(ms int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(time.Duration(ms) * time.Millisecond)
}

// load is a loader as the engine has it.
func load(ctx context.Context, c *ticking, fail string) error {
	return Do(ctx, "component.vae", func(ctx context.Context) error {
		for _, p := range []struct {
			name string
			ms   int
		}{{"vae.construct", 1}, {"vae.device_transfer", 2}, {"vae.checkpoint_read", 30}, {"vae.weight_assignment", 10}, {"vae.finalize", 1}} {
			c.pass(1)
			err := Do(ctx, p.name, func(context.Context) error {
				c.pass(p.ms)
				if p.name == fail {
					return errors.New("cut short")
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// lines writes a report for comparison.
func lines(r Report) string {
	var b strings.Builder
	for _, p := range r.Phases {
		parent := "-"
		if p.Parent != nil {
			parent = fmt.Sprint(*p.Parent)
		}
		fmt.Fprintf(&b, "%d %s %s %d+%d %s %s\n", p.ID, parent, p.Name, p.Start/1e6, p.Duration/1e6, p.Status, p.Error)
	}
	return b.String()
}

func TestPhases(t *testing.T) {
	c := &ticking{t: time.Unix(1700000000, 0)}
	ctx, col := Collect(t.Context(), Options{Clock: c.now})
	defer col.Close()
	c.pass(5)
	if err := load(ctx, c, ""); err != nil {
		t.Fatal(err)
	}
	c.pass(5)
	r := col.Report()
	want := `0 - component.vae 5+49 success 
1 0 vae.construct 6+1 success 
2 0 vae.device_transfer 8+2 success 
3 0 vae.checkpoint_read 11+30 success 
4 0 vae.weight_assignment 42+10 success 
5 0 vae.finalize 53+1 success 
`
	if got := lines(r); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if r.Duration != 59e6 || r.Started != 1700000000e9 {
		t.Errorf("%d ns from %d", r.Duration, r.Started)
	}
	tree := r.Tree()
	if tree.Own != 10e6 || tree.Children[0].Own != 5e6 || sumOwn(tree) != r.Duration {
		t.Errorf("own times: %d, %d, sum %d", tree.Own, tree.Children[0].Own, sumOwn(tree))
	}
}

func sumOwn(n *Node) int64 {
	sum := n.Own
	for _, c := range n.Children {
		sum += sumOwn(c)
	}
	return sum
}

// TestFailure: a phase that fails passes its error on and is recorded, with those
// around it.
func TestFailure(t *testing.T) {
	for _, at := range []string{"vae.construct", "vae.device_transfer", "vae.checkpoint_read", "vae.weight_assignment", "vae.finalize"} {
		c := &ticking{t: time.Unix(0, 0)}
		ctx, col := Collect(t.Context(), Options{Clock: c.now})
		if err := load(ctx, c, at); err == nil || err.Error() != "cut short" {
			t.Fatal(err)
		}
		col.Close()
		r := col.Report()
		last := r.Phases[len(r.Phases)-1]
		if last.Name != at || last.Status != Error || last.Error != "cut short" || r.Phases[0].Status != Error {
			t.Errorf("%s:\n%s", at, lines(r))
		}
		var out bytes.Buffer
		if err := r.Encode(&out); err != nil {
			t.Fatal(err)
		}
		if back, err := Decode(&out); err != nil || lines(back) != lines(r) {
			t.Errorf("%v", err)
		}
	}
}

// TestPanic: a panic is recorded and goes on.
func TestPanic(t *testing.T) {
	ctx, col := Collect(t.Context(), Options{})
	defer col.Close()
	func() {
		defer func() { _ = recover() }()
		_ = Do(ctx, "a", func(context.Context) error { panic("oh") })
		t.Error("the panic was eaten")
	}()
	if r := col.Report(); r.Phases[0].Error != "panic: oh" {
		t.Error(lines(r))
	}
}

// TestNesting: the inner collector has its phases for itself, the outer context
// goes on with its own.
func TestNesting(t *testing.T) {
	outer, a := Collect(t.Context(), Options{})
	inner, b := Collect(outer, Options{})
	_ = Do(inner, "inner", func(context.Context) error { return nil })
	b.Close()
	_ = Do(inner, "late", func(context.Context) error { return nil })
	_ = Do(outer, "outer", func(context.Context) error { return nil })
	a.Close()
	if x, y := a.Report(), b.Report(); len(x.Phases) != 1 || x.Phases[0].Name != "outer" || len(y.Phases) != 1 || y.Phases[0].Name != "inner" {
		t.Errorf("%s%s", lines(x), lines(y))
	}
	if active.Load() != 0 {
		t.Errorf("%d collectors left", active.Load())
	}
}

// TestOff: without a collector nothing is recorded and errors pass.
func TestOff(t *testing.T) {
	ctx, p := Begin(t.Context(), "a")
	p.Set("x", 1)
	if err := p.End(errors.New("e")); ctx != t.Context() || err == nil {
		t.Error("not passed on")
	}
	if n := testing.AllocsPerRun(100, func() { _, p := Begin(ctx, "a"); _ = p.End(nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestConcurrent: phases of goroutines at once; a tree counts no time twice.
func TestConcurrent(t *testing.T) {
	ctx, col := Collect(t.Context(), Options{Faults: true})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_ = Do(ctx, fmt.Sprint("component.", i), func(ctx context.Context) error {
				return Do(ctx, "read", func(context.Context) error { time.Sleep(time.Millisecond); return nil })
			})
		})
	}
	wg.Wait()
	col.Close()
	r := col.Report()
	if len(r.Phases) != 16 || sumOwn(r.Tree()) != r.Duration {
		t.Errorf("%d phases, own %d of %d", len(r.Phases), sumOwn(r.Tree()), r.Duration)
	}
}

func TestMerge(t *testing.T) {
	var all []Report
	for rank := range 3 {
		c := &ticking{t: time.Unix(1700000000, int64(rank)*1e6)}
		ctx, col := Collect(t.Context(), Options{Clock: c.now})
		_ = load(ctx, c, map[int]string{2: "vae.finalize"}[rank])
		col.Close()
		r := col.Report()
		n := 2 - rank
		r.Rank = &n
		all = append(all, r)
	}
	m := Merge(all...)
	if err := m.check(); err != nil {
		t.Fatal(err)
	}
	if len(m.Phases) != 21 || m.Phases[0].Name != "rank2" || m.Phases[14].Name != "rank0" || m.Phases[14].Status != Error || m.Phases[14].Start != 2e6 {
		t.Error(lines(m))
	}
	for _, rank := range m.Tree().Children {
		if sumOwn(rank) != rank.Duration {
			t.Errorf("%s: own %d of %d", rank.Name, sumOwn(rank), rank.Duration)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{``, `[]`, `{}`, `{"artifact_type":"reel.startup","schema_version":2}`,
		`{"artifact_type":"reel.startup","schema_version":1,"phases":[{"id":1,"parent_id":2}]}`,
		`{"artifact_type":"reel.startup","schema_version":1,"phases":[{"id":1,"parent_id":2},{"id":2,"parent_id":1}]}`,
		`{"artifact_type":"reel.startup","schema_version":1,"phases":[{"id":1},{"id":1}]}`,
		`{"artifact_type":"reel.startup","schema_version":1,"phases":[{"id":1,"duration_ns":-4}]}`} {
		if _, err := Decode(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"artifact_type":"reel.startup","schema_version":1,"duration_ns":5,"phases":[{"id":1,"name":"a"},{"id":2,"parent_id":1,"duration_ns":3}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Decode(strings.NewReader(text))
		if err != nil {
			return
		}
		if sum := sumOwn(r.Tree()); sum != r.Duration && !r.merged() {
			t.Errorf("own times are %d of %d", sum, r.Duration)
		}
		Merge(r, r)
	})
}

// TestCache evicts a file and reads it again.
func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weights")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	warm, err := Resident(path)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	if err := Evict(path); err != nil {
		t.Fatal(err)
	}
	cold, err := Resident(path) // tmpfs and the like keep what they hold
	if err != nil || warm < 0.99 || cold > warm {
		t.Errorf("resident %v, then %v: %v", warm, cold, err)
	}
	if _, err := Resident(t.TempDir()); err == nil {
		t.Error("a folder has pages")
	}
}

func BenchmarkOff(b *testing.B) {
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, p := Begin(ctx, "vae.construct")
		_ = p.End(nil)
	}
}
