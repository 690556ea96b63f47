// Gen writes the assembly of package simd:
//
//	go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg simd
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64,!purego")
	cpu()
	for _, indirect := range []bool{false, true} {
		gemm(tile{"AVX2", 6, 2, 32}, indirect)
		gemm(tile{"AVX512", 8, 2, 64}, indirect)
	}
	transpose()
	elementwise()
	exponentials()
	sums()
	dots()
	rotate()
	Generate()
}
