package nn

import (
	"math"

	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
)

// SiLU returns x*sigmoid(x).
func (o *Ops) SiLU(x Tensor) Tensor {
	return o.unary("silu", x, 5, simd.SiLU)
}

// GELU returns the tanh form of GELU: "gelu_new", "gelu_pytorch_tanh".
func (o *Ops) GELU(x Tensor) Tensor {
	return o.unary("gelu_tanh", x, 10, simd.GELU)
}

// GELUExact returns GELU by the error function.
func (o *Ops) GELUExact(x Tensor) Tensor {
	return o.unary("gelu", x, 20, func(d, s []float32) {
		for i, v := range s {
			d[i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)*math.Sqrt2/2)))
		}
	})
}

// ReLU returns x where it is above zero, else zero.
func (o *Ops) ReLU(x Tensor) Tensor {
	return o.unary("relu", x, 1, func(d, s []float32) {
		for i, v := range s {
			d[i] = max(v, 0)
		}
	})
}

// Softmax returns the softmax of rows of the last dimension.
func (o *Ops) Softmax(x Tensor) Tensor {
	return o.rowwise("softmax", x, 5, softmax)
}

// softmax is one row; a row of which all is -Inf becomes NaN, as in PyTorch.
func softmax(d, s []float32) {
	r := 1 / simd.ExpSum(d, s, simd.Max(s))
	simd.Affine(d, d, r, 0)
}

// rowwise launches a function of rows of the last dimension.
func (o *Ops) rowwise(name string, x Tensor, flops int64, f func(dst, src []float32)) Tensor {
	if !o.ready(name, x) {
		return Tensor{}
	}
	defer o.op(name, x).End()
	out := o.like(x)
	dst, src, c := out.data(), x.data(), x.Dim(-1)
	if dst == nil {
		return Tensor{}
	}
	o.launch(name, device.Work{FLOPs: flops * int64(x.n), Bytes: 8 * int64(x.n)}, func(k *device.Kernel) {
		k.Ranges(x.rows(), max(grain/max(c, 1), 1), func(from, to int, _ *device.Lane) {
			for r := from; r < to; r++ {
				f(dst[r*c:(r+1)*c], src[r*c:(r+1)*c])
			}
		})
	})
	return out
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }
