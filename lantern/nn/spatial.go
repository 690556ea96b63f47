package nn

import "reel/lantern/device"

// Pad adds zeros around the last three dimensions, or the last two of a tensor that
// has no more than four: by time, height, width, before and after.
func (o *Ops) Pad(t Tensor, pad [3][2]int) Tensor {
	const op = "pad"
	if !o.ready(op, t) {
		return Tensor{}
	}
	ok := t.rank >= 3
	dims, size := t.dims, [3]int{}
	for i := range 3 {
		ok = ok && pad[i][0] >= 0 && pad[i][1] >= 0
		if ok {
			size[i] = t.dims[t.rank-3+i]
			dims[t.rank-3+i] += pad[i][0] + pad[i][1]
		}
	}
	if !ok {
		return o.fail(op, "%v by %v", t, pad)
	}
	defer o.op(op, t).End()
	out := o.Empty(dims[:t.rank]...)
	dst, src := out.data(), t.data()
	if dst == nil || out.n == 0 {
		return out
	}
	full := [3]int{dims[t.rank-3], dims[t.rank-2], dims[t.rank-1]}
	o.launch(op, moveWork(out.n), func(k *device.Kernel) {
		k.Ranges(len(dst)/full[2], max(grain/full[2], 1), func(from, to int, _ *device.Lane) {
			for r := from; r < to; r++ {
				row := dst[r*full[2] : (r+1)*full[2]]
				y, z, n := r%full[1]-pad[1][0], r/full[1]%full[0]-pad[0][0], r/full[1]/full[0]
				clear(row)
				if y >= 0 && y < size[1] && z >= 0 && z < size[0] {
					copy(row[pad[2][0]:], src[((n*size[0]+z)*size[1]+y)*size[2]:][:size[2]])
				}
			}
		})
	})
	return out
}

// UpsampleNearest repeats each value times by times along the last two dimensions.
func (o *Ops) UpsampleNearest(t Tensor, times int) Tensor {
	const op = "upsample_nearest"
	if !o.ready(op, t) {
		return Tensor{}
	}
	if t.rank < 2 || times < 1 {
		return o.fail(op, "%v by %d", t, times)
	}
	defer o.op(op, t).End()
	dims := t.dims
	h, w := t.Dim(-2), t.Dim(-1)
	dims[t.rank-2], dims[t.rank-1] = h*times, w*times
	out := o.Empty(dims[:t.rank]...)
	dst, src := out.data(), t.data()
	if dst == nil || out.n == 0 {
		return out
	}
	o.launch(op, moveWork(out.n), func(k *device.Kernel) {
		row := w * times
		k.Ranges(t.n/w, max(grain/(row*times), 1), func(from, to int, _ *device.Lane) {
			for r := from; r < to; r++ {
				first := dst[r*times*row : (r*times+1)*row]
				for i, v := range src[r*w : (r+1)*w] {
					for j := range times {
						first[i*times+j] = v
					}
				}
				for j := 1; j < times; j++ {
					copy(dst[(r*times+j)*row:(r*times+j+1)*row], first)
				}
			}
		})
	})
	return out
}

// Patchify cuts x [B, C, T, H, W] into patches of pt by ph by pw: the result is
// [B, T/pt*H/ph*W/pw, C*pt*ph*pw], the patch's values in the order of a convolution's
// weight [O, C, pt, ph, pw]. So a patch embedding is a Linear of that weight.
func (o *Ops) Patchify(x Tensor, pt, ph, pw int) Tensor {
	if !o.ready("patchify", x) {
		return Tensor{}
	}
	if x.rank != 5 || pt < 1 || ph < 1 || pw < 1 || x.dims[2]%pt != 0 || x.dims[3]%ph != 0 || x.dims[4]%pw != 0 {
		return o.fail("patchify", "%v by %dx%dx%d", x, pt, ph, pw)
	}
	d := x.dims
	t, h, w := d[2]/pt, d[3]/ph, d[4]/pw
	v := o.Reshape(x, d[0], d[1], t, pt, h, ph, w, pw)
	v = o.Permute(v, 0, 2, 4, 6, 1, 3, 5, 7)
	return o.Reshape(v, d[0], t*h*w, d[1]*pt*ph*pw)
}

// Unpatchify puts patches together: x is [B, t*h*w, pt*ph*pw*C], the channel fastest
// as Wan's output projection has it, the result [B, C, t*pt, h*ph, w*pw].
func (o *Ops) Unpatchify(x Tensor, t, h, w, pt, ph, pw int) Tensor {
	if !o.ready("unpatchify", x) {
		return Tensor{}
	}
	patch := pt * ph * pw
	if x.rank != 3 || t < 0 || h < 0 || w < 0 || pt < 1 || ph < 1 || pw < 1 || x.dims[1] != t*h*w || x.dims[2]%patch != 0 {
		return o.fail("unpatchify", "%v to %dx%dx%d patches of %dx%dx%d", x, t, h, w, pt, ph, pw)
	}
	c := x.dims[2] / patch
	v := o.Reshape(x, x.dims[0], t, h, w, pt, ph, pw, c)
	v = o.Permute(v, 0, 7, 1, 4, 2, 5, 3, 6)
	return o.Reshape(v, x.dims[0], c, t*pt, h*ph, w*pw)
}
