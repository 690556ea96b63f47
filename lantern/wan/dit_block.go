package wan

import "reel/lantern/nn"

// block is a WanTransformerBlock.
type block struct {
	self, cross attention
	norm2w, b   *Param // of the norm before cross attention; nil when there is none
	up, down    linear
	table       *Param
}

// attention is a WanAttention.
type attention struct {
	q, k, v, o   linear
	normQ, normK *Param
}

func (m *Transformer) newBlock(at string) block {
	d := m.Config.Dim()
	attn := func(name string) attention {
		return attention{
			q: m.linear(at+name+".to_q", d, d, true), k: m.linear(at+name+".to_k", d, d, true),
			v: m.linear(at+name+".to_v", d, d, true), o: m.linear(at+name+".to_out.0", d, d, true),
			normQ: m.param(at+name+".norm_q.weight", d), normK: m.param(at+name+".norm_k.weight", d),
		}
	}
	b := block{self: attn("attn1"), cross: attn("attn2")}
	if m.Config.CrossAttnNorm {
		b.norm2w, b.b = m.param(at+"norm2.weight", d), m.param(at+"norm2.bias", d)
	}
	b.up = m.linear(at+"ffn.net.0.proj", d, m.Config.FFNDim, true)
	b.down = m.linear(at+"ffn.net.2", m.Config.FFNDim, d, true)
	b.table = m.param(at+"scale_shift_table", 1, 6, d)
	return b
}

// pass is what the blocks of one forward pass share.
type pass struct {
	rope   nn.Rope
	mod    nn.Tensor // [rows, 6, D]
	each   []int32
	text   *TextContext
	cache  *KVCache
	commit bool
}

// block runs block i and frees what it read.
func (m *Transformer) block(o *nn.Ops, i int, x nn.Tensor, run *pass) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	b, eps := &m.blocks[i], float32(m.Config.Eps)
	mod := shares(s, s.Add(b.table.get(), run.mod), run.each)
	plain := func(x nn.Tensor) nn.Tensor { return s.LayerNorm(x, nn.Tensor{}, nn.Tensor{}, eps) }

	h := s.Modulate(plain(x), mod[1], mod[0])
	if run.commit && i == len(m.blocks)-1 {
		m.keysValues(s, i, h, run) // all that a clean block leaves behind
		return nn.Tensor{}
	}
	y := s.Gate(x, m.selfAttention(s, i, h, run), mod[2])

	h = y
	if b.norm2w != nil {
		h = s.LayerNorm(y, b.norm2w.get(), b.b.get(), eps)
	}
	q := m.heads(s, s.RMSNorm(b.cross.q.run(s, h), b.cross.normQ.get(), eps))
	a := s.Attention(q, run.text.k[i], run.text.v[i], nn.AttentionOptions{})
	y = s.Add(y, b.cross.o.run(s, s.Reshape(a, 1, x.Dim(1), m.Config.Dim())))

	h = s.Modulate(plain(y), mod[4], mod[3])
	h = b.down.run(s, s.GELU(b.up.run(s, h)))
	out := s.Keep(s.Gate(y, h, mod[5]))
	o.Free(x)
	return out
}

// selfAttention lets tokens attend to each other and to the clean blocks before
// them.
func (m *Transformer) selfAttention(o *nn.Ops, i int, h nn.Tensor, run *pass) nn.Tensor {
	a, eps := &m.blocks[i].self, float32(m.Config.Eps)
	q := o.Rotate(m.heads(o, o.RMSNorm(a.q.run(o, h), a.normQ.get(), eps)), run.rope)
	k, v := m.keysValues(o, i, h, run)
	out := o.Attention(q, k, v, nn.AttentionOptions{})
	return a.o.run(o, o.Reshape(out, 1, h.Dim(1), m.Config.Dim()))
}

// keysValues gives what tokens and the clean blocks before them are attended to
// by, and puts that of tokens that are clean themselves into the cache.
func (m *Transformer) keysValues(o *nn.Ops, i int, h nn.Tensor, run *pass) (k, v nn.Tensor) {
	a, eps := &m.blocks[i].self, float32(m.Config.Eps)
	k = o.Rotate(m.heads(o, o.RMSNorm(a.k.run(o, h), a.normK.get(), eps)), run.rope)
	v = m.heads(o, a.v.run(o, h))
	if run.cache != nil {
		k, v = run.cache.extend(o, i, k, v, run.commit)
	}
	return k, v
}
