package safetensors

import "unsafe"

// cpuid asks the processor what it is.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv says which registers the operating system keeps.
func xgetbv() uint32

// widen16 converts n halves, a multiple of 16 above zero; bad is not 0 when one
// of them is infinite or no number.
//
//go:noescape
func widen16(dst *float32, src *byte, n int) (bad uint32)

// vectors says that the machine has F16C and AVX2.
var vectors = hasVectors()

func hasVectors() bool {
	const osxsave, avx, f16c, avx2, ymm = 1 << 27, 1 << 28, 1 << 29, 1 << 5, 1<<1 | 1<<2
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false
	}
	_, _, c, _ := cpuid(1, 0)
	_, b, _, _ := cpuid(7, 0)
	return c&(osxsave|avx|f16c) == osxsave|avx|f16c && b&avx2 != 0 && xgetbv()&ymm == ymm
}

// widen converts as many halves as it can, and says how many those are and that
// they are finite.
func widen(dst []float32, src []byte) (n int, finite bool) {
	n = len(dst) &^ 15
	if !vectors || n == 0 {
		return 0, true
	}
	src = src[:2*n]
	return n, widen16(unsafe.SliceData(dst), unsafe.SliceData(src), n) == 0
}
