package nn

import (
	"math"

	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
)

// LayerNorm normalises rows of the last dimension, then scales by w and adds b; both
// may be none. eps is added to the variance.
func (o *Ops) LayerNorm(x, w, b Tensor, eps float32) Tensor {
	ws, bs, ok := o.affine("layer_norm", x, w, b)
	if !ok {
		return Tensor{}
	}
	return o.rowwise("layer_norm", x, 8, func(d, s []float32) {
		n := float32(len(s))
		mean := simd.Sum(s) / n
		r := 1 / root(simd.SumSquares(s, mean)/n+eps)
		scale(d, s, mean, r, ws, bs)
	})
}

// RMSNorm divides rows of the last dimension by the root of their mean square, then
// scales by w, which may be none. eps is added to the mean square.
func (o *Ops) RMSNorm(x, w Tensor, eps float32) Tensor {
	ws, _, ok := o.affine("rms_norm", x, w, Tensor{})
	if !ok {
		return Tensor{}
	}
	return o.rowwise("rms_norm", x, 4, func(d, s []float32) {
		scale(d, s, 0, 1/root(simd.Dot(s, s)/float32(len(s))+eps), ws, nil)
	})
}

// affine checks the weights of a norm over the last dimension.
func (o *Ops) affine(op string, x, w, b Tensor) (ws, bs []float32, ok bool) {
	if !o.ready(op, x) || !o.live(op, w, b) {
		return nil, nil, false
	}
	if c := x.Dim(-1); !w.IsNone() && w.n != c || !b.IsNone() && b.n != c {
		o.fail(op, "weights %v and %v for %v", w, b, x)
		return nil, nil, false
	}
	return w.data(), b.data(), true
}

// scale writes (s-mean)*r*w + b.
func scale(d, s []float32, mean, r float32, w, b []float32) {
	simd.Affine(d, s, r, -mean*r)
	if w != nil {
		simd.Mul(d, d, w)
	}
	if b != nil {
		simd.Add(d, d, b)
	}
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// ChannelRMSNorm divides each place of x [N, C, …] by the root mean square over its
// channels and scales by w [C…], which may be none, and adds b: Wan's RMS_norm,
// normalize(x, dim=1) * sqrt(C) * gamma + bias.
func (o *Ops) ChannelRMSNorm(x, w, b Tensor) Tensor {
	const op = "channel_rms_norm"
	if !o.ready(op, x) || !o.live(op, w, b) {
		return Tensor{}
	}
	c := x.Dim(1)
	if x.rank < 2 || !w.IsNone() && w.n != c || !b.IsNone() && b.n != c {
		return o.fail(op, "weights %v and %v for %v", w, b, x)
	}
	defer o.op(op, x, w, b).End()
	out := o.like(x)
	dst, src, ws, bs := out.data(), x.data(), w.data(), b.data()
	if dst == nil || x.n == 0 {
		return out
	}
	area := x.n / (x.dims[0] * c)
	o.launch(op, device.Work{FLOPs: 4 * int64(x.n), Bytes: 8 * int64(x.n)}, func(k *device.Kernel) {
		for n := range x.dims[0] {
			at := n * c * area
			k.Ranges(area, max(grain/c, 64), func(from, to int, l *device.Lane) {
				channelRMS(dst[at:at+c*area], src[at:at+c*area], ws, bs, c, area, from, to, l)
			})
		}
	})
	return out
}

// channelRMS does the places from to to of one image.
func channelRMS(dst, src, w, b []float32, c, area, from, to int, l *device.Lane) {
	r := l.Floats(0, to-from)
	clear(r)
	for ch := range c {
		x := src[ch*area+from : ch*area+to]
		simd.MulAdd(r, r, x, x)
	}
	most := root(float32(c))
	for i, v := range r {
		r[i] = most / max(root(v), 1e-12)
	}
	for ch := range c {
		g, add := float32(1), float32(0)
		if w != nil {
			g = w[ch]
		}
		if b != nil {
			add = b[ch]
		}
		simd.AffineMul(dst[ch*area+from:ch*area+to], src[ch*area+from:ch*area+to], r, g, add)
	}
}

// GroupNorm normalises groups of channels of x [N, C, …], then scales by w [C] and
// adds b [C]; both may be none.
func (o *Ops) GroupNorm(x Tensor, groups int, w, b Tensor, eps float32) Tensor {
	const op = "group_norm"
	if !o.ready(op, x) || !o.live(op, w, b) {
		return Tensor{}
	}
	c := x.Dim(1)
	if x.rank < 2 || groups < 1 || c%groups != 0 || !w.IsNone() && w.n != c || !b.IsNone() && b.n != c {
		return o.fail(op, "%d groups, weights %v and %v for %v", groups, w, b, x)
	}
	defer o.op(op, x, w, b).End()
	out := o.like(x)
	dst, src, ws, bs := out.data(), x.data(), w.data(), b.data()
	if dst == nil || x.n == 0 {
		return out
	}
	per := c / groups
	area := x.n / (x.dims[0] * c)
	o.launch(op, device.Work{FLOPs: 8 * int64(x.n), Bytes: 8 * int64(x.n)}, func(k *device.Kernel) {
		k.Parallel(x.dims[0]*groups, func(g int, _ *device.Lane) {
			s := src[g*per*area : (g+1)*per*area]
			n := float32(len(s))
			mean := simd.Sum(s) / n
			r := 1 / root(simd.SumSquares(s, mean)/n+eps)
			for i := range per {
				ch := g%groups*per + i
				m, add := r, float32(0)
				if ws != nil {
					m *= ws[ch]
				}
				if bs != nil {
					add = bs[ch]
				}
				at := (g*per + i) * area
				simd.Affine(dst[at:at+area], s[i*area:(i+1)*area], m, add-mean*m)
			}
		})
	})
	return out
}
