package wan

// TransformerConfig is the config.json of Diffusers' WanTransformer3DModel.
type TransformerConfig struct {
	PatchSize     [3]int  `json:"patch_size"` // frames, rows, columns
	Heads         int     `json:"num_attention_heads"`
	HeadDim       int     `json:"attention_head_dim"`
	InChannels    int     `json:"in_channels"`
	OutChannels   int     `json:"out_channels"` // 0 is InChannels
	TextDim       int     `json:"text_dim"`
	FreqDim       int     `json:"freq_dim"`
	FFNDim        int     `json:"ffn_dim"`
	Layers        int     `json:"num_layers"`
	CrossAttnNorm bool    `json:"cross_attn_norm"`
	Eps           float64 `json:"eps"`

	QKNorm       *string `json:"qk_norm"`
	ImageDim     *int    `json:"image_dim"`
	AddedKVDim   *int    `json:"added_kv_proj_dim"`
	PosEmbedSize *int    `json:"pos_embed_seq_len"`
}

// DefaultTransformerConfig is Diffusers' default, Wan 2.1 with 14 billion weights.
func DefaultTransformerConfig() TransformerConfig {
	return TransformerConfig{
		PatchSize: [3]int{1, 2, 2}, Heads: 40, HeadDim: 128, InChannels: 16, OutChannels: 16, TextDim: 4096,
		FreqDim: 256, FFNDim: 13824, Layers: 40, CrossAttnNorm: true, Eps: 1e-6,
	}
}

// Dim is the width of a token.
func (c TransformerConfig) Dim() int { return c.Heads * c.HeadDim }

func (c *TransformerConfig) check() error {
	var k checks
	if c.OutChannels == 0 {
		c.OutChannels = c.InChannels
	}
	for _, p := range c.PatchSize {
		k.size("patch_size", p, 16)
	}
	k.size("num_attention_heads", c.Heads, 1024)
	k.size("attention_head_dim", c.HeadDim, 4096)
	k.that(c.HeadDim%2 == 0, "attention_head_dim", c.HeadDim, "even")
	k.size("in_channels", c.InChannels, 4096)
	k.size("out_channels", c.OutChannels, 4096)
	k.size("text_dim", c.TextDim, maxDim)
	k.size("freq_dim", c.FreqDim, maxDim)
	k.that(c.FreqDim%2 == 0, "freq_dim", c.FreqDim, "even")
	k.size("ffn_dim", c.FFNDim, maxDim)
	k.size("num_layers", c.Layers, maxLayers)
	k.that(c.Eps >= 0 && c.Eps < 1, "eps", c.Eps, "0 to 1")
	k.that(c.QKNorm == nil || *c.QKNorm == "rms_norm_across_heads", "qk_norm", deref(c.QKNorm), "rms_norm_across_heads")
	k.that(c.ImageDim == nil, "image_dim", deref(c.ImageDim), "null: the branch for images is not here")
	k.that(c.AddedKVDim == nil, "added_kv_proj_dim", deref(c.AddedKVDim), "null: the branch for images is not here")
	k.that(c.PosEmbedSize == nil, "pos_embed_seq_len", deref(c.PosEmbedSize), "null: the branch for images is not here")
	return k.err
}
