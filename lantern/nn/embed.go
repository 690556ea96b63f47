package nn

import (
	"math"

	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
)

// Embedding returns rows of table [V, C]: the result is [dims…, C], ids has one for
// each. The ids are copied.
func (o *Ops) Embedding(table Tensor, ids []int32, dims ...int) Tensor {
	const op = "embedding"
	if !o.ready(op, table) {
		return Tensor{}
	}
	n, ok := count(dims)
	if !ok || n != len(ids) || table.rank != 2 || len(dims) >= MaxRank {
		return o.fail(op, "%d ids for shape %s of table %v", len(ids), shapeText(dims), table)
	}
	for _, id := range ids {
		if id < 0 || int(id) >= table.dims[0] {
			return o.fail(op, "id %d of table %v", id, table)
		}
	}
	defer o.op(op, table).End()
	c := table.dims[1]
	out := o.Empty(append(append([]int(nil), dims...), c)...)
	dst, src := out.data(), table.data()
	if dst == nil {
		return Tensor{}
	}
	ids = append([]int32(nil), ids...)
	o.launch(op, moveWork(out.n), func(k *device.Kernel) {
		for i, id := range ids {
			copy(dst[i*c:(i+1)*c], src[int(id)*c:])
		}
	})
	return out
}

// TimeEmbedding returns the sinusoids of timesteps, [len(t), dim]: cosines, then
// sines, of t*10000^(-i/(dim/2)), as Diffusers' Timesteps with flip_sin_to_cos and a
// shift of 0. An odd dim ends with a zero.
func (o *Ops) TimeEmbedding(t []float32, dim int) Tensor {
	if dim < 2 || dim > 1<<20 {
		return o.fail("time embedding", "of %d values", dim)
	}
	half := dim / 2
	data := make([]float32, len(t)*dim)
	for i, v := range t {
		for j := range half {
			f := float32(math.Exp(float64(float32(-math.Log(10000)) * float32(j) / float32(half))))
			x := float64(v * f)
			data[i*dim+j], data[i*dim+half+j] = float32(math.Cos(x)), float32(math.Sin(x))
		}
	}
	return o.FromHost(data, len(t), dim)
}

// RopeOptions says how positions in a clip turn the values of a head.
type RopeOptions struct {
	Dim    int     // of a head, even
	Frames int     // latent frames, after patches
	First  int     // number of the first of them
	H, W   int     // places, after patches
	Theta  float64 // 0 is 10000
}

// Rope is the angles' cosines and sines, [T, Dim/2] each.
type Rope struct{ Cos, Sin Tensor }

// Rope makes the angles of all places of a clip, frame by frame and row by row: a
// head's values are divided between time, height and width as Diffusers'
// WanRotaryPosEmbed divides them, 2*(Dim/6) for height and for width, the rest for
// time.
func (o *Ops) Rope(opt RopeOptions) Rope {
	if opt.Dim < 2 || opt.Dim%2 != 0 || opt.Frames < 0 || opt.H < 0 || opt.W < 0 || opt.First < 0 {
		o.fail("rope", "%+v", opt)
		return Rope{}
	}
	if opt.Theta == 0 {
		opt.Theta = 10000
	}
	n, ok := count([]int{opt.Frames, opt.H, opt.W, opt.Dim / 2})
	if !ok {
		o.fail("rope", "%+v", opt)
		return Rope{}
	}
	hw := 2 * (opt.Dim / 6)
	parts := [3]int{(opt.Dim - 2*hw) / 2, hw / 2, hw / 2} // pairs
	var cos, sin [3][]float32
	for a, size := range [3]int{opt.Frames, opt.H, opt.W} {
		first := 0
		if a == 0 {
			first = opt.First
		}
		cos[a], sin[a] = angles(first, size, parts[a], opt.Theta)
	}
	c, s := make([]float32, 0, n), make([]float32, 0, n)
	for t := range opt.Frames {
		for y := range opt.H {
			for x := range opt.W {
				for a, i := range [3]int{t, y, x} {
					c = append(c, cos[a][i*parts[a]:(i+1)*parts[a]]...)
					s = append(s, sin[a][i*parts[a]:(i+1)*parts[a]]...)
				}
			}
		}
	}
	places := opt.Frames * opt.H * opt.W
	return Rope{o.FromHost(c, places, opt.Dim/2), o.FromHost(s, places, opt.Dim/2)}
}

// angles returns cosines and sines of positions times frequencies.
func angles(first, n, pairs int, theta float64) (cos, sin []float32) {
	cos, sin = make([]float32, n*pairs), make([]float32, n*pairs)
	for p := range n {
		for i := range pairs {
			x := float64(first+p) * (1 / math.Pow(theta, float64(2*i)/float64(2*pairs)))
			cos[p*pairs+i], sin[p*pairs+i] = float32(math.Cos(x)), float32(math.Sin(x))
		}
	}
	return cos, sin
}

// Rotate turns pairs of neighbouring values of x [B, T, H, D] by the angles of their
// places.
func (o *Ops) Rotate(x Tensor, r Rope) Tensor {
	const op = "rope"
	if !o.ready(op, x, r.Cos, r.Sin) {
		return Tensor{}
	}
	b, t, h, d := x.Dim(0), x.Dim(1), x.Dim(2), x.Dim(3)
	if x.rank != 4 || d%2 != 0 || !r.Cos.HasDims(t, d/2) || !r.Sin.HasDims(t, d/2) {
		return o.fail(op, "angles %v for %v", r.Cos, x)
	}
	defer o.op(op, x, r.Cos, r.Sin).End()
	out := o.like(x)
	dst, src, cos, sin := out.data(), x.data(), r.Cos.data(), r.Sin.data()
	if dst == nil {
		return Tensor{}
	}
	o.launch(op, device.Work{FLOPs: 3 * int64(x.n), Bytes: 8 * int64(x.n)}, func(k *device.Kernel) {
		k.Ranges(b*t, max(grain/max(h*d, 1), 1), func(from, to int, _ *device.Lane) {
			for r := from; r < to; r++ {
				c, s := cos[r%t*(d/2):][:d/2], sin[r%t*(d/2):][:d/2]
				for i := range h {
					simd.Rotate(dst[(r*h+i)*d:][:d], src[(r*h+i)*d:][:d], c, s)
				}
			}
		})
	})
	return out
}
