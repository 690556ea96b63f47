package wan

import (
	"fmt"
	"slices"
	"strings"

	"reel/lantern/nn"
)

// Transformer is Diffusers' WanTransformer3DModel.
type Transformer struct {
	weights
	Config TransformerConfig

	patch        conv
	time1, time2 linear
	timeProj     linear
	text1, text2 linear
	blocks       []block
	proj         linear
	table        *Param
}

func newTransformer(c TransformerConfig) *Transformer {
	m := &Transformer{Config: c}
	m.class = "WanTransformer3DModel"
	d := c.Dim()
	m.patch = m.conv("patch_embedding", c.InChannels, d, nn.ConvOptions{}, c.PatchSize[0], c.PatchSize[1], c.PatchSize[2])
	const e = "condition_embedder."
	m.time1 = m.linear(e+"time_embedder.linear_1", c.FreqDim, d, true)
	m.time2 = m.linear(e+"time_embedder.linear_2", d, d, true)
	m.timeProj = m.linear(e+"time_proj", d, 6*d, true)
	m.text1 = m.linear(e+"text_embedder.linear_1", c.TextDim, d, true)
	m.text2 = m.linear(e+"text_embedder.linear_2", d, d, true)
	for i := range c.Layers {
		m.blocks = append(m.blocks, m.newBlock(fmt.Sprintf("blocks.%d.", i)))
	}
	m.proj = m.linear("proj_out", d, c.OutChannels*c.PatchSize[0]*c.PatchSize[1]*c.PatchSize[2], true)
	m.table = m.param("scale_shift_table", 1, 2, d)
	m.unused = func(name string) bool { return strings.HasSuffix(name, "norm_added_q.weight") }
	return m
}

// TextContext is a prompt as the transformer uses it at every step: keys and
// values of each layer's cross attention. It belongs to the Ops that made it.
type TextContext struct{ k, v []nn.Tensor }

// Text projects the states of a prompt, [1, n, TextDim], once for all steps.
func (m *Transformer) Text(o *nn.Ops, states nn.Tensor) *TextContext {
	c := m.Config
	if o.Err() == nil && !states.HasDims(1, -1, c.TextDim) {
		o.Fail(fmt.Errorf("wan: text states %v, not [1 n %d]", states, c.TextDim))
	}
	s := o.Scope()
	defer s.Close()
	e := m.text2.run(s, s.GELU(m.text1.run(s, states)))
	t := &TextContext{}
	for i := range m.blocks {
		a := &m.blocks[i].cross
		k := s.RMSNorm(a.k.run(s, e), a.normK.get(), float32(c.Eps))
		t.k = append(t.k, s.Keep(m.heads(s, k)))
		t.v = append(t.v, s.Keep(m.heads(s, a.v.run(s, e))))
	}
	return t
}

// heads divides tokens [1, n, Dim] among the heads, without copying.
func (m *Transformer) heads(o *nn.Ops, x nn.Tensor) nn.Tensor {
	return o.Reshape(x, 1, x.Dim(1), m.Config.Heads, m.Config.HeadDim)
}

// Forward predicts the flow of latents x [1, InChannels, T, H, W] at a timestep,
// [1, OutChannels, T, H, W]. timesteps has one value for all, or one for each
// token (patch), frame by frame and row by row. With a cache, the tokens attend
// to the clean blocks in it besides each other, and their frames count on from
// these; the cache stays as it is.
func (m *Transformer) Forward(o *nn.Ops, x nn.Tensor, timesteps []float32, text *TextContext, cache *KVCache) nn.Tensor {
	return m.forward(o, x, timesteps, text, cache, false)
}

// Commit puts a clean block behind those in the cache: x is its latents after
// denoising, text the prompt that it was made with. What comes later attends
// to it.
func (m *Transformer) Commit(o *nn.Ops, x nn.Tensor, text *TextContext, cache *KVCache) {
	m.forward(o, x, []float32{0}, text, cache, true)
	if o.Err() == nil {
		cache.tokens += m.tokens(x)
		cache.frames += x.Dim(2) / m.Config.PatchSize[0]
	}
}

// tokens counts the patches of x.
func (m *Transformer) tokens(x nn.Tensor) int {
	p := m.Config.PatchSize
	return x.Dim(2) / p[0] * (x.Dim(3) / p[1]) * (x.Dim(4) / p[2])
}

func (m *Transformer) forward(o *nn.Ops, x nn.Tensor, timesteps []float32, text *TextContext, cache *KVCache, commit bool) nn.Tensor {
	if !m.fits(o, x, timesteps, text, cache, commit) {
		return nn.Tensor{}
	}
	s := o.Scope()
	defer s.Close()
	p := m.Config.PatchSize
	t, h, w := x.Dim(2)/p[0], x.Dim(3)/p[1], x.Dim(4)/p[2]
	first := 0
	if cache != nil {
		first = cache.base + cache.frames
	}
	run := pass{
		rope:   s.Rope(nn.RopeOptions{Dim: m.Config.HeadDim, Frames: t, First: first, H: h, W: w}),
		text:   text,
		cache:  cache,
		commit: commit,
	}
	temb := m.time(s, timesteps)
	run.mod = s.Reshape(m.timeProj.run(s, s.SiLU(temb.rows)), temb.rows.Dim(0), 6, m.Config.Dim())
	run.each = temb.each
	wp := s.Reshape(m.patch.w.get(), m.Config.Dim(), -1)
	tokens := s.Linear(s.Patchify(x, p[0], p[1], p[2]), wp, m.patch.b.get())
	for i := range m.blocks {
		tokens = m.block(s, i, tokens, &run)
		if tokens.IsNone() {
			return nn.Tensor{}
		}
	}
	if commit {
		return nn.Tensor{}
	}
	last := s.Add(m.table.get(), s.Reshape(temb.rows, temb.rows.Dim(0), 1, m.Config.Dim()))
	sh := shares(s, last, temb.each)
	y := s.Modulate(s.LayerNorm(tokens, nn.Tensor{}, nn.Tensor{}, float32(m.Config.Eps)), sh[1], sh[0])
	return s.Keep(s.Unpatchify(m.proj.run(s, y), t, h, w, p[0], p[1], p[2]))
}

// fits says what is wrong with the inputs, to o.
func (m *Transformer) fits(o *nn.Ops, x nn.Tensor, timesteps []float32, text *TextContext, cache *KVCache, commit bool) bool {
	if o.Err() != nil {
		return false
	}
	c, p := m.Config, m.Config.PatchSize
	fail := func(format string, args ...any) bool {
		o.Fail(fmt.Errorf("wan: transformer: "+format, args...))
		return false
	}
	switch {
	case !x.HasDims(1, c.InChannels, -1, -1, -1) || x.Len() == 0 || x.Dim(2)%p[0] != 0 || x.Dim(3)%p[1] != 0 || x.Dim(4)%p[2] != 0:
		return fail("latents %v, not [1 %d T H W] in patches of %v", x, c.InChannels, p)
	case len(timesteps) != 1 && len(timesteps) != m.tokens(x):
		return fail("%d timesteps for %d tokens", len(timesteps), m.tokens(x))
	case text == nil || len(text.k) != len(m.blocks):
		return fail("no text, or that of another model")
	case commit && cache == nil:
		return fail("no cache to commit to")
	case cache != nil && (len(cache.k) != len(m.blocks) || cache.per*(x.Dim(2)/p[0]) != m.tokens(x)):
		return fail("the cache is another model's, or for frames of another size than %v", x)
	case commit && cache.tokens+m.tokens(x) > cache.room:
		return fail("the cache holds %d of %d tokens, and %d more do not fit; trim it", cache.tokens, cache.room, m.tokens(x))
	}
	return true
}

// times is the embedding of timesteps: a row for each that differs, and for each
// token its row; each is nil when there is one for all.
type times struct {
	rows nn.Tensor
	each []int32
}

func (m *Transformer) time(o *nn.Ops, timesteps []float32) times {
	distinct := slices.Clone(timesteps)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	var t times
	if len(distinct) > 1 {
		for _, v := range timesteps {
			i, _ := slices.BinarySearch(distinct, v)
			t.each = append(t.each, int32(i))
		}
	}
	h := m.time1.run(o, o.TimeEmbedding(distinct, m.Config.FreqDim))
	t.rows = m.time2.run(o, o.SiLU(h))
	return t
}

// shares divides rows [r, k, D] into k parts that broadcast over tokens [1, n,
// D]: [1, 1, D] when there is one row for all, else [1, n, D], a row per token.
func shares(o *nn.Ops, rows nn.Tensor, each []int32) []nn.Tensor {
	k, d := rows.Dim(1), rows.Dim(2)
	out := make([]nn.Tensor, k)
	if each == nil {
		for i := range out {
			out[i] = o.View(rows, 1, i, i+1)
		}
		return out
	}
	for i := range out {
		part := o.Reshape(o.Slice(rows, 1, i, i+1), rows.Dim(0), d)
		out[i] = o.Embedding(part, each, 1, len(each))
	}
	return out
}
