package stats

import (
	"cmp"
	"math"
	"slices"
)

// Test is the outcome of a comparison of two samples.
type Test struct {
	P     float64 // probability of a difference at least this large between equal distributions, two-sided
	Exact bool    // counted over all ways to part the values; else by the normal approximation
}

// exactValues bounds the two samples together for which MannWhitney counts exactly:
// the work grows with the fourth power of them.
const exactValues = 60

// MannWhitney compares the places of two samples of independent values by their
// ranks: nothing is supposed about how they are distributed. Ties get the mean of
// their ranks. Up to 60 values the probability is exact, ties included; beyond, the
// normal approximation with corrections for ties and continuity. ok is false when a
// sample is empty.
func MannWhitney[T Number](a, b []T) (t Test, ok bool) {
	if len(a) == 0 || len(b) == 0 {
		return Test{}, false
	}
	ranks, sum := doubleRanks(a, b)
	if len(ranks) <= exactValues {
		return Test{P: exactRanks(ranks, len(a), sum), Exact: true}, true
	}
	n, m := float64(len(a)), float64(len(b))
	all := n + m
	u := float64(sum)/2 - n*(n+1)/2
	spread := math.Sqrt(n * m / 12 * (all + 1 - tieTerm(ranks)/(all*(all-1))))
	if spread == 0 {
		return Test{P: 1}, true
	}
	z := max(0, math.Abs(u-n*m/2)-0.5) / spread
	return Test{P: min(1, math.Erfc(z/math.Sqrt2))}, true
}

// doubleRanks gives twice the rank of every value, ascending, so that the mean ranks of
// ties are whole; and the sum of those of a.
func doubleRanks[T Number](a, b []T) (ranks []int, sum int) {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	ranks = make([]int, len(all))
	of := make(map[T]int, len(all))
	for i := 0; i < len(all); {
		k := i + 1
		for k < len(all) && all[k] == all[i] {
			k++
		}
		of[all[i]] = i + 1 + k // ranks i+1 to k
		for ; i < k; i++ {
			ranks[i] = of[all[i]]
		}
	}
	for _, v := range a {
		sum += of[v]
	}
	return ranks, sum
}

// tieTerm is the sum of t³-t over the sizes t of ties.
func tieTerm(ranks []int) (sum float64) {
	for i := 0; i < len(ranks); {
		k := i
		for k < len(ranks) && ranks[k] == ranks[i] {
			k++
		}
		t := float64(k - i)
		sum += t*t*t - t
		i = k
	}
	return sum
}

// exactRanks is the share of the choices of n of the ranks whose sum lies at least as
// far out as sum: twice that of the nearer side.
func exactRanks(ranks []int, n, sum int) float64 {
	most := 0
	for _, r := range ranks {
		most += r
	}
	ways := make([][]float64, n+1) // by how many are chosen, and their sum
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(n, i+1); k > 0; k-- {
			from, to := ways[k-1], ways[k]
			for s := most; s >= r; s-- {
				to[s] += from[s-r]
			}
		}
	}
	var below, above, all float64
	for s, w := range ways[n] {
		all += w
		if s <= sum {
			below += w
		}
		if s >= sum {
			above += w
		}
	}
	return min(1, 2*min(below, above)/all)
}

// Holm corrects the probabilities of a family of tests, so that the chance of any
// false alarm among them stays at the level that one is held against (Holm's
// step-down method). The order is kept.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	out := make([]float64, len(ps))
	least := 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(ps)-k)*ps[i]))
		out[i] = least
	}
	return out
}
