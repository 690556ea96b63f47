// Package stats has the order statistics that reports quote. It works on whole
// samples held in memory and is exact; sketches that several machines merge are
// not here. Nothing changes its input.
package stats

import (
	"cmp"
	"math"
	"slices"
)

// Number is what a sample may consist of. Floats must not be NaN.
type Number interface {
	~int | ~int32 | ~int64 | ~float64
}

// Median gives the middle of xs, or the mean of the two middle values. ok is
// false when xs is empty.
func Median[T Number](xs []T) (m float64, ok bool) { return Linear(xs, 50) }

// Nearest gives percentile p, 0 to 100, by nearest rank: the smallest value
// that at least p percent of xs do not exceed. It is always one of xs. ok is false when
// xs is empty or p lies outside 0 to 100.
func Nearest[T Number](xs []T, p float64) (v T, ok bool) {
	if len(xs) == 0 || !(p >= 0 && p <= 100) {
		return v, false
	}
	rank := int(math.Ceil(p * float64(len(xs)) / 100))
	return slices.Sorted(slices.Values(xs))[max(rank, 1)-1], true
}

// Linear gives percentile p, 0 to 100, interpolating between neighbours as
// numpy.percentile does. ok is false when xs is empty or p lies outside.
func Linear[T Number](xs []T, p float64) (v float64, ok bool) {
	if len(xs) == 0 || !(p >= 0 && p <= 100) {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(xs))
	at := p * float64(len(sorted)-1) / 100
	i := int(at)
	low := float64(sorted[i])
	if i+1 == len(sorted) {
		return low, true
	}
	return low + (at-float64(i))*float64(sorted[i+1]-sorted[i]), true
}

// Mean gives the arithmetic mean; ok is false when xs is empty.
func Mean[T Number](xs []T) (m float64, ok bool) {
	if len(xs) == 0 {
		return 0, false
	}
	for i, x := range xs {
		m += (float64(x) - m) / float64(i+1)
	}
	return m, true
}

// Stddev gives the standard deviation of a sample (divisor n-1); ok is false
// below two values.
func Stddev[T Number](xs []T) (s float64, ok bool) {
	mean, _ := Mean(xs)
	if len(xs) < 2 {
		return 0, false
	}
	var sum float64
	for _, x := range xs {
		sum += (float64(x) - mean) * (float64(x) - mean)
	}
	return math.Sqrt(sum / float64(len(xs)-1)), true
}

// MAD gives the median of the distances from the median; ok is false when xs
// is empty.
func MAD[T Number](xs []T) (m float64, ok bool) {
	return Median(distances(xs))
}

func distances[T Number](xs []T) []float64 {
	mid, _ := Median(xs)
	d := make([]float64, len(xs))
	for i, x := range xs {
		d[i] = math.Abs(float64(x) - mid)
	}
	return d
}

// OutlierOptions say what counts as far away.
type OutlierOptions struct {
	K        float64 // standard deviations from the median; 0 is 3.5
	MinShare float64 // and at least this share of the median (0.05 is 5 %)
}

// Outliers gives the indices, ascending, of the values that lie far from the
// median. The spread is estimated from the median distance, which outliers cannot
// widen, or from the mean distance when most values are equal (Iglewicz and
// Hoaglin). Below three values there are none.
func Outliers[T Number](xs []T, o OutlierOptions) []int {
	if len(xs) < 3 {
		return nil
	}
	d := distances(xs)
	spread, _ := Median(d)
	spread *= 1.4826
	if spread == 0 {
		mean, _ := Mean(d)
		spread = mean * 1.253314
	}
	mid, _ := Median(xs)
	limit := max(cmp.Or(o.K, 3.5)*spread, o.MinShare*math.Abs(mid))
	var out []int
	for i := range d {
		if d[i] > limit {
			out = append(out, i)
		}
	}
	return out
}
