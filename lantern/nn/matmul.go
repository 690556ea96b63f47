package nn

import "reel/lantern/device"

// Linear returns x·wᵀ + b for x […, in], w [out, in] and b [out], which may be none:
// PyTorch's nn.Linear.
func (o *Ops) Linear(x, w, b Tensor) Tensor {
	const op = "linear"
	if !o.ready(op, x, w) || !o.live(op, b) {
		return Tensor{}
	}
	in := x.Dim(-1)
	if w.rank != 2 || w.dims[1] != in || in == 0 || !b.IsNone() && b.n != w.dims[0] {
		return o.fail(op, "weight %v and bias %v for %v", w, b, x)
	}
	g := product{m: x.n / in, n: w.dims[0], k: in, a: x.data(), b: w.data(), bias: b.data(), turned: true}
	defer o.counted(op, g.work(1).FLOPs, x, w, b).End()
	dims := x.dims
	dims[x.rank-1] = w.dims[0]
	out := o.Empty(dims[:x.rank]...)
	g.c = out.data()
	o.multiply(op, g, 1, 0)
	return out
}

// MatMul returns a·b for a […, m, k] and b [k, n], or b with the leading dimensions
// of a.
func (o *Ops) MatMul(a, b Tensor) Tensor { return o.batched("matmul", a, b, false) }

// MatMulT returns a·bᵀ for a […, m, k] and b [n, k], or b with the leading
// dimensions of a.
func (o *Ops) MatMulT(a, b Tensor) Tensor { return o.batched("matmul_t", a, b, true) }

func (o *Ops) batched(op string, a, b Tensor, turned bool) Tensor {
	if !o.ready(op, a, b) {
		return Tensor{}
	}
	k, n := b.Dim(-2), b.Dim(-1)
	if turned {
		k, n = n, k
	}
	ok := a.rank >= 2 && (b.rank == 2 || b.rank == a.rank) && a.Dim(-1) == k && k > 0
	for d := range max(b.rank-2, 0) {
		ok = ok && a.dims[d] == b.dims[d]
	}
	if !ok {
		return o.fail(op, "%v by %v", a, b)
	}
	g := product{m: a.Dim(-2), n: n, k: k, a: a.data(), b: b.data(), turned: turned}
	times := 1
	for _, d := range a.dims[:a.rank-2] {
		times *= d
	}
	if b.rank == 2 {
		g.m, times = g.m*times, 1
	}
	defer o.counted(op, g.work(times).FLOPs, a, b).End()
	dims := a.dims
	dims[a.rank-1] = n
	out := o.Empty(dims[:a.rank]...)
	g.c = out.data()
	o.multiply(op, g, times, n*k)
	return out
}

// multiply launches a product, times over; b steps on by so many floats.
func (o *Ops) multiply(op string, g product, times, step int) {
	if g.c == nil {
		return
	}
	t := o.tile
	ws := o.Empty(g.room(t))
	room := ws.data()
	if room == nil {
		return
	}
	o.launch(op, g.work(times), func(k *device.Kernel) {
		for i := range times {
			h := g
			h.a, h.b, h.c = g.a[i*g.m*g.k:], g.b[i*step:], g.c[i*g.m*g.n:]
			h.run(k, t, room)
		}
	})
	o.Free(ws)
}
