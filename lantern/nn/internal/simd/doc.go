// Package simd has the innermost loops of package nn: a micro-kernel for matrix
// products, and loops over slices. On amd64 they are assembly for AVX2 and AVX-512,
// chosen by what the processor and the operating system have; elsewhere, and for the
// rest of a slice, they are Go; so they are everywhere with the build tag purego. The
// assembly is made by the module in folder gen.
//
// It checks lengths and splits nothing over cores.
package simd

//go:generate sh -c "cd gen && go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg simd"
