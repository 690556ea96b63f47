package sketch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// values gives n values over all magnitudes.
func values(rnd *rand.Rand, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(rnd.Uint64() >> (1 + rnd.UintN(63)))
	}
	return out
}

func of(values ...int64) *Sketch {
	s := &Sketch{}
	for _, v := range values {
		s.Add(v)
	}
	return s
}

// TestBuckets: every value lies in the bounds of its bucket, neighbours touch,
// and no bucket is wider than the error allows.
func TestBuckets(t *testing.T) {
	for i := range int32(MaxBuckets) {
		lo, hi := boundsOf(i)
		if indexOf(lo) != i || indexOf(hi) != i || hi < lo {
			t.Fatalf("bucket %d is %d to %d, which are in %d and %d", i, lo, hi, indexOf(lo), indexOf(hi))
		}
		if hi != math.MaxInt64 && indexOf(hi+1) != i+1 {
			t.Fatalf("bucket %d ends at %d, but %d is in %d", i, hi, hi+1, indexOf(hi+1))
		}
		if float64(hi-lo)/2 > MaxError*float64(lo) {
			t.Fatalf("bucket %d, %d to %d, is wider than the error allows", i, lo, hi)
		}
	}
	if last := indexOf(math.MaxInt64); last != int32(MaxBuckets)-1 {
		t.Errorf("the largest value is in bucket %d of %d", last, MaxBuckets)
	}
}

// TestQuantiles: within 0.2 % of the exact nearest rank; extremes, count and
// sum exact.
func TestQuantiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		xs := values(rnd, 1+n)
		s, sum, sorted := of(xs...), int64(0), slices.Sorted(slices.Values(xs))
		for _, x := range xs {
			sum = Plus(sum, x)
		}
		lo, _ := s.Min()
		hi, _ := s.Max()
		if s.Count() != int64(len(xs)) || s.Sum() != sum || lo != slices.Min(xs) || hi != slices.Max(xs) {
			t.Fatalf("%d values: count %d, sum %d, %d to %d", len(xs), s.Count(), s.Sum(), lo, hi)
		}
		for _, p := range []float64{0, 1, 10, 50, 90, 99, 100} {
			got, _ := s.Quantile(p)
			want := sorted[max(int(math.Ceil(p*float64(len(xs))/100)), 1)-1]
			if d := math.Abs(float64(got) - float64(want)); d > 0.002*float64(want) {
				t.Errorf("%d values: p%v is %d, want %d", len(xs), p, got, want)
			}
		}
	}
}

func TestNoAnswer(t *testing.T) {
	s := of()
	_, a := s.Quantile(50)
	_, b := s.Min()
	_, c := s.Max()
	_, d := of(1).Quantile(101)
	_, e := of(1).Quantile(math.NaN())
	if a || b || c || d || e || s.Add(-1) || s.Count() != 0 {
		t.Error("what does not exist has no answer, and nothing is below 0")
	}
}

// TestMerge: any order and any tree of merges gives the bytes of one sketch.
func TestMerge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		xs := values(rnd, n)
		want, _ := json.Marshal(of(xs...))
		var parts []*Sketch
		for rest := xs; len(rest) > 0; {
			k := 1 + rnd.IntN(len(rest))
			parts, rest = append(parts, of(rest[:k]...)), rest[k:]
		}
		parts = append(parts, of())
		for len(parts) > 1 {
			rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			other := parts[1].Clone()
			parts[0].Merge(parts[1])
			if !reflect.DeepEqual(parts[1], other) {
				t.Fatal("merging changed what was merged")
			}
			parts = append(parts[:1], parts[2:]...)
		}
		if got, _ := json.Marshal(parts[0]); !bytes.Equal(got, want) {
			t.Fatalf("merged:\n%s\nwant:\n%s", got, want)
		}
	}
}

// TestSaturates: sums stop at the top, in any order.
func TestSaturates(t *testing.T) {
	a, b := of(math.MaxInt64, 5), of(math.MaxInt64-1)
	c := b.Clone()
	b.Merge(a)
	a.Merge(c)
	if !reflect.DeepEqual(a, b) || a.Sum() != math.MaxInt64 || a.Count() != 3 {
		t.Errorf("%+v and %+v", a, b)
	}
	text, _ := json.Marshal(a)
	if err := json.Unmarshal(text, &Sketch{}); err != nil {
		t.Error(err)
	}
}

func BenchmarkAdd(b *testing.B) {
	xs := values(rand.New(rand.NewPCG(5, 6)), 1000)
	for b.Loop() {
		_ = of(xs...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/value")
}

func Example() {
	var night, day Sketch
	for i := range int64(100) {
		night.Add(240_000_000 + i*100_000)
		day.Add(250_000_000 + i*100_000)
	}
	night.Merge(&day)
	p50, _ := night.Quantile(50)
	top, _ := night.Max()
	fmt.Println(night.Count(), p50, top)
	// Output: 200 249823231 259900000
}
