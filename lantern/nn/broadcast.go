package nn

import "reel/lantern/device"

// triple computes dst from inputs of its length; those that there are not are nil.
type triple func(dst, x, y, z []float32)

// layout is how inputs of other shapes lie under an output: dimensions joined where
// that can be, and for each input its step along each.
type layout struct {
	dims  [MaxRank]int
	rank  int
	steps [3][MaxRank]int
}

// stretch returns the layout, and false when the shapes do not fit each other.
func stretch(list []Tensor) (layout, bool) {
	var l layout
	for _, t := range list {
		l.rank = max(l.rank, t.rank)
	}
	for d := range l.rank {
		size := 1
		for _, t := range list {
			x := t.fromEnd(l.rank - 1 - d)
			if x != 1 && size != 1 && x != size {
				return l, false
			}
			if x != 1 {
				size = x
			}
		}
		l.dims[d] = size
	}
	for i, t := range list {
		step := 1
		for d := l.rank - 1; d >= 0; d-- {
			if x := t.fromEnd(l.rank - 1 - d); x != 1 {
				l.steps[i][d] = step
				step *= x
			}
		}
	}
	return l, true
}

// fromEnd returns the dimension i places before the last; 1 where there is none.
func (t Tensor) fromEnd(i int) int {
	if i >= t.rank {
		return 1
	}
	return t.dims[t.rank-1-i]
}

// joined merges neighbouring dimensions along which all inputs go on evenly.
func (l layout) joined() layout {
	out := layout{}
	for d := range l.rank {
		if l.dims[d] == 1 && l.rank > 1 && !(out.rank == 0 && d == l.rank-1) {
			continue
		}
		if k := out.rank - 1; k >= 0 && l.evenly(out, k, d) {
			out.dims[k] *= l.dims[d]
			for i := range l.steps {
				out.steps[i][k] = l.steps[i][d]
			}
			continue
		}
		out.dims[out.rank] = l.dims[d]
		for i := range l.steps {
			out.steps[i][out.rank] = l.steps[i][d]
		}
		out.rank++
	}
	return out
}

// evenly reports whether dimension d of l goes on where dimension k of out steps.
func (l layout) evenly(out layout, k, d int) bool {
	for i := range l.steps {
		if out.steps[i][k] != l.steps[i][d]*l.dims[d] {
			return false
		}
	}
	return true
}

// stretched launches f over rows of the broadcast inputs.
func (o *Ops) stretched(name string, flops int64, f triple, inputs ...Tensor) Tensor {
	if !o.ready(name, inputs...) {
		return Tensor{}
	}
	l, ok := stretch(inputs)
	if !ok {
		return o.fail(name, "shapes %v do not fit each other", inputs)
	}
	defer o.op(name, inputs...).End()
	out := o.Empty(l.dims[:l.rank]...)
	dst := out.data()
	if dst == nil {
		return Tensor{}
	}
	r := &stretching{layout: l.joined(), dst: dst, n: len(inputs), f: f}
	bytes := int64(out.n)
	for i, t := range inputs {
		r.in[i] = t.data()
		bytes += int64(t.n)
	}
	o.launch(name, device.Work{FLOPs: flops * int64(out.n), Bytes: 4 * bytes}, r.run)
	return out
}

// stretching is a function of broadcast inputs at work.
type stretching struct {
	layout
	dst []float32
	in  [3][]float32
	n   int // inputs
	f   triple
}

// run goes over the rows. An input that stands still along a row is spread out first.
func (s *stretching) run(k *device.Kernel) {
	last := s.rank - 1
	row := s.dims[last]
	if row == 0 || len(s.dst) == 0 {
		return
	}
	if last == 0 {
		k.Ranges(row, grain, func(from, to int, lane *device.Lane) { s.piece(s.dst, lane, 0, from, to) })
		return
	}
	k.Ranges(len(s.dst)/row, max(grain/row, 1), func(from, to int, lane *device.Lane) {
		for r := from; r < to; r++ {
			s.piece(s.dst[r*row:(r+1)*row], lane, r, 0, row)
		}
	})
}

// piece does values from to to of row r; dst begins at the row.
func (s *stretching) piece(dst []float32, lane *device.Lane, r, from, to int) {
	last := s.rank - 1
	var at [3]int
	for d, rest := last-1, r; d >= 0; d-- {
		i := rest % s.dims[d]
		rest /= s.dims[d]
		for x := range s.n {
			at[x] += i * s.steps[x][d]
		}
	}
	var buf [3][]float32
	for x := range s.n {
		if s.steps[x][last] != 0 {
			buf[x] = s.in[x][at[x]+from : at[x]+to]
			continue
		}
		buf[x] = lane.Floats(x, to-from)
		v := s.in[x][at[x]]
		for i := range buf[x] {
			buf[x][i] = v
		}
	}
	s.f(dst[from:to], buf[0], buf[1], buf[2])
}
