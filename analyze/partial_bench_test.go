package analyze

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// manyRanks makes n partials of one rank with 50 steps each.
func manyRanks(n int) []*Partial {
	rnd := rand.New(rand.NewPCG(21, 22))
	list := make([]*Partial, n)
	for i := range list {
		tl, s := randomRank(rnd, &i, 50)
		list[i] = NewPartial(tl, s, nil)
	}
	return list
}

// BenchmarkPartial times what a job of many ranks costs, for each rank: the
// time for a rank must not grow with their number.
func BenchmarkPartial(b *testing.B) {
	per := func(b *testing.B, n int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/rank")
	}
	for _, n := range []int{500, 2000, 8000} {
		list := manyRanks(n)
		whole := MergeAll(list...)
		text := encoded(b, whole)
		b.Run(fmt.Sprintf("merge/%d", n), func(b *testing.B) {
			for b.Loop() {
				MergeAll(list...)
			}
			per(b, n)
		})
		b.Run(fmt.Sprintf("onebyone/%d", n), func(b *testing.B) {
			for b.Loop() {
				p := &Partial{}
				for _, q := range list {
					p = Merge(p, q)
				}
			}
			per(b, n)
		})
		b.Run(fmt.Sprintf("encode/%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				whole.Encode(io.Discard)
			}
			per(b, n)
		})
		b.Run(fmt.Sprintf("decode/%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := DecodePartial(bytes.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
			per(b, n)
		})
		b.Run(fmt.Sprintf("finalize/%d", n), func(b *testing.B) {
			for b.Loop() {
				Finalize(whole)
			}
			per(b, n)
		})
	}
}
