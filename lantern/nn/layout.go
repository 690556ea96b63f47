package nn

import (
	"reel/event"
	"reel/lantern/device"
)

// Reshape returns a view of t with other dimensions; one of them may be -1, which is
// what is left.
func (o *Ops) Reshape(t Tensor, dims ...int) Tensor {
	if !o.ready("reshape", t) {
		return Tensor{}
	}
	var d [MaxRank]int
	if len(dims) > MaxRank {
		return o.fail("reshape", "%v to %s", t, shapeText(dims))
	}
	known, open := 1, -1
	for i, x := range dims {
		d[i] = x
		if x == -1 && open < 0 {
			open = i
			continue
		}
		known *= x
	}
	if open >= 0 && known > 0 {
		d[open] = t.n / known
	}
	if n, ok := count(d[:len(dims)]); !ok || n != t.n {
		return o.fail("reshape", "%v to %s", t, shapeText(dims))
	}
	return t.shaped(d[:len(dims)])
}

// View returns entries from to to-1 of the first dimension whose predecessors are all
// 1, without copying: frames of a cache [1, T, H, D], say.
func (o *Ops) View(t Tensor, dim, from, to int) Tensor {
	if !o.ready("view", t) {
		return Tensor{}
	}
	dim, ok := t.axis(dim)
	for i := range dim {
		ok = ok && t.dims[i] == 1
	}
	if !ok || from < 0 || to < from || to > t.dims[dim] {
		return o.fail("view", "%d:%d of dimension %d of %v", from, to, dim, t)
	}
	inner := 1
	for _, x := range t.dims[dim+1 : t.rank] {
		inner *= x
	}
	t.dims[dim] = to - from
	t.off, t.n = t.off+from*inner, (to-from)*inner
	return t
}

// axis counts a dimension from the end when it is negative.
func (t Tensor) axis(i int) (int, bool) {
	if i < 0 {
		i += t.rank
	}
	if i < 0 || i >= t.rank {
		return 0, false
	}
	return i, true
}

// moveWork says what moving n floats is: a kernel without arithmetic.
func moveWork(n int) device.Work { return device.Work{Bytes: 8 * int64(n), Class: event.NoClass} }

// Slice returns a copy of the entries from to to-1 of a dimension.
func (o *Ops) Slice(t Tensor, dim, from, to int) Tensor {
	const op = "slice"
	if !o.ready(op, t) {
		return Tensor{}
	}
	dim, ok := t.axis(dim)
	if !ok || from < 0 || to < from || to > t.dims[dim] {
		return o.fail(op, "%d:%d of dimension %d of %v", from, to, dim, t)
	}
	defer o.op(op, t).End()
	dims, whole := t.dims, t.dims[dim]
	dims[dim] = to - from
	out := o.Empty(dims[:t.rank]...)
	dst, src := out.data(), t.data()
	if dst == nil || out.n == 0 {
		return out
	}
	outer, inner := t.around(dim)
	o.launch(op, moveWork(out.n), func(k *device.Kernel) {
		k.Ranges(outer, max(grain/(inner*(to-from)), 1), func(a, b int, _ *device.Lane) {
			for i := a; i < b; i++ {
				copy(dst[i*(to-from)*inner:(i+1)*(to-from)*inner], src[(i*whole+from)*inner:])
			}
		})
	})
	return out
}

// Split cuts a dimension into n equal parts.
func (o *Ops) Split(t Tensor, dim, n int) []Tensor {
	out := make([]Tensor, max(n, 0))
	d, ok := t.axis(dim)
	if o.state.err == nil && (!ok || n < 1 || t.dims[d]%n != 0) {
		o.fail("split", "dimension %d of %v into %d", dim, t, n)
	}
	for i := range out {
		if o.state.err == nil {
			part := t.dims[d] / n
			out[i] = o.Slice(t, d, i*part, (i+1)*part)
		}
	}
	return out
}

// around returns how many there are of what lies before a dimension, and behind it.
func (t Tensor) around(dim int) (outer, inner int) {
	outer, inner = 1, 1
	for i, x := range t.dims[:t.rank] {
		if i < dim {
			outer *= x
		} else if i > dim {
			inner *= x
		}
	}
	return outer, inner
}

// Concat joins tensors along a dimension.
func (o *Ops) Concat(dim int, list ...Tensor) Tensor {
	const op = "concat"
	if len(list) == 0 {
		return o.fail(op, "nothing to join")
	}
	if !o.ready(op, list...) {
		return Tensor{}
	}
	dim, ok := list[0].axis(dim)
	dims := list[0].dims
	for _, t := range list[1:] {
		dims[dim] += t.dims[dim]
		same := t.dims
		same[dim] = list[0].dims[dim]
		ok = ok && t.rank == list[0].rank && same == list[0].dims
	}
	if !ok {
		return o.fail(op, "%v along dimension %d", list, dim)
	}
	defer o.op(op, list...).End()
	out := o.Empty(dims[:list[0].rank]...)
	dst := out.data()
	if dst == nil || out.n == 0 {
		return out
	}
	outer, inner := out.around(dim)
	whole, at := dims[dim]*inner, 0
	parts := make([]piece, 0, len(list))
	for _, t := range list {
		n := t.dims[dim] * inner
		parts = append(parts, piece{t.data(), at, n})
		at += n
	}
	o.launch(op, moveWork(out.n), func(k *device.Kernel) {
		k.Ranges(outer, max(grain/whole, 1), func(a, b int, _ *device.Lane) {
			for i := a; i < b; i++ {
				for _, p := range parts {
					copy(dst[i*whole+p.at:i*whole+p.at+p.n], p.src[i*p.n:])
				}
			}
		})
	})
	return out
}

// piece is an input of Concat: where it lies in a row of the output.
type piece struct {
	src   []float32
	at, n int
}

// Permute returns t with its dimensions in another order: dimension i of the result
// is dimension order[i] of t.
func (o *Ops) Permute(t Tensor, order ...int) Tensor {
	const op = "permute"
	if !o.ready(op, t) {
		return Tensor{}
	}
	var l layout
	var seen [MaxRank]bool
	ok := len(order) == t.rank
	for i := 0; ok && i < t.rank; i++ {
		d, valid := t.axis(order[i])
		ok = valid && !seen[d]
		seen[d] = true
		l.dims[i] = t.dims[d]
		_, l.steps[0][i] = t.around(d)
	}
	if !ok {
		return o.fail(op, "%v to order %v", t, order)
	}
	l.rank = t.rank
	defer o.op(op, t).End()
	out := o.Empty(l.dims[:l.rank]...)
	dst, src := out.data(), t.data()
	if dst == nil || out.n == 0 {
		return out
	}
	l = l.joined()
	o.launch(op, moveWork(out.n), func(k *device.Kernel) { l.gather(k, dst, src) })
	return out
}

// gather copies what lies at the layout's steps.
func (l layout) gather(k *device.Kernel, dst, src []float32) {
	last := l.rank - 1
	row, step := l.dims[last], l.steps[0][last]
	k.Ranges(len(dst)/row, max(grain/row, 1), func(from, to int, _ *device.Lane) {
		for r := from; r < to; r++ {
			at := 0
			for d, rest := last-1, r; d >= 0; d-- {
				at += rest % l.dims[d] * l.steps[0][d]
				rest /= l.dims[d]
			}
			out := dst[r*row : (r+1)*row]
			if step == 1 {
				copy(out, src[at:])
				continue
			}
			for i := range out {
				out[i] = src[at+i*step]
			}
		}
	})
}
