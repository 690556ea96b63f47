//go:build !purego

package simd

// detect asks the processor for its instructions, and whether the operating system
// keeps the registers.
func detect() Level {
	top, _, _, _ := cpuid(0, 0)
	if top < 7 {
		return Scalar
	}
	const fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28
	_, _, c, _ := cpuid(1, 0)
	if c&(fma|osxsave|avx) != fma|osxsave|avx {
		return Scalar
	}
	const ymm, zmm = 1<<1 | 1<<2, 1<<5 | 1<<6 | 1<<7
	kept, _ := xgetbv()
	const avx2, avx512f = 1 << 5, 1 << 16
	_, b, _, _ := cpuid(7, 0)
	switch {
	case kept&ymm != ymm || b&avx2 == 0:
		return Scalar
	case kept&zmm == zmm && b&avx512f != 0:
		return AVX512
	}
	return AVX2
}
