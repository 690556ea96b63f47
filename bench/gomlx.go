package main

import (
	"math"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/core/tensors/images"
)

// mlx is a contender of a graph that is compiled once.
func mlx(build func(in []*graph.Node) *graph.Node, inputs ...any) (contender, error) {
	b, err := simplego.New("")
	if err != nil {
		return contender{}, err
	}
	return compiled(b, build, inputs)
}

func compiled(b backends.Backend, build func(in []*graph.Node) *graph.Node, inputs []any) (contender, error) {
	e, err := graph.NewExec(b, build)
	if err != nil {
		return contender{}, err
	}
	call := func() *tensors.Tensor {
		out, err := e.Exec(inputs...)
		if err != nil {
			panic(err)
		}
		return out[0]
	}
	read := func() (x []float32) {
		tensors.MustConstFlatData(call(), func(flat []float32) { x = append(x, flat...) })
		return x
	}
	return contender{"gomlx simplego", func() { call().FinalizeAll() }, read}, nil
}

func mlxProduct(a, b []float32) (contender, error) {
	return mlx(func(in []*graph.Node) *graph.Node { return graph.Dot(in[0], in[1]) },
		tensors.FromFlatDataAndDimensions(a, size, size), tensors.FromFlatDataAndDimensions(b, size, size))
}

// mlxConv has channels first for both, as ours has.
func mlxConv(x, w []float32) (contender, error) {
	return mlx(func(in []*graph.Node) *graph.Node {
		return graph.Convolve(in[0], in[1]).ChannelsAxis(images.ChannelsFirst).Strides(1).PadSame().Done()
	}, tensors.FromFlatDataAndDimensions(x, 1, channels, side, side), tensors.FromFlatDataAndDimensions(w, channels, channels, 3, 3))
}

func mlxAttention(q, k, v []float32) (contender, error) {
	t := func(x []float32) any { return tensors.FromFlatDataAndDimensions(x, 1, tokens, heads, perDim) }
	return mlx(func(in []*graph.Node) *graph.Node {
		s := graph.MulScalar(graph.Einsum("bqhd,bkhd->bhqk", in[0], in[1]), 1/math.Sqrt(perDim))
		return graph.Einsum("bhqk,bkhd->bqhd", graph.Softmax(s, -1), in[2])
	}, t(q), t(k), t(v))
}
