//go:build !amd64 || purego

package simd

import "math"

// Without assembly nothing is done by it.

func addN([]float32, []float32, []float32) int { return 0 }

func subN([]float32, []float32, []float32) int { return 0 }

func mulN([]float32, []float32, []float32) int { return 0 }

func mulAddN([]float32, []float32, []float32, []float32) int { return 0 }

func modulateN([]float32, []float32, []float32, []float32) int { return 0 }

func addScaledN([]float32, []float32, []float32, float32) int { return 0 }

func affineN([]float32, []float32, float32, float32) int { return 0 }

func affine2N([]float32, []float32, []float32, float32, float32) int { return 0 }

func dotN([]float32, []float32) (int, float32) { return 0, 0 }

func sumN([]float32) (int, float32) { return 0, 0 }

func sumSquaresN([]float32, float32) (int, float32) { return 0, 0 }

func maximumN([]float32) (int, float32) { return 0, float32(math.Inf(-1)) }

func expSumN([]float32, []float32, float32) (int, float32) { return 0, 0 }

func siluN([]float32, []float32) int { return 0 }

func geluN([]float32, []float32) int { return 0 }

func dots4N([]float32, []float32, []float32, int) int { return 0 }

func rotateN([]float32, []float32, []float32, []float32) int { return 0 }
