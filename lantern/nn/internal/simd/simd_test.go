package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func noise(r *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

func close(t *testing.T, what string, got, want []float32, limit float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= limit*(1+math.Abs(float64(want[i])))) {
			t.Errorf("%s: value %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
			return
		}
	}
}

// TestTiles compares every micro-kernel of this machine with a plain product.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tile := range Tiles() {
		for _, k := range []int{0, 1, 2, 7, 8, 33, 300} {
			rows, stride := noise(r, 16*(k+3)), k+3
			a := make([]float32, tile.Rows*k+Slack)
			Pack(a, tile.Rows, rows, stride, tile.Rows, k)
			ldb, ldc := tile.Width+5, tile.Width+1
			b, c := noise(r, k*ldb+Slack), noise(r, tile.Rows*ldc)
			want := append([]float32(nil), c...)
			offs, limit := make([]int32, k), 0
			for p := range offs {
				offs[p] = int32(r.IntN(k*ldb - tile.Width + 6))
				limit = max(limit, int(offs[p]))
			}
			plain := func(at func(p int) int, add bool) {
				for i := range tile.Rows {
					for j := range tile.Width {
						sum := 0.0
						for p := range k {
							sum += float64(rows[i*stride+p]) * float64(b[at(p)+j])
						}
						if add {
							sum += float64(want[i*ldc+j])
						}
						want[i*ldc+j] = float32(sum)
					}
				}
			}
			for _, add := range []bool{false, true} {
				name := fmt.Sprintf("%v k=%d add=%v", tile.Level(), k, add)
				tile.Mul(k, a, b, ldb, c, ldc, add)
				plain(func(p int) int { return p * ldb }, add)
				close(t, name, c, want, 1e-4)
				tile.MulAt(offs, limit, a, b, c, ldc, add)
				plain(func(p int) int { return int(offs[p]) }, add)
				close(t, name+" at offsets", c, want, 1e-4)
			}
		}
	}
}

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{4, 6, 8, 16, 32} {
		for rows := 1; rows <= width; rows++ {
			for _, k := range []int{0, 1, 7, 8, 9, 25} {
				stride := k + r.IntN(4)
				src := noise(r, (rows+r.IntN(9))*stride)
				if k == 0 || len(src) < (rows-1)*stride+k {
					continue
				}
				dst := noise(r, k*width+Slack)
				Pack(dst, width, src, stride, rows, k)
				for p := range k {
					for i := range width {
						want := float32(0)
						if i < rows {
							want = src[i*stride+p]
						}
						if got := dst[p*width+i]; got != want {
							t.Fatalf("width %d, %d rows, k %d: %d,%d is %v, want %v", width, rows, k, p, i, got, want)
						}
					}
				}
			}
		}
	}
}

// TestVectors compares the loops with plain ones, at all lengths around a vector's.
func TestVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 40 {
		x, y, z, got, want := noise(r, n), noise(r, n), noise(r, n), make([]float32, n), make([]float32, n)
		each := func(name string, limit float64, f func(), plain func(i int) float64) {
			f()
			for i := range want {
				want[i] = float32(plain(i))
			}
			close(t, fmt.Sprintf("%s of %d", name, n), got, want, limit)
		}
		X, Y, Z := func(i int) float64 { return float64(x[i]) }, func(i int) float64 { return float64(y[i]) }, func(i int) float64 { return float64(z[i]) }
		each("add", 0, func() { Add(got, x, y) }, func(i int) float64 { return X(i) + Y(i) })
		each("sub", 0, func() { Sub(got, x, y) }, func(i int) float64 { return X(i) - Y(i) })
		each("mul", 0, func() { Mul(got, x, y) }, func(i int) float64 { return X(i) * Y(i) })
		each("muladd", 1e-6, func() { MulAdd(got, x, y, z) }, func(i int) float64 { return X(i) + Y(i)*Z(i) })
		each("modulate", 1e-6, func() { Modulate(got, x, y, z) }, func(i int) float64 { return X(i)*(1+Y(i)) + Z(i) })
		each("addscaled", 1e-6, func() { AddScaled(got, x, y, 0.7) }, func(i int) float64 { return X(i) + 0.7*Y(i) })
		each("affine", 1e-6, func() { Affine(got, x, -3, 0.5) }, func(i int) float64 { return -3*X(i) + 0.5 })
		each("affinemul", 1e-6, func() { AffineMul(got, x, y, -3, 0.5) }, func(i int) float64 { return -3*X(i)*Y(i) + 0.5 })
		each("silu", 1e-6, func() { SiLU(got, x) }, func(i int) float64 { return X(i) / (1 + math.Exp(-X(i))) })
		each("gelu", 1e-6, func() { GELU(got, x) }, func(i int) float64 {
			return X(i) / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(X(i)+0.044715*X(i)*X(i)*X(i))))
		})
		each("expsum", 1e-6, func() { ExpSum(got, x, 0.25) }, func(i int) float64 { return math.Exp(X(i) - 0.25) })
		var dot, sum, squares, total float64
		most := math.Inf(-1)
		for i := range x {
			dot, sum, squares, most = dot+X(i)*Y(i), sum+X(i), squares+(X(i)-0.5)*(X(i)-0.5), max(most, X(i))
			total += math.Exp(X(i) - 0.25)
		}
		got, want = []float32{Dot(x, y), Sum(x), SumSquares(x, 0.5), Max(x), ExpSum(make([]float32, n), x, 0.25)}, []float32{float32(dot), float32(sum), float32(squares), float32(most), float32(total)}
		if n == 0 {
			got[3], want[3] = 0, 0 // -Inf both
		}
		close(t, fmt.Sprintf("sums of %d", n), got, want, 1e-5)
	}
}

// TestExp goes over all magnitudes.
func TestExp(t *testing.T) {
	var x []float32
	for v := float32(-95); v < 95; v += 0.0137 {
		x = append(x, v)
	}
	x = x[:len(x)&^7]
	got := make([]float32, len(x))
	ExpSum(got, x, 0)
	for i, v := range x {
		want := math.Exp(float64(v))
		if float64(v) > 88.3 { // beyond, it is taken for that
			if got[i] < 1e38 {
				t.Fatalf("exp(%v) = %v", v, got[i])
			}
			continue
		}
		if d := math.Abs(float64(got[i]) - want); d > 2e-7*want+2e-38 {
			t.Fatalf("exp(%v) = %v, want %v", v, got[i], want)
		}
	}
	inf := float32(math.Inf(1))
	odd := []float32{-inf, -1e30, float32(math.NaN()), 0, 1, -87.4, -88, -100}
	ExpSum(odd, odd, 0)
	if odd[0] != 0 || odd[1] != 0 || odd[2] == odd[2] || odd[3] != 1 || odd[7] > 1e-37 {
		t.Errorf("odd values: %v", odd)
	}
}

func TestDotsAndRotate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 19 {
		for rows := range 11 {
			x, w := noise(r, n), noise(r, rows*(n+2))
			got, want := make([]float32, rows), make([]float32, rows)
			for i := range want {
				for p := range x {
					want[i] += x[p] * w[i*(n+2)+p]
				}
			}
			Dots(got, x, w, n+2)
			close(t, fmt.Sprintf("%d dots of %d", rows, n), got, want, 1e-5)
		}
		x, c, s := noise(r, 2*n), noise(r, n), noise(r, n)
		got := make([]float32, 2*n)
		Rotate(got, x, c, s)
		for i := range n {
			a, b := x[2*i], x[2*i+1]
			close(t, fmt.Sprintf("pair %d of %d", i, n), got[2*i:2*i+2], []float32{a*c[i] - b*s[i], a*s[i] + b*c[i]}, 1e-6)
		}
	}
}
