// Package sketch has a mergeable quantile sketch over durations. Many machines
// fill one each; merging is addition, so any order and any tree of merges gives
// the same sketch, to the byte. It keeps no sample and knows no unit but whole
// numbers; exact statistics of a sample in memory are in package stats.
package sketch

import (
	"math"
	"math/bits"
	"slices"
)

// Bits is the resolution: each doubling is divided into 1<<Bits equal buckets.
const Bits = 8

// MaxError bounds the relative error of a quantile: half a bucket's width.
const MaxError = 1.0 / (2 << Bits)

// MaxBuckets is how many buckets a sketch can have at most.
const MaxBuckets = int(64-Bits) << Bits

// Sketch counts values from 0 to the largest int64 in log-linear buckets; below
// 2<<Bits each value has its own. The zero Sketch is empty and ready for use.
type Sketch struct {
	count, sum int64
	min, max   int64
	buckets    []bucket // ascending, no empty one
}

type bucket struct {
	index int32
	n     int64
}

// Add counts v. A negative v is left out, and ok is false.
func (s *Sketch) Add(v int64) (ok bool) {
	if v < 0 {
		return false
	}
	if s.count == 0 {
		s.min, s.max = v, v
	}
	s.min, s.max = min(s.min, v), max(s.max, v)
	s.count, s.sum = Plus(s.count, 1), Plus(s.sum, v)
	i := indexOf(v)
	k, found := slices.BinarySearchFunc(s.buckets, i, func(b bucket, i int32) int { return int(b.index - i) })
	if found {
		s.buckets[k].n = Plus(s.buckets[k].n, 1)
	} else {
		s.buckets = slices.Insert(s.buckets, k, bucket{i, 1})
	}
	return true
}

// Merge adds what o holds to s; o does not change and is not kept.
func (s *Sketch) Merge(o *Sketch) {
	if o.count == 0 {
		return
	}
	if s.count == 0 {
		s.min, s.max = o.min, o.max
	}
	s.min, s.max = min(s.min, o.min), max(s.max, o.max)
	s.count, s.sum = Plus(s.count, o.count), Plus(s.sum, o.sum)
	if s.addInPlace(o.buckets) {
		return
	}
	a, b := s.buckets, o.buckets
	out := make([]bucket, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].index < b[0].index:
			out, a = append(out, a[0]), a[1:]
		case a[0].index > b[0].index:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, bucket{a[0].index, Plus(a[0].n, b[0].n)})
			a, b = a[1:], b[1:]
		}
	}
	s.buckets = append(append(out, a...), b...)
}

// addInPlace adds buckets that s has already, all or none.
func (s *Sketch) addInPlace(o []bucket) bool {
	k := 0
	for _, b := range o {
		for k < len(s.buckets) && s.buckets[k].index < b.index {
			k++
		}
		if k == len(s.buckets) || s.buckets[k].index != b.index {
			return false
		}
	}
	k = 0
	for _, b := range o {
		for s.buckets[k].index != b.index {
			k++
		}
		s.buckets[k].n = Plus(s.buckets[k].n, b.n)
	}
	return true
}

// Clone returns a copy that shares nothing with s.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.buckets = slices.Clone(s.buckets)
	return &c
}

// Count is how many values were added.
func (s *Sketch) Count() int64 { return s.count }

// Sum is the exact sum of the values; it stays at the largest int64 rather than
// pass it (292 years of nanoseconds).
func (s *Sketch) Sum() int64 { return s.sum }

// Min is the smallest value, exactly; ok is false when there is none.
func (s *Sketch) Min() (v int64, ok bool) { return s.min, s.count > 0 }

// Max is the largest value, exactly; ok is false when there is none.
func (s *Sketch) Max() (v int64, ok bool) { return s.max, s.count > 0 }

// Quantile gives percentile p, 0 to 100, by nearest rank: the smallest value
// that at least p percent of the values do not exceed, within MaxError of it.
// ok is false when there is no value or p lies outside 0 to 100.
func (s *Sketch) Quantile(p float64) (v int64, ok bool) {
	if s.count == 0 || !(p >= 0 && p <= 100) {
		return 0, false
	}
	rank := min(max(int64(math.Ceil(p/100*float64(s.count))), 1), s.count)
	switch rank {
	case 1:
		return s.min, true
	case s.count:
		return s.max, true
	}
	var seen int64
	for _, b := range s.buckets {
		if seen = Plus(seen, b.n); seen >= rank {
			lo, hi := boundsOf(b.index)
			return min(max(lo+(hi-lo)/2, s.min), s.max), true
		}
	}
	return s.max, true
}

// Plus adds two numbers that are not negative, and stays at the largest int64: like plain
// addition this is associative and commutative.
func Plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// indexOf returns the bucket of v >= 0.
func indexOf(v int64) int32 {
	e := bits.Len64(uint64(v)) - Bits - 1
	if e <= 0 {
		return int32(v)
	}
	return int32(e<<Bits) + int32(v>>e)
}

// boundsOf returns the smallest and largest value of a bucket.
func boundsOf(i int32) (lo, hi int64) {
	if i < 2<<Bits {
		return int64(i), int64(i)
	}
	e := int(i>>Bits) - 1
	lo = int64(i-int32(e<<Bits)) << e
	return lo, lo + (1<<e - 1)
}
