package wan

import (
	"fmt"
	"math"
	"strings"

	"reel/lantern/nn"
)

// TextEncoder is transformers' UMT5EncoderModel.
type TextEncoder struct {
	weights
	Config TextConfig
	table  *Param // of tokens
	blocks []textBlock
	norm   *Param
}

// textBlock is self attention with a position bias of its own, and a gated
// feed-forward part.
type textBlock struct {
	norm1, norm2 *Param
	q, k, v, o   linear
	bias         *Param
	gate, up     linear
	down         linear
}

func newTextEncoder(c TextConfig) *TextEncoder {
	m := &TextEncoder{Config: c}
	m.class = "UMT5EncoderModel"
	m.table = m.param("shared.weight", c.VocabSize, c.DModel)
	m.table.also = "encoder.embed_tokens.weight"
	inner := c.Heads * c.DKV
	for i := range c.Layers {
		at := fmt.Sprintf("encoder.block.%d.layer.0.SelfAttention.", i)
		ff := fmt.Sprintf("encoder.block.%d.layer.1.", i)
		m.blocks = append(m.blocks, textBlock{
			q: m.linear(at+"q", c.DModel, inner, false), k: m.linear(at+"k", c.DModel, inner, false),
			v: m.linear(at+"v", c.DModel, inner, false), o: m.linear(at+"o", inner, c.DModel, false),
			bias:  m.param(at+"relative_attention_bias.weight", c.Buckets, c.Heads),
			norm1: m.param(fmt.Sprintf("encoder.block.%d.layer.0.layer_norm.weight", i), c.DModel),
			gate:  m.linear(ff+"DenseReluDense.wi_0", c.DModel, c.DFF, false),
			up:    m.linear(ff+"DenseReluDense.wi_1", c.DModel, c.DFF, false),
			down:  m.linear(ff+"DenseReluDense.wo", c.DFF, c.DModel, false),
			norm2: m.param(ff+"layer_norm.weight", c.DModel),
		})
	}
	m.norm = m.param("encoder.final_layer_norm.weight", c.DModel)
	// A whole UMT5 has a decoder too, and may repeat the table of tokens.
	m.unused = func(name string) bool {
		return name == "encoder.embed_tokens.weight" || name == "decoder.embed_tokens.weight" || name == "lm_head.weight" || strings.HasPrefix(name, "decoder.")
	}
	return m
}

// Encode gives the states of tokens, [1, len(ids), DModel]. Padding is left out
// of ids: masked, it would not change the others.
func (m *TextEncoder) Encode(o *nn.Ops, ids []int) nn.Tensor {
	if len(ids) == 0 {
		o.Fail(fmt.Errorf("wan: a text of no tokens"))
		return nn.Tensor{}
	}
	small := make([]int32, len(ids))
	for i, id := range ids {
		if id < 0 || id >= m.Config.VocabSize {
			o.Fail(fmt.Errorf("wan: token %d is not among the text encoder's %d", id, m.Config.VocabSize))
			return nn.Tensor{}
		}
		small[i] = int32(id)
	}
	s := o.Scope()
	defer s.Close()
	buckets := m.buckets(len(ids))
	x := s.Embedding(m.table.get(), small, 1, len(ids))
	for i := range m.blocks {
		x = m.block(s, &m.blocks[i], x, buckets)
	}
	return s.Keep(s.RMSNorm(x, m.norm.get(), float32(m.Config.Eps)))
}

// block runs one block and frees what it read.
func (m *TextEncoder) block(o *nn.Ops, b *textBlock, x nn.Tensor, buckets []int32) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	c, n := m.Config, x.Dim(1)
	h := s.RMSNorm(x, b.norm1.get(), float32(c.Eps))
	heads := func(l linear) nn.Tensor { return s.Reshape(l.run(s, h), 1, n, c.Heads, c.DKV) }
	bias := s.Permute(s.Embedding(b.bias.get(), buckets, n, n), 2, 0, 1)
	a := s.Attention(heads(b.q), heads(b.k), heads(b.v), nn.AttentionOptions{Scale: 1, Bias: bias})
	mid := s.Add(x, b.o.run(s, s.Reshape(a, 1, n, c.Heads*c.DKV)))
	h = s.RMSNorm(mid, b.norm2.get(), float32(c.Eps))
	h = b.down.run(s, s.Mul(s.GELU(b.gate.run(s, h)), b.up.run(s, h)))
	out := s.Keep(s.Add(mid, h))
	o.Free(x)
	return out
}

// buckets gives the bucket of the distance between each two of n places.
func (m *TextEncoder) buckets(n int) []int32 {
	out := make([]int32, n*n)
	for q := range n {
		for k := range n {
			out[q*n+k] = m.bucket(k - q)
		}
	}
	return out
}

// bucket files a distance: half of the buckets are for what comes later, and in
// each half, half of them for exact distances, the others for ever wider spans.
// The original counts in float32, and so does this.
func (m *TextEncoder) bucket(distance int) int32 {
	half := m.Config.Buckets / 2
	first := 0
	if distance > 0 {
		first = half
	}
	distance = max(distance, -distance)
	exact := half / 2
	if distance < exact {
		return int32(first + distance)
	}
	wide := float32(math.Log(float64(float32(distance)/float32(exact)))) / float32(math.Log(float64(m.Config.MaxDistance)/float64(exact)))
	return int32(first + min(exact+int(wide*float32(half-exact)), half-1))
}
