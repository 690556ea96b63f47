package wan

import (
	"fmt"

	"reel/lantern/nn"
)

// VAE is Diffusers' AutoencoderKLWan as of Wan 2.1: it makes clips of latents and
// latents of clips, each frame seeing only those before it.
type VAE struct {
	weights
	Config VAEConfig

	encoder, decoder stack
	quant, postQuant conv
	mean, std        nn.Tensor // of latents, [1, ZDim, 1, 1, 1]
	inverse          nn.Tensor // 1/std
}

// stack is an encoder or a decoder: a convolution in, layers, a norm and a
// convolution out.
type stack struct {
	in, out causal
	layers  []layer
	norm    *Param
	slots   int // of a cache
}

// layer is one of the parts that a stack runs through. It reads and updates the
// slots of the cache that were given to it when it was made.
type layer interface {
	run(o *nn.Ops, x nn.Tensor, c *VAECache) nn.Tensor
}

func newVAE(c VAEConfig) *VAE {
	m := &VAE{Config: c}
	m.class = "AutoencoderKLWan"
	m.encoder = m.newEncoder()
	m.quant = m.conv("quant_conv", 2*c.ZDim, 2*c.ZDim, nn.ConvOptions{}, 1, 1, 1)
	m.postQuant = m.conv("post_quant_conv", c.ZDim, c.ZDim, nn.ConvOptions{}, 1, 1, 1)
	m.decoder = m.newDecoder()
	return m
}

func (m *VAE) newEncoder() stack {
	c := m.Config
	b := builder{w: &m.weights}
	ch := c.BaseDim
	s := stack{in: b.causal("encoder.conv_in", c.InChannels, ch, 3)}
	n := 0
	name := func() string { n++; return fmt.Sprintf("encoder.down_blocks.%d", n-1) }
	for i, mult := range c.DimMult {
		out := c.BaseDim * mult
		for range c.ResBlocks {
			s.layers = append(s.layers, b.residual(name(), ch, out))
			ch = out
		}
		if i < len(c.DimMult)-1 {
			s.layers = append(s.layers, b.down(name(), ch, c.TimeDown[i]))
		}
	}
	s.layers = append(s.layers, b.middle("encoder.mid_block", ch)...)
	s.norm = m.param("encoder.norm_out.gamma", ch, 1, 1, 1)
	s.out = b.causal("encoder.conv_out", ch, 2*c.ZDim, 3)
	s.slots = b.slots
	return s
}

func (m *VAE) newDecoder() stack {
	c := m.Config
	b := builder{w: &m.weights}
	last := len(c.DimMult) - 1
	ch := c.DecoderBaseDim * c.DimMult[last]
	s := stack{in: b.causal("decoder.conv_in", c.ZDim, ch, 3)}
	s.layers = b.middle("decoder.mid_block", ch)
	for i := range c.DimMult {
		name := fmt.Sprintf("decoder.up_blocks.%d", i)
		out := c.DecoderBaseDim * c.DimMult[last-i]
		for j := range c.ResBlocks + 1 {
			s.layers = append(s.layers, b.residual(fmt.Sprintf("%s.resnets.%d", name, j), ch, out))
			ch = out
		}
		if i < last {
			s.layers = append(s.layers, b.up(name+".upsamplers.0", ch, c.TimeDown[last-1-i]))
			ch /= 2
		}
	}
	s.norm = m.param("decoder.norm_out.gamma", ch, 1, 1, 1)
	s.out = b.causal("decoder.conv_out", ch, c.OutChannels, 3)
	s.slots = b.slots
	return s
}

// prepare puts the constants on the device.
func (m *VAE) prepare(o *nn.Ops) {
	z := m.Config.ZDim
	inverse := make([]float32, z)
	for i, s := range m.Config.LatentsStd {
		inverse[i] = 1 / s
	}
	m.mean = o.FromHost(m.Config.LatentsMean, 1, z, 1, 1, 1)
	m.std = o.FromHost(m.Config.LatentsStd, 1, z, 1, 1, 1)
	m.inverse = o.FromHost(inverse, 1, z, 1, 1, 1)
}

// Normalize makes of the VAE's latents those that the transformer works on: of
// mean 0 and deviation 1.
func (m *VAE) Normalize(o *nn.Ops, z nn.Tensor) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	return s.Keep(s.Mul(s.Sub(z, m.mean), m.inverse))
}

// Denormalize undoes Normalize.
func (m *VAE) Denormalize(o *nn.Ops, z nn.Tensor) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	return s.Keep(s.Add(s.Mul(z, m.std), m.mean))
}

// Decode makes frames of latents z [1, ZDim, T, h, w]: [1, OutChannels, F, H, W],
// from -1 to 1. The first latent frame gives one frame, each later one as many
// as the configuration says (4). With a cache the call goes on where the last one
// with it ended, so that a clip may come in pieces: however it is divided, the
// frames are the same.
func (m *VAE) Decode(o *nn.Ops, z nn.Tensor, cache *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	if s.Err() == nil && (!z.HasDims(1, m.Config.ZDim, -1, -1, -1) || z.Len() == 0) {
		o.Fail(fmt.Errorf("wan: decode: latents %v, not [1 %d T h w]", z, m.Config.ZDim))
	}
	if cache == nil {
		cache = m.NewDecodeCache(s)
		defer cache.Close()
	}
	if cache.of != &m.decoder {
		o.Fail(fmt.Errorf("wan: decode: the cache is not this decoder's"))
	}
	if o.Err() != nil {
		return nn.Tensor{}
	}
	var frames []nn.Tensor
	x := m.postQuant.run(s, z)
	for i := range z.Dim(2) { // frame by frame, as the original: it bounds memory
		frames = append(frames, m.decoder.run(s, s.Slice(x, 2, i, i+1), cache))
	}
	if o.Err() != nil {
		return nn.Tensor{}
	}
	return s.Keep(s.Clamp(s.Concat(2, frames...), -1, 1))
}

// encodeChunk is how many frames the original encodes at a time, after the first.
const encodeChunk = 4

// Encode makes latents of frames x [1, InChannels, F, H, W], from -1 to 1: the
// means [1, ZDim, T, h, w] of what the encoder says, before Normalize. The first
// frame makes a latent frame, then every four. With a cache the call goes on
// where the last one ended, and F is a multiple of four after the first call.
// Frames at the end that do not make a latent frame are left out, as in the
// original.
func (m *VAE) Encode(o *nn.Ops, x nn.Tensor, cache *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	f, side := x.Dim(2), m.Config.SpatialFactor()
	if s.Err() == nil && (!x.HasDims(1, m.Config.InChannels, -1, -1, -1) || x.Len() == 0 || x.Dim(3)%side != 0 || x.Dim(4)%side != 0) {
		o.Fail(fmt.Errorf("wan: encode: frames %v, not [1 %d F H W] with multiples of %d", x, m.Config.InChannels, side))
	}
	if cache == nil {
		cache = m.NewEncodeCache(s)
		defer cache.Close()
	}
	if cache.of != &m.encoder || cache.started && f%encodeChunk != 0 {
		o.Fail(fmt.Errorf("wan: encode: the cache is not this encoder's, or %d more frames are no multiple of %d", f, encodeChunk))
	}
	if o.Err() != nil {
		return nn.Tensor{}
	}
	at := 0
	if !cache.started {
		at = 1 - encodeChunk
	}
	var parts []nn.Tensor
	for ; at+encodeChunk <= f; at += encodeChunk {
		parts = append(parts, m.encoder.run(s, s.Slice(x, 2, max(at, 0), at+encodeChunk), cache))
	}
	if o.Err() != nil {
		return nn.Tensor{}
	}
	moments := m.quant.run(s, s.Concat(2, parts...))
	return s.Keep(s.Slice(moments, 1, 0, m.Config.ZDim))
}

// run takes a piece of a clip through the stack.
func (st *stack) run(o *nn.Ops, x nn.Tensor, c *VAECache) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	h := st.in.run(s, x, c)
	for _, l := range st.layers {
		next := l.run(s, h, c)
		s.Free(h)
		h = next
	}
	h = s.SiLU(s.ChannelRMSNorm(h, st.norm.get(), nn.Tensor{}))
	out := st.out.run(s, h, c)
	c.started = true
	return s.Keep(out)
}
