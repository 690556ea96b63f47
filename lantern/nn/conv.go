package nn

import (
	"math"

	"reel/lantern/device"
)

// ConvOptions says how a convolution goes over its input: by time, height and width,
// of which Conv2d uses the last two.
type ConvOptions struct {
	Stride [3]int    // 0 is 1
	Pad    [3][2]int // zeros before and after: {2, 0} for time is causal
}

// Same returns options that pad height and width by p on all sides.
func Same(p int) ConvOptions { return ConvOptions{Pad: [3][2]int{1: {p, p}, 2: {p, p}}} }

// Causal returns Same with t frames of zeros before the first one.
func Causal(t, p int) ConvOptions {
	return ConvOptions{Pad: [3][2]int{{t, 0}, {p, p}, {p, p}}}
}

// Conv2d convolves x [N, C, H, W] with w [O, C, kh, kw] and adds b [O], which may be
// none.
func (o *Ops) Conv2d(x, w, b Tensor, opt ConvOptions) Tensor {
	if o.state.err == nil && (x.rank != 4 || w.rank != 4) {
		return o.fail("conv2d", "weight %v for %v", w, x)
	}
	opt.Stride[0], opt.Pad[0] = 1, [2]int{}
	x5, w5 := x.shaped([]int{x.Dim(0), x.Dim(1), 1, x.Dim(2), x.Dim(3)}), w.shaped([]int{w.Dim(0), w.Dim(1), 1, w.Dim(2), w.Dim(3)})
	out := o.conv("conv2d", x5, w5, b, opt, x, w)
	if out.IsNone() {
		return out
	}
	return out.shaped([]int{out.dims[0], out.dims[1], out.dims[3], out.dims[4]})
}

// Conv3d convolves x [N, C, T, H, W] with w [O, C, kt, kh, kw] and adds b [O], which
// may be none.
func (o *Ops) Conv3d(x, w, b Tensor, opt ConvOptions) Tensor {
	return o.conv("conv3d", x, w, b, opt, x, w)
}

// conv convolves; shownX and shownW are the inputs as the caller gave them.
func (o *Ops) conv(op string, x, w, b Tensor, opt ConvOptions, shownX, shownW Tensor) Tensor {
	if !o.ready(op, x, w) || !o.live(op, b) {
		return Tensor{}
	}
	c := conv{n: x.Dim(0), in: x.Dim(1), out: w.Dim(0)}
	ok := x.rank == 5 && w.rank == 5 && c.in > 0 && c.out > 0 && w.Dim(1) == c.in && (b.IsNone() || b.n == c.out)
	images := c.in // values of a padded clip
	for i := range 3 {
		c.size[i], c.kernel[i], c.stride[i], c.pad[i] = x.Dim(2+i), w.Dim(2+i), max(opt.Stride[i], 1), opt.Pad[i]
		span := c.size[i] + opt.Pad[i][0] + opt.Pad[i][1] - c.kernel[i]
		ok = ok && opt.Pad[i][0] >= 0 && opt.Pad[i][1] >= 0 && opt.Stride[i] >= 0 && c.kernel[i] > 0 && span >= 0
		c.result[i] = span/c.stride[i] + 1
		images *= c.size[i] + opt.Pad[i][0] + opt.Pad[i][1]
	}
	ok = ok && images <= math.MaxInt32 // offsets are 32 bits
	if !ok {
		return o.fail(op, "weight %v, bias %v, %+v for %v", shownW, b, opt, shownX)
	}
	c.plan(o.tile, o.state.taps)
	defer o.counted(op, c.work().FLOPs, shownX, shownW, b).End()
	out := o.Empty(c.n, c.out, c.result[0], c.result[1], c.result[2])
	c.dst, c.src, c.w, c.bias = out.data(), x.data(), w.data(), b.data()
	if c.dst == nil {
		return Tensor{}
	}
	ws := o.Empty(c.room)
	room := ws.data()
	if room == nil {
		return Tensor{}
	}
	o.launch(op, c.work(), func(k *device.Kernel) { c.run(k, room) })
	o.Free(ws)
	return out
}
