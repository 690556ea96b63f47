package nn

import (
	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
)

// grain is how many values of simple work are worth another core.
const grain = 1 << 14

// Add returns a + b. Here and below, shapes are broadcast as PyTorch does: missing
// leading dimensions and those of size 1 stretch.
func (o *Ops) Add(a, b Tensor) Tensor {
	return o.stretched("add", 1, addTriple, a, b)
}

// Sub returns a - b.
func (o *Ops) Sub(a, b Tensor) Tensor {
	return o.stretched("sub", 1, subTriple, a, b)
}

// Mul returns a * b.
func (o *Ops) Mul(a, b Tensor) Tensor {
	return o.stretched("mul", 1, mulTriple, a, b)
}

// AddScaled returns a + s*b: a step of a solver, or guidance.
func (o *Ops) AddScaled(a, b Tensor, s float32) Tensor {
	return o.stretched("add_scaled", 2, func(d, x, y, _ []float32) { simd.AddScaled(d, x, y, s) }, a, b)
}

// Affine returns scale*x + shift.
func (o *Ops) Affine(x Tensor, scale, shift float32) Tensor {
	return o.unary("affine", x, 2, func(d, s []float32) { simd.Affine(d, s, scale, shift) })
}

// Clamp returns x, no less than lo and no more than hi. NaN stays.
func (o *Ops) Clamp(x Tensor, lo, hi float32) Tensor {
	return o.unary("clamp", x, 2, func(d, s []float32) {
		for i := range d {
			d[i] = max(lo, min(hi, s[i]))
		}
	})
}

// Modulate returns x*(1+scale) + shift, broadcast: adaptive norms.
func (o *Ops) Modulate(x, scale, shift Tensor) Tensor {
	return o.stretched("modulate", 3, simd.Modulate, x, scale, shift)
}

// Gate returns x + y*gate, broadcast: a residual behind a gate.
func (o *Ops) Gate(x, y, gate Tensor) Tensor {
	return o.stretched("gate", 2, simd.MulAdd, x, y, gate)
}

// unary launches a function of every value; flops is what it costs each.
func (o *Ops) unary(name string, x Tensor, flops int64, f func(dst, src []float32)) Tensor {
	if !o.ready(name, x) {
		return Tensor{}
	}
	defer o.op(name, x).End()
	out := o.like(x)
	dst, src := out.data(), x.data()
	if dst == nil {
		return Tensor{}
	}
	w := device.Work{FLOPs: flops * int64(x.n), Bytes: 8 * int64(x.n)}
	o.launch(name, w, func(k *device.Kernel) {
		k.Ranges(len(dst), grain, func(from, to int, _ *device.Lane) { f(dst[from:to], src[from:to]) })
	})
	return out
}

func addTriple(d, x, y, _ []float32) { simd.Add(d, x, y) }
func subTriple(d, x, y, _ []float32) { simd.Sub(d, x, y) }
func mulTriple(d, x, y, _ []float32) { simd.Mul(d, x, y) }
