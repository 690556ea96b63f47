package simd

import (
	"fmt"
	"testing"
)

// BenchmarkTile measures the micro-kernels on panels that stay in the first cache.
func BenchmarkTile(b *testing.B) {
	for _, t := range Tiles() {
		const k = 256
		a, x, c := make([]float32, t.Rows*k), make([]float32, t.Width*k), make([]float32, t.Rows*t.Width)
		b.Run(fmt.Sprint(t.Level()), func(b *testing.B) {
			for range b.N {
				t.Mul(k, a, x, t.Width, c, t.Width, true)
			}
			b.ReportMetric(2*k*float64(t.Rows*t.Width)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
