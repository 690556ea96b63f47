package simd

import "math"

// The functions here go over slices as long as the first one; the others are no
// shorter, which they check. Slices may be the same, but not overlap otherwise.

// Add writes x + y.
func Add(dst, x, y []float32) {
	n := addN(dst, x, y)
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] + y[i]
	}
}

// Sub writes x - y.
func Sub(dst, x, y []float32) {
	n := subN(dst, x, y)
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] - y[i]
	}
}

// Mul writes x * y.
func Mul(dst, x, y []float32) {
	n := mulN(dst, x, y)
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] * y[i]
	}
}

// MulAdd writes x + y*z.
func MulAdd(dst, x, y, z []float32) {
	n := mulAddN(dst, x, y, z)
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] + y[i]*z[i]
	}
}

// Modulate writes x*(1+y) + z.
func Modulate(dst, x, y, z []float32) {
	n := modulateN(dst, x, y, z)
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] + x[i]*y[i] + z[i]
	}
}

// AddScaled writes x + s*y.
func AddScaled(dst, x, y []float32, s float32) {
	n := addScaledN(dst, x, y, s)
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] + s*y[i]
	}
}

// Affine writes s*x + b.
func Affine(dst, x []float32, s, b float32) {
	n := affineN(dst, x, s, b)
	for i := n; i < len(dst); i++ {
		dst[i] = s*x[i] + b
	}
}

// AffineMul writes s*x*y + b.
func AffineMul(dst, x, y []float32, s, b float32) {
	n := affine2N(dst, x, y, s, b)
	for i := n; i < len(dst); i++ {
		dst[i] = s*(x[i]*y[i]) + b
	}
}

// Dot returns the sum of x*y.
func Dot(x, y []float32) float32 {
	n, r := dotN(x, y)
	for i := n; i < len(x); i++ {
		r += x[i] * y[i]
	}
	return r
}

// Dots writes the dot products of x with as many rows of w as dst has room for; rows
// lie stride apart.
func Dots(dst, x, w []float32, stride int) {
	i, k := 0, len(x)
	for ; i+4 <= len(dst); i += 4 {
		n := dots4N(dst[i:i+4], x, w[i*stride:], stride)
		if n == 0 {
			clear(dst[i : i+4])
		}
		for p := n; p < k; p++ {
			for r := range 4 {
				dst[i+r] += x[p] * w[(i+r)*stride+p]
			}
		}
	}
	for ; i < len(dst); i++ {
		dst[i] = Dot(x, w[i*stride:i*stride+k])
	}
}

// Sum returns the sum of x.
func Sum(x []float32) float32 {
	n, r := sumN(x)
	for _, v := range x[n:] {
		r += v
	}
	return r
}

// SumSquares returns the sum of (x-mean)².
func SumSquares(x []float32, mean float32) float32 {
	n, r := sumSquaresN(x, mean)
	for _, v := range x[n:] {
		r += (v - mean) * (v - mean)
	}
	return r
}

// Max returns the largest of x; -Inf when there is none.
func Max(x []float32) float32 {
	n, r := maximumN(x)
	for _, v := range x[n:] {
		r = max(r, v)
	}
	return r
}

// ExpSum writes exp(x-shift) and returns the sum of it.
func ExpSum(dst, x []float32, shift float32) float32 {
	n, r := expSumN(dst, x, shift)
	for i := n; i < len(dst); i++ {
		dst[i] = exp(x[i] - shift)
		r += dst[i]
	}
	return r
}

// SiLU writes x*sigmoid(x).
func SiLU(dst, x []float32) {
	for i := siluN(dst, x); i < len(dst); i++ {
		dst[i] = x[i] / (1 + exp(-x[i]))
	}
}

// GELU writes the tanh form of GELU of x: 0.5*(1+tanh(u)) is sigmoid(2u).
func GELU(dst, x []float32) {
	for i := geluN(dst, x); i < len(dst); i++ {
		v := x[i]
		dst[i] = v / (1 + exp(-2*0.7978845608028654*(v+0.044715*v*v*v)))
	}
}

// Rotate turns neighbouring values of x by the angles of which cosines and sines are
// given.
func Rotate(dst, x, cos, sin []float32) {
	for i := rotateN(dst, x, cos, sin); i < len(cos); i++ {
		a, b := x[2*i], x[2*i+1]
		dst[2*i], dst[2*i+1] = a*cos[i]-b*sin[i], b*cos[i]+a*sin[i]
	}
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }
