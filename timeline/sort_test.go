package timeline

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"testing/quick"
)

// TestMergeSort compares with the library's stable sort, on any keys.
func TestMergeSort(t *testing.T) {
	same := func(keys []uint8) bool {
		got := make([]uint32, len(keys))
		for i := range got {
			got[i] = uint32(i)
		}
		want := slices.Clone(got)
		mergeSort(got, func(a, b uint32) bool { return keys[a] < keys[b] })
		sort.SliceStable(want, func(i, j int) bool { return keys[want[i]] < keys[want[j]] })
		return slices.Equal(got, want)
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
	for _, keys := range [][]uint8{nil, {1}, {2, 1}, {1, 1, 1}, {1, 2, 3, 1, 2, 3, 1, 2, 3}, {5, 4, 3, 2, 1}} {
		if !same(keys) {
			t.Errorf("%v", keys)
		}
	}
}

// BenchmarkMergeSort sorts what traces are: three sorted runs on one track.
func BenchmarkMergeSort(b *testing.B) {
	const n = 1 << 18
	keys := make([]int64, n)
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range keys {
		keys[i] = rnd.Int64N(1 << 40)
	}
	for i := range 3 {
		slices.Sort(keys[i*n/3 : (i+1)*n/3])
	}
	idx := make([]uint32, n)
	for b.Loop() {
		for i := range idx {
			idx[i] = uint32(i)
		}
		mergeSort(idx, func(x, y uint32) bool { return keys[x] < keys[y] })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
}
