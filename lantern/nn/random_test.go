package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"reel/lantern/nn/internal/simd"
)

// onAll runs a test for each micro-kernel of this machine, on one core and on three.
func onAll(t *testing.T, f func(t *testing.T, o *Ops, r *rand.Rand)) {
	for _, tile := range simd.Tiles() {
		for _, cores := range []int{1, 3} {
			t.Run(fmt.Sprintf("%v/%d", tile.Level(), cores), func(t *testing.T) {
				o := ops(t, cores)
				o.tile = tile
				f(t, o, rand.New(rand.NewPCG(uint64(cores), 9)))
			})
		}
	}
}

// odd is a size: small, at the edges of tiles, or any.
func odd(r *rand.Rand, most int) int {
	edges := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 48, 49, 63, 64, 65, 96, 97, 255, 256, 257}
	if n := edges[r.IntN(len(edges))]; r.IntN(3) > 0 && n <= most {
		return n
	}
	return 1 + r.IntN(most)
}

func TestProductShapes(t *testing.T) {
	onAll(t, func(t *testing.T, o *Ops, r *rand.Rand) {
		for i := range 14 {
			checkProduct(t, o, uint64(i), odd(r, 65), odd(r, 70), odd(r, 300), r.IntN(2) == 0)
		}
	})
}

func checkProduct(t *testing.T, o *Ops, seed uint64, m, n, k int, bias bool) {
	t.Helper()
	s := o.Scope()
	defer s.Close()
	a, b, turned := noise(seed, m*k), noise(seed+1, k*n), noise(seed+2, n*k)
	var add []float32
	var addT Tensor
	if bias {
		add = noise(seed+3, n)
		addT = s.FromHost(add, n)
	}
	x := s.FromHost(a, m, k)
	limit := 2e-6 * math.Sqrt(float64(k+8))
	near(t, fmt.Sprintf("matmul %d %d %d", m, n, k), values(t, s, s.MatMul(x, s.FromHost(b, k, n))), plainProduct(a, b, nil, m, n, k, false), limit)
	near(t, fmt.Sprintf("linear %d %d %d", m, n, k), values(t, s, s.Linear(x, s.FromHost(turned, n, k), addT)), plainProduct(a, turned, add, m, n, k, true), limit)
}

func TestConvShapes(t *testing.T) {
	onAll(t, func(t *testing.T, o *Ops, r *rand.Rand) {
		for i := range 14 {
			var size, kernel [3]int
			var opt ConvOptions
			for d := range 3 {
				kernel[d], opt.Stride[d] = 1+r.IntN(3), max(1, r.IntN(5)-1)
				opt.Pad[d] = [2]int{r.IntN(3), r.IntN(3)}
				size[d] = max(1+r.IntN(4+10*min(d, 1)), kernel[d])
			}
			if i%4 == 0 {
				opt = ConvOptions{} // nothing is padded: the input is read where it lies
			}
			checkConv(t, o, uint64(i), 1+r.IntN(2), odd(r, 9), odd(r, 33), size, kernel, opt)
		}
		checkConv(t, o, 99, 1, 20, 9, [3]int{2, 5, 33}, [3]int{3, 3, 3}, Causal(2, 1)) // more steps than a block
	})
}

func checkConv(t *testing.T, o *Ops, seed uint64, n, in, out int, size, kernel [3]int, opt ConvOptions) {
	t.Helper()
	s := o.Scope()
	defer s.Close()
	x, w, b := noise(seed, n*in*size[0]*size[1]*size[2]), noise(seed+1, out*in*kernel[0]*kernel[1]*kernel[2]), noise(seed+2, out)
	want, result := plainConv(x, w, b, n, in, out, size, kernel, opt)
	got := s.Conv3d(s.FromHost(x, n, in, size[0], size[1], size[2]), s.FromHost(w, out, in, kernel[0], kernel[1], kernel[2]), s.FromHost(b, out), opt)
	if s.Err() == nil && !got.HasDims(n, out, result[0], result[1], result[2]) {
		t.Errorf("the shape is %v, want %d %d %v", got, n, out, result)
	}
	near(t, fmt.Sprintf("conv %d %d-%d of %v by %v %+v", n, in, out, size, kernel, opt), values(t, s, got), want, 1e-5)
}

func TestAttentionShapes(t *testing.T) {
	onAll(t, func(t *testing.T, o *Ops, r *rand.Rand) {
		for i := range 10 {
			checkAttention(t, o, uint64(i), 1+r.IntN(2), 1+r.IntN(3), odd(r, 70), odd(r, 100), odd(r, 40), odd(r, 40), i%3)
		}
		checkAttention(t, o, 50, 1, 1, 50, 600, 8, 8, 2) // more keys than a block
	})
}

// checkAttention has no bias, a full one or one of keys alone, which masks some.
func checkAttention(t *testing.T, o *Ops, seed uint64, b, h, tq, tk, d, dv, kind int) {
	t.Helper()
	s := o.Scope()
	defer s.Close()
	q, k, v := noise(seed, b*tq*h*d), noise(seed+1, b*tk*h*d), noise(seed+2, b*tk*h*dv)
	var opt AttentionOptions
	var full []float32
	switch kind {
	case 1:
		full = noise(seed+3, b*h*tq*tk)
		opt = AttentionOptions{Scale: 0.3, Bias: s.FromHost(full, b, h, tq, tk)}
	case 2:
		keys := noise(seed+4, b*tk)
		for i := range keys {
			if i%tk < (tk-1)*2/3 { // more than a block from the start, too
				keys[i] = float32(math.Inf(-1))
			}
		}
		opt.Bias = s.FromHost(keys, b, 1, 1, tk)
		for i := range b * h * tq {
			full = append(full, keys[i/(h*tq)*tk:][:tk]...)
		}
	}
	scale := float64(opt.Scale)
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(d))
	}
	got := s.Attention(s.FromHost(q, b, tq, h, d), s.FromHost(k, b, tk, h, d), s.FromHost(v, b, tk, h, dv), opt)
	near(t, fmt.Sprintf("attention %d %d %d %d %d %d kind %d", b, h, tq, tk, d, dv, kind), values(t, s, got), plainAttention(q, k, v, full, b, h, tq, tk, d, dv, scale), 1e-5)
}

// FuzzShapes sets operators against their definitions, and against shapes that do
// not fit, which must be errors.
func FuzzShapes(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(4), uint8(5), uint8(0))
	f.Add(uint64(2), uint8(33), uint8(65), uint8(255), uint8(1))
	f.Add(uint64(3), uint8(2), uint8(9), uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c, kind uint8) {
		o := ops(t, 2)
		m, n, k := 1+int(a), 1+int(b), 1+int(c)
		switch kind % 4 {
		case 0:
			checkProduct(t, o, seed, m, n, k, seed%2 == 0)
		case 1:
			r := rand.New(rand.NewPCG(seed, 1))
			opt := ConvOptions{Stride: [3]int{r.IntN(3), r.IntN(3), r.IntN(3)}, Pad: [3][2]int{{r.IntN(3), r.IntN(2)}, {r.IntN(2), r.IntN(3)}, {r.IntN(2), r.IntN(2)}}}
			kernel := [3]int{1 + r.IntN(3), 1 + r.IntN(3), 1 + r.IntN(3)}
			checkConv(t, o, seed, 1, 1+m%8, 1+n%40, [3]int{kernel[0] + r.IntN(2), kernel[1] + k%9, kernel[2] + k%17}, kernel, opt)
		case 2:
			checkAttention(t, o, seed, 1, 1+m%3, 1+n%60, 1+k, 1+m%40, 1+n%40, int(seed%3))
		default:
			x, y := o.Zeros(m, n), o.Zeros(k, n)
			list := []Tensor{o.Linear(x, y, x), o.MatMul(x, y), o.Add(x, y), o.Concat(int(seed%4), x, y), o.Slice(x, 0, n, k), o.Reshape(x, k, -1), o.Permute(x, int(seed%3), 1),
				o.Conv2d(o.Reshape(x, 1, m, n, 1), o.Reshape(y, k, n, 1, 1), x, ConvOptions{}), o.UpsampleNearest(x, int(seed%3)), o.Embedding(x, []int32{int32(k)}, 1)}
			for _, l := range list {
				if o.Err() == nil && l.IsNone() {
					t.Error("no tensor and no error")
				}
			}
			o.Sync()
		}
	})
}
