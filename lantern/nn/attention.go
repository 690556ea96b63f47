package nn

import (
	"math"

	"reel/lantern/device"
)

// AttentionOptions says how to attend. The zero value scales by 1/sqrt(D).
type AttentionOptions struct {
	Scale float32 // of the scores; 0 is 1/sqrt(D)
	Bias  Tensor  // added to the scores, broadcast to [B, H, Tq, Tk]: -Inf masks
}

// Attention returns softmax(q·kᵀ·scale + bias)·v for each head: q is [B, Tq, H, D],
// k and v are [B, Tk, H, D] and [B, Tk, H, Dv], the result is [B, Tq, H, Dv]. A query
// of which every key is masked with -Inf gets NaN, as in PyTorch.
func (o *Ops) Attention(q, k, v Tensor, opt AttentionOptions) Tensor {
	const op = "attention"
	if !o.ready(op, q, k, v) || !o.live(op, opt.Bias) {
		return Tensor{}
	}
	a := attention{b: q.Dim(0), tq: q.Dim(1), tk: k.Dim(1), h: q.Dim(2), d: q.Dim(3), dv: v.Dim(3), scale: opt.Scale}
	if q.rank != 4 || !k.HasDims(a.b, a.tk, a.h, a.d) || !v.HasDims(a.b, a.tk, a.h, a.dv) || a.tk == 0 {
		return o.fail(op, "q %v, k %v, v %v", q, k, v)
	}
	if !opt.Bias.IsNone() {
		full := [4]int{a.b, a.h, a.tq, a.tk}
		step := 1
		for i := range 4 {
			x := opt.Bias.fromEnd(i)
			if x != 1 && x != full[3-i] || opt.Bias.rank > 4 {
				return o.fail(op, "bias %v for %v scores", opt.Bias, full)
			}
			if x != 1 {
				a.steps[3-i] = step
				step *= x
			}
		}
		a.bias = opt.Bias.data()
	}
	if a.scale == 0 {
		a.scale = float32(1 / math.Sqrt(float64(a.d)))
	}
	a.q, a.k, a.v, a.t = q.data(), k.data(), v.data(), o.tile
	defer o.counted(op, a.work().FLOPs, q, k, v, opt.Bias).End()
	out := o.Empty(a.b, a.tq, a.h, a.dv)
	a.out = out.data()
	ws := o.Empty(a.room())
	room := ws.data()
	if a.out == nil || room == nil {
		return Tensor{}
	}
	o.launch(op, a.work(), func(k *device.Kernel) { a.run(k, room) })
	o.Free(ws)
	return out
}
