package nn

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
	"reel/rec"
	"reel/reelfile"
)

// rate reports GFLOP/s of n operations of f.
func rate(b *testing.B, o *Ops, flops float64, f func(o *Ops)) {
	b.Helper()
	f(o)
	if err := o.Sync(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		s := o.Scope()
		f(s)
		s.Close()
		if err := o.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkMatMul(b *testing.B) {
	for _, t := range simd.Tiles() {
		for _, n := range []int{64, 256, 512} {
			b.Run(fmt.Sprintf("%v/%d", t.Level(), n), func(b *testing.B) {
				o := ops(b, 0)
				o.tile = t
				x, y := o.FromHost(noise(1, n*n), n, n), o.FromHost(noise(2, n*n), n, n)
				rate(b, o, 2*float64(n*n*n), func(o *Ops) { o.MatMul(x, y) })
			})
		}
	}
}

func BenchmarkLinear(b *testing.B) {
	for _, m := range []int{1, 16, 64, 256, 1024} {
		b.Run(fmt.Sprintf("%dx256-1024", m), func(b *testing.B) {
			o := ops(b, 0)
			x, w, bias := o.FromHost(noise(1, m*256), m, 256), o.FromHost(noise(2, 1024*256), 1024, 256), o.FromHost(noise(3, 1024), 1024)
			rate(b, o, 2*float64(m*256*1024), func(o *Ops) { o.Linear(x, w, bias) })
		})
	}
}

func BenchmarkConv(b *testing.B) {
	for _, c := range []struct{ t, size, in, out int }{{1, 32, 64, 64}, {1, 64, 32, 32}, {4, 16, 64, 64}, {4, 8, 96, 96}} {
		b.Run(fmt.Sprintf("3x3x3-%dx%dx%d-%d-%d", c.t, c.size, c.size, c.in, c.out), func(b *testing.B) {
			o := ops(b, 0)
			x, w := o.FromHost(noise(1, c.in*c.t*c.size*c.size), 1, c.in, c.t, c.size, c.size), o.FromHost(noise(2, c.out*c.in*27), c.out, c.in, 3, 3, 3)
			rate(b, o, 54*float64(c.out*c.in*c.t*c.size*c.size), func(o *Ops) { o.Conv3d(x, w, Tensor{}, Causal(2, 1)) })
		})
	}
	b.Run("3x3-32x32-64-64", func(b *testing.B) {
		o := ops(b, 0)
		x, w := o.FromHost(noise(1, 64*32*32), 1, 64, 32, 32), o.FromHost(noise(2, 64*64*9), 64, 64, 3, 3)
		rate(b, o, 18*64*64*32*32, func(o *Ops) { o.Conv2d(x, w, Tensor{}, Same(1)) })
	})
}

func BenchmarkAttention(b *testing.B) {
	for _, c := range []struct{ t, h, d int }{{256, 6, 32}, {1024, 4, 64}} {
		b.Run(fmt.Sprintf("T=%d/H=%d/D=%d", c.t, c.h, c.d), func(b *testing.B) {
			o := ops(b, 0)
			q, k, v := o.FromHost(noise(1, c.t*c.h*c.d), 1, c.t, c.h, c.d), o.FromHost(noise(2, c.t*c.h*c.d), 1, c.t, c.h, c.d), o.FromHost(noise(3, c.t*c.h*c.d), 1, c.t, c.h, c.d)
			rate(b, o, 4*float64(c.t*c.t*c.h*c.d), func(o *Ops) { o.Attention(q, k, v, AttentionOptions{}) })
		})
	}
}

// BenchmarkLaunch measures what a small operator costs the host: alone, while ranges
// of operators and activities are recorded, and with all that can be asked for.
func BenchmarkLaunch(b *testing.B) {
	full := device.Profile{Shapes: true, Stacks: true, FLOPs: true, Memory: true}
	for _, c := range []struct {
		name string
		p    *device.Profile
	}{{"off", nil}, {"on", &device.Profile{}}, {"full", &full}} {
		b.Run(c.name, func(b *testing.B) {
			o := ops(b, 1)
			if c.p != nil {
				r, err := rec.Open("", rec.Options{Mode: reelfile.Flight})
				if err != nil {
					b.Fatal(err)
				}
				defer r.Close()
				p := *c.p
				p.Recorder = r
				o.s.Device().Profile(&p)
			}
			x, y := o.Zeros(64), o.Zeros(64)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				o.Free(o.Add(x, y))
				if i%256 == 0 {
					o.Sync()
				}
			}
		})
	}
}

// BenchmarkOverhead runs a transformer block of the size of Lantern's with nothing
// recorded and with every activity, in turns, and reports how much longer the median
// of the latter takes.
func BenchmarkOverhead(b *testing.B) {
	o := ops(b, 0)
	r, err := rec.Open("", rec.Options{Mode: reelfile.Flight})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	const c, t, h = 128, 320, 4
	x, w := o.FromHost(noise(1, t*c), 1, t, c), o.FromHost(noise(2, 4*c*c), 4*c, c)
	square, back := o.View(w, 0, 0, c), o.Reshape(o.Copy(w), c, 4*c)
	block := func() {
		s := o.Scope()
		defer s.Close()
		n := s.LayerNorm(x, Tensor{}, Tensor{}, 1e-6)
		q, k, v := s.Linear(n, square, Tensor{}), s.Linear(n, square, Tensor{}), s.Linear(n, square, Tensor{})
		split := func(y Tensor) Tensor { return s.Reshape(y, 1, t, h, c/h) }
		a := s.Attention(split(q), split(k), split(v), AttentionOptions{})
		y := s.Add(x, s.Linear(s.Reshape(a, 1, t, c), square, Tensor{}))
		s.Add(y, s.Linear(s.GELU(s.Linear(y, w, Tensor{})), back, Tensor{}))
		if err := s.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	block()
	var times [2][]float64
	for range b.N {
		for i, p := range []*device.Profile{nil, {Recorder: r}} {
			o.s.Device().Profile(p)
			from := time.Now()
			for range 20 {
				block()
			}
			times[i] = append(times[i], time.Since(from).Seconds())
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	off, on := times[0][b.N/2], times[1][b.N/2]
	b.ReportMetric(100*(on/off-1), "%")
	b.ReportMetric(off/20*1e6, "us/block")
}
