package wan

import "reel/lantern/nn"

// builder makes the layers of a stack and numbers the slots that they use of a
// cache.
type builder struct {
	w     *weights
	slots int
}

func (b *builder) slot() int {
	b.slots++
	return b.slots - 1
}

// causal is a convolution that sees, of the frames after the present one,
// nothing: WanCausalConv3d. It keeps the last frames of its input for the next
// piece of the clip.
type causal struct {
	conv
	slot int
	past int // frames before the present one that the kernel covers
}

// causal makes one with a cubic kernel, padded so that sizes stay.
func (b *builder) causal(name string, in, out, kernel int) causal {
	p := kernel / 2
	return causal{b.w.conv(name, in, out, nn.Causal(0, p), kernel, kernel, kernel), b.slot(), kernel - 1}
}

// alongTime makes one whose kernel goes along time alone.
func (b *builder) alongTime(name string, in, out int, opt nn.ConvOptions) causal {
	return causal{b.w.conv(name, in, out, opt, 3, 1, 1), b.slot(), 2}
}

// run convolves x with the frames before it, of which there are zeros where the
// clip begins.
func (k causal) run(o *nn.Ops, x nn.Tensor, c *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	before := c.frames(k.slot)
	joined := x
	if !before.IsNone() {
		joined = s.Concat(2, before, x)
	}
	opt := k.opt
	opt.Pad[0][0] = k.past - before.Dim(2)
	one := k.conv
	one.opt = opt
	out := s.Keep(one.run(s, joined))
	c.keep(s, k.slot, joined, k.past)
	return out
}

// residual is a WanResidualBlock.
type residual struct {
	norm1, norm2 *Param
	conv1, conv2 causal
	shortcut     *conv // nil when the channels stay
}

func (b *builder) residual(name string, in, out int) *residual {
	r := &residual{
		norm1: b.w.param(name+".norm1.gamma", in, 1, 1, 1),
		conv1: b.causal(name+".conv1", in, out, 3),
		norm2: b.w.param(name+".norm2.gamma", out, 1, 1, 1),
		conv2: b.causal(name+".conv2", out, out, 3),
	}
	if in != out {
		c := b.w.conv(name+".conv_shortcut", in, out, nn.ConvOptions{}, 1, 1, 1)
		r.shortcut = &c
	}
	return r
}

func (r *residual) run(o *nn.Ops, x nn.Tensor, c *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	h := r.conv1.run(s, s.SiLU(s.ChannelRMSNorm(x, r.norm1.get(), nn.Tensor{})), c)
	h = r.conv2.run(s, s.SiLU(s.ChannelRMSNorm(h, r.norm2.get(), nn.Tensor{})), c)
	if r.shortcut != nil {
		x = r.shortcut.run(s, x)
	}
	return s.Keep(s.Add(h, x))
}

// spatial is a WanAttentionBlock: the places of each frame attend to each other.
type spatial struct {
	norm      *Param
	qkv, proj conv
}

func (b *builder) middle(name string, ch int) []layer {
	first := b.residual(name+".resnets.0", ch, ch)
	a := &spatial{
		norm: b.w.param(name+".attentions.0.norm.gamma", ch, 1, 1),
		qkv:  b.w.conv(name+".attentions.0.to_qkv", ch, 3*ch, nn.ConvOptions{}, 1, 1),
		proj: b.w.conv(name+".attentions.0.proj", ch, ch, nn.ConvOptions{}, 1, 1),
	}
	return []layer{first, a, b.residual(name+".resnets.1", ch, ch)}
}

func (a *spatial) run(o *nn.Ops, x nn.Tensor, _ *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	n, ch, t, h, w := x.Dim(0), x.Dim(1), x.Dim(2), x.Dim(3), x.Dim(4)
	places := s.Permute(s.ChannelRMSNorm(x, a.norm.get(), nn.Tensor{}), 0, 2, 3, 4, 1)
	places = s.Reshape(places, n*t, h*w, ch)
	qkv := s.Split(s.Linear(places, s.Reshape(a.qkv.w.get(), 3*ch, ch), a.qkv.b.get()), 2, 3)
	for i := range qkv {
		qkv[i] = s.Reshape(qkv[i], n*t, h*w, 1, ch)
	}
	y := s.Reshape(s.Attention(qkv[0], qkv[1], qkv[2], nn.AttentionOptions{}), n*t, h*w, ch)
	y = s.Linear(y, s.Reshape(a.proj.w.get(), ch, ch), a.proj.b.get())
	y = s.Permute(s.Reshape(y, n, t, h, w, ch), 0, 4, 1, 2, 3)
	return s.Keep(s.Add(y, x))
}

// down is a WanResample that halves height and width, and time when along is set.
type down struct {
	conv  conv
	along *causal
}

func (b *builder) down(name string, ch int, time bool) *down {
	d := &down{}
	opt := nn.ConvOptions{Stride: [3]int{1, 2, 2}, Pad: [3][2]int{{}, {0, 1}, {0, 1}}}
	d.conv = b.w.conv(name+".resample.1", ch, ch, opt, 3, 3)
	if time {
		k := b.alongTime(name+".time_conv", ch, ch, nn.ConvOptions{Stride: [3]int{2, 1, 1}})
		k.past = 1 // with a stride of two, the window of three begins one frame back
		d.along = &k
	}
	return d
}

func (d *down) run(o *nn.Ops, x nn.Tensor, c *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	h := d.conv.run(s, x)
	if d.along == nil {
		return s.Keep(h)
	}
	if c.frames(d.along.slot).IsNone() { // the first frame is not merged with others
		c.keep(s, d.along.slot, h, 1)
		return s.Keep(h)
	}
	return s.Keep(d.along.run(s, h, c))
}

// up is a WanResample that doubles height and width while halving the channels,
// and doubles time when along is set.
type up struct {
	conv  conv
	along *causal
}

func (b *builder) up(name string, ch int, time bool) *up {
	u := &up{conv: b.w.conv(name+".resample.1", ch, ch/2, nn.Same(1), 3, 3)}
	if time {
		k := b.alongTime(name+".time_conv", ch, 2*ch, nn.ConvOptions{})
		u.along = &k
	}
	return u
}

func (u *up) run(o *nn.Ops, x nn.Tensor, c *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	if u.along != nil && c.started { // the first frame stays one, and leaves nothing in the cache
		n, ch, t, h, w := x.Dim(0), x.Dim(1), x.Dim(2), x.Dim(3), x.Dim(4)
		y := s.Reshape(u.along.run(s, x, c), n, 2, ch, t, h, w)
		x = s.Reshape(s.Permute(y, 0, 2, 3, 1, 4, 5), n, ch, 2*t, h, w)
	}
	return s.Keep(u.conv.run(s, s.UpsampleNearest(x, 2)))
}
