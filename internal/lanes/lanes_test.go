package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random makes intervals that nest, touch, cross, and have no length.
func random(r *rand.Rand, n int) (*Columns, []int32) {
	c := &Columns{Base: -r.Int64N(1000)}
	ids := make([]int32, n)
	span := int64(n)*20 + 1
	for i := range n {
		d := int64(math.Exp(r.Float64()*7)) - 1
		if r.IntN(50) == 0 {
			d = r.Int64N(span/4 + 1)
		}
		c.Start, c.Dur = append(c.Start, r.Int64N(span)), append(c.Dur, d)
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int {
		if c.Start[a] != c.Start[b] {
			return int(c.Start[a] - c.Start[b])
		}
		return int(c.Dur[b] - c.Dur[a])
	})
	return c, ids
}

// brute is what Bins says, by looking at every interval for every column.
func brute(l *Lane, g Grid) []Bin {
	out := make([]Bin, g.N)
	for k := range out {
		a, b := g.Edge(k), g.Edge(k+1)
		cover, best := 0.0, -1
		for i := range l.ids {
			s, e := float64(l.start(i)), float64(l.end(i))
			if s >= b || e <= a && s < a {
				continue
			}
			cover += max(0, min(e, b)-max(s, a))
			if best < 0 || l.dur(i) > l.dur(best) {
				best = i
			}
		}
		if best >= 0 {
			out[k] = Bin{quantum(cover / g.Width), l.ids[best]}
		}
	}
	return out
}

func TestBinsAreWhatBruteForceSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 25 {
		c, ids := random(r, 1+r.IntN(800))
		all, lost := Stack(c, ids)
		if lost != 0 {
			t.Fatalf("round %d: %d lost", round, lost)
		}
		for range 6 {
			width := math.Exp2(float64(r.IntN(120)-16) / 8)
			g := Grid{First: int64(r.Float64() * float64(len(ids)) * 20 / width), Width: width, N: 64}
			for n, l := range all {
				got := make([]Bin, g.N)
				l.Bins(g, got, nil)
				for k, want := range brute(l, g) {
					// Sums of floats may round to the neighbouring step.
					if d := int(got[k].Cover) - int(want.Cover); d < -1 || d > 1 || (got[k].Cover == 0) != (want.Cover == 0) || got[k].Long != want.Long {
						t.Fatalf("round %d, lane %d, column %d of %+v: got %v, want %v", round, n, k, g, got[k], want)
					}
				}
			}
		}
	}
}

func TestStackKeepsEveryIntervalAndNoneOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		c, ids := random(r, 1+r.IntN(2000))
		all, _ := Stack(c, ids)
		n := 0
		for _, l := range all {
			n += l.Len()
			for i := 1; i < l.Len(); i++ {
				if l.start(i) < l.end(i-1) {
					t.Fatalf("%d begins before %d ends", l.ID(i), l.ID(i-1))
				}
			}
		}
		if n != len(ids) {
			t.Fatalf("%d of %d intervals", n, len(ids))
		}
	}
}

func TestStackIsDepthWhereIntervalsNest(t *testing.T) {
	c := &Columns{Start: []int64{0, 10, 12, 30, 100}, Dur: []int64{100, 15, 5, 70, 4}}
	all, _ := Stack(c, []int32{0, 1, 2, 3, 4})
	var got []string
	for _, l := range all {
		got = append(got, fmt.Sprint(l.ids))
	}
	if want := "[[0 4] [1 3] [2]]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestTooDeep(t *testing.T) {
	c, ids := &Columns{}, []int32{}
	for i := range int64(MaxLanes + 7) {
		c.Start, c.Dur, ids = append(c.Start, i), append(c.Dur, 10_000-2*i), append(ids, int32(i))
	}
	if all, lost := Stack(c, ids); len(all) != MaxLanes || lost != 7 {
		t.Errorf("%d lanes, %d lost", len(all), lost)
	}
}

func TestWideComeOnce(t *testing.T) {
	c := &Columns{Start: []int64{0, 40, 41, 80, 95}, Dur: []int64{40, 1, 39, 2, 5}}
	all, _ := Stack(c, []int32{0, 1, 2, 3, 4})
	var got []int32
	all[0].Bins(Grid{Width: 10, N: 10}, make([]Bin, 10), func(id int32) { got = append(got, id) })
	if fmt.Sprint(got) != "[0 2]" {
		t.Errorf("wide: %v", got)
	}
}

func TestAt(t *testing.T) {
	c := &Columns{Start: []int64{10, 50, 70}, Dur: []int64{20, 0, 5}}
	all, _ := Stack(c, []int32{0, 1, 2})
	for _, x := range []struct {
		t, width float64
		id       int32
		ok       bool
	}{{9, 0.5, 0, false}, {10, 1, 0, true}, {29.5, 1, 0, true}, {30, 1, 0, false}, {45, 10, 1, true}, {50, 0, 1, true}, {60, 100, 2, true}, {80, 10, 0, false}} {
		if id, ok := all[0].At(x.t, x.width); id != x.id || ok != x.ok {
			t.Errorf("at %v: %d, %v", x.t, id, ok)
		}
	}
}

func FuzzBins(f *testing.F) {
	f.Add(uint64(1), 100, 10.0, int64(3))
	f.Fuzz(func(t *testing.T, seed uint64, n int, width float64, first int64) {
		if n < 0 || n > 500 || !(width > 1e-3 && width < 1e12) || first < -1e9 || first > 1e9 {
			return
		}
		c, ids := random(rand.New(rand.NewPCG(seed, 0)), n)
		all, _ := Stack(c, ids)
		for _, l := range all {
			out := make([]Bin, 16)
			l.Bins(Grid{First: first, Width: width, N: 16}, out, func(int32) {})
		}
	})
}

func BenchmarkBins(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		c, ids := &Columns{}, make([]int32, n)
		for i := range n {
			c.Start, c.Dur, ids[i] = append(c.Start, int64(i)*10), append(c.Dur, int64(i%9)), int32(i)
		}
		all, _ := Stack(c, ids)
		out := make([]Bin, 512)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				all[0].Bins(Grid{Width: float64(n) * 10 / 512, N: 512}, out, func(int32) {})
			}
		})
	}
}
