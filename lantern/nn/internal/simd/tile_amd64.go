//go:build !purego

package simd

import "unsafe"

func (t Tile) mul(k int, a, b *float32, ldb int, c *float32, ldc int, add bool) {
	acc := 0
	if add {
		acc = 1
	}
	switch t.level {
	case AVX512:
		gemmAVX512(k, a, b, ldb, c, ldc, acc)
	case AVX2:
		gemmAVX2(k, a, b, ldb, c, ldc, acc)
	default:
		scalarTile(k, a, b, ldb, nil, c, ldc, add)
	}
}

func (t Tile) mulAt(offs []int32, a, b, c *float32, ldc int, add bool) {
	acc := 0
	if add {
		acc = 1
	}
	switch t.level {
	case AVX512:
		gemmAVX512Indirect(len(offs), a, b, unsafe.SliceData(offs), c, ldc, acc)
	case AVX2:
		gemmAVX2Indirect(len(offs), a, b, unsafe.SliceData(offs), c, ldc, acc)
	default:
		scalarTile(len(offs), a, b, 0, offs, c, ldc, add)
	}
}

// packed8 packs rows i to i+7 as far as assembly does, and returns how many steps.
// It writes 8 values a step: what is too much is overwritten by those that follow.
func packed8(dst []float32, width int, src []float32, i, stride, k int) int {
	n := k &^ 7
	if level < AVX2 || n == 0 || (i+7)*stride+n > len(src) || (n-1)*width+8 > len(dst) {
		return 0
	}
	transpose8(unsafe.SliceData(dst), width, unsafe.SliceData(src[i*stride:]), stride, n)
	return n
}
