//go:build !purego

package simd

import (
	"math"
	"unsafe"
)

// Each of these does the first values by assembly and returns how many.

// whole returns how many of n values assembly does.
func whole(n int) int {
	if level < AVX2 {
		return 0
	}
	return n &^ 7
}

// at is where a slice begins; a shorter one than n panics.
func at(x []float32, n int) *float32 { return unsafe.SliceData(x[:n]) }

func addN(dst, x, y []float32) int {
	n := whole(len(dst))
	if n > 0 {
		add(at(dst, n), at(x, n), at(y, n), n)
	}
	return n
}

func subN(dst, x, y []float32) int {
	n := whole(len(dst))
	if n > 0 {
		sub(at(dst, n), at(x, n), at(y, n), n)
	}
	return n
}

func mulN(dst, x, y []float32) int {
	n := whole(len(dst))
	if n > 0 {
		mul(at(dst, n), at(x, n), at(y, n), n)
	}
	return n
}

func mulAddN(dst, x, y, z []float32) int {
	n := whole(len(dst))
	if n > 0 {
		mulAdd(at(dst, n), at(x, n), at(y, n), at(z, n), n)
	}
	return n
}

func modulateN(dst, x, y, z []float32) int {
	n := whole(len(dst))
	if n > 0 {
		modulate(at(dst, n), at(x, n), at(y, n), at(z, n), n)
	}
	return n
}

func addScaledN(dst, x, y []float32, s float32) int {
	n := whole(len(dst))
	if n > 0 {
		addScaled(at(dst, n), at(x, n), at(y, n), n, s)
	}
	return n
}

func affineN(dst, x []float32, s, b float32) int {
	n := whole(len(dst))
	if n > 0 {
		affine(at(dst, n), at(x, n), n, s, b)
	}
	return n
}

func affine2N(dst, x, y []float32, s, b float32) int {
	n := whole(len(dst))
	if n > 0 {
		affine2(at(dst, n), at(x, n), at(y, n), n, s, b)
	}
	return n
}

func dotN(x, y []float32) (int, float32) {
	n := whole(len(x))
	if n == 0 {
		return 0, 0
	}
	return n, dot(at(x, n), at(y, n), n)
}

func sumN(x []float32) (int, float32) {
	n := whole(len(x))
	if n == 0 {
		return 0, 0
	}
	return n, sum(at(x, n), n)
}

func sumSquaresN(x []float32, mean float32) (int, float32) {
	n := whole(len(x))
	if n == 0 {
		return 0, 0
	}
	return n, sumSquares(at(x, n), n, mean)
}

func maximumN(x []float32) (int, float32) {
	n := whole(len(x))
	if n == 0 {
		return 0, float32(math.Inf(-1))
	}
	return n, maximum(at(x, n), n)
}

func expSumN(dst, x []float32, shift float32) (int, float32) {
	n := whole(len(dst))
	if n == 0 {
		return 0, 0
	}
	return n, expSum(at(dst, n), at(x, n), n, shift)
}

func siluN(dst, x []float32) int {
	n := whole(len(dst))
	if n > 0 {
		silu(at(dst, n), at(x, n), n)
	}
	return n
}

func geluN(dst, x []float32) int {
	n := whole(len(dst))
	if n > 0 {
		gelu(at(dst, n), at(x, n), n)
	}
	return n
}

func dots4N(dst, x, w []float32, stride int) int {
	n := whole(len(x))
	if n > 0 {
		_ = w[3*stride+n-1]
		dots4(at(dst, 4), at(x, n), unsafe.SliceData(w), stride, n)
	}
	return n
}

func rotateN(dst, x, cos, sin []float32) int {
	n := whole(len(cos))
	if n > 0 {
		rotatePairs(at(dst, 2*n), at(x, 2*n), at(cos, n), at(sin, n), n)
	}
	return n
}
