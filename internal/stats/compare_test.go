package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMannWhitney holds against scipy.stats.mannwhitneyu 1.17.1: method "exact" where
// nothing is tied, all permutations where something is, "asymptotic" beyond.
func TestMannWhitney(t *testing.T) {
	var many, others []int
	for i := range 50 {
		many = append(many, i*37%101)
	}
	for i := range 40 {
		others = append(others, i*53%97+9)
	}
	for _, c := range []struct {
		a, b  []int
		want  float64
		exact bool
	}{
		{[]int{1, 2, 3, 4, 5, 6, 7, 8}, []int{9, 10, 11, 12, 13, 14, 15, 16}, 0.0001554001554001554, true},
		{[]int{19, 22, 16, 29, 24}, []int{20, 11, 17, 12}, 0.1111111111111111, true},
		{[]int{101, 99, 103, 98, 97, 105, 102, 100}, []int{104, 107, 106, 108, 110, 96, 109, 111}, 0.014763014763014764, true},
		{[]int{1, 1, 2, 3}, []int{2, 3, 3, 4, 5}, 0.1111111111111111, true},
		{[]int{5, 5, 5, 5}, []int{5, 5, 5, 5}, 1, true},
		{[]int{1, 2, 2, 3, 3}, []int{3, 3, 4, 4, 5}, 0.047619047619047616, true},
		{many, others, 0.6639583104574784, false},
	} {
		for _, turned := range []bool{false, true} {
			a, b := c.a, c.b
			if turned {
				a, b = b, a
			}
			got, ok := MannWhitney(a, b)
			if !ok || got.Exact != c.exact || math.Abs(got.P-c.want) > 1e-12 {
				t.Errorf("%v against %v: %+v, want %v", a, b, got, c.want)
			}
		}
	}
	if _, ok := MannWhitney(nil, []int{1}); ok {
		t.Error("a test of nothing")
	}
}

// TestMannWhitneyMeetsItself: the exact and the approximate way agree where they meet.
func TestMannWhitneyMeetsItself(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var a, b []float64
		for range 30 {
			a, b = append(a, rnd.NormFloat64()), append(b, rnd.NormFloat64()+0.3)
		}
		exact, _ := MannWhitney(a, b)
		more, _ := MannWhitney(append(a, 0), b)
		if !exact.Exact || more.Exact || math.Abs(exact.P-more.P) > 0.15 {
			t.Errorf("%+v and %+v", exact, more)
		}
	}
}

// TestHolm holds against the method's definition, worked out by hand.
func TestHolm(t *testing.T) {
	for _, c := range []struct{ in, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.6, 0.01}, []float64{1, 1, 0.03}},
	} {
		if got := Holm(c.in); !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
}
