package main

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"reel/lantern/device"
	"reel/lantern/nn"
)

// Sizes of the workloads.
const (
	size                  = 512            // of the product
	side, channels        = 32, 64         // of the convolution
	tokens, heads, perDim = 256, 6, 32     // of attention
	area                  = side * side    // places
	width                 = heads * perDim // values of a token
	attentionFLOP         = 4 * tokens * tokens * width
)

// workloads makes the contenders, on values that are the same for all.
func workloads() ([]workload, error) {
	r := rand.New(rand.NewPCG(1, 2))
	values := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	o := nn.On(context.Background(), device.New(device.Options{}).NewStream("compute"))
	product, err := products(o, values(size*size), values(size*size))
	if err != nil {
		return nil, err
	}
	conv, err := convolutions(o, values(channels*area), values(channels*channels*9))
	if err != nil {
		return nil, err
	}
	attention, err := attentions(o, values(tokens*width), values(tokens*width), values(tokens*width))
	return []workload{product, conv, attention}, err
}

// ours is a contender of operators.
func ours(o *nn.Ops, f func(o *nn.Ops) nn.Tensor) contender {
	var last []float32
	run := func(read bool) {
		s := o.Scope()
		t := f(s)
		err := error(nil)
		if read {
			last, err = s.ToHost(t)
		} else {
			err = s.Sync()
		}
		if s.Close(); err != nil {
			panic(err)
		}
	}
	return contender{"lantern", func() { run(false) }, func() []float32 { run(true); return last }}
}

func products(o *nn.Ops, a, b []float32) (workload, error) {
	x, y := o.FromHost(a, size, size), o.FromHost(b, size, size)
	c := make([]float32, size*size)
	general := func(x []float32) blas32.General {
		return blas32.General{Rows: size, Cols: size, Stride: size, Data: x}
	}
	gonum := contender{"gonum", func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(a), general(b), 0, general(c)) }, func() []float32 { return c }}
	mlx, err := mlxProduct(a, b)
	return workload{"matmul 512x512x512", 2 * size * size * size, []contender{ours(o, func(o *nn.Ops) nn.Tensor { return o.MatMul(x, y) }), gonum, mlx}}, err
}

func convolutions(o *nn.Ops, x, w []float32) (workload, error) {
	xt, wt := o.FromHost(x, 1, channels, side, side), o.FromHost(w, channels, channels, 3, 3)
	mlx, err := mlxConv(x, w)
	return workload{"conv 3x3 32x32 64->64", 18 * channels * channels * area, []contender{
		ours(o, func(o *nn.Ops) nn.Tensor { return o.Conv2d(xt, wt, nn.Tensor{}, nn.Same(1)) }), mlx}}, err
}

func attentions(o *nn.Ops, q, k, v []float32) (workload, error) {
	qt, kt, vt := o.FromHost(q, 1, tokens, heads, perDim), o.FromHost(k, 1, tokens, heads, perDim), o.FromHost(v, 1, tokens, heads, perDim)
	mlx, err := mlxAttention(q, k, v)
	return workload{"attention T=256 H=6 D=32", attentionFLOP, []contender{
		ours(o, func(o *nn.Ops) nn.Tensor { return o.Attention(qt, kt, vt, nn.AttentionOptions{}) }), mlx}}, err
}
