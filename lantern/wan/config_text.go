package wan

import "slices"

// TextConfig is the config.json of transformers' UMT5EncoderModel.
type TextConfig struct {
	VocabSize   int     `json:"vocab_size"`
	DModel      int     `json:"d_model"`
	DKV         int     `json:"d_kv"` // width of a head
	DFF         int     `json:"d_ff"`
	Layers      int     `json:"num_layers"`
	Heads       int     `json:"num_heads"`
	Buckets     int     `json:"relative_attention_num_buckets"`
	MaxDistance int     `json:"relative_attention_max_distance"`
	Eps         float64 `json:"layer_norm_epsilon"`
	PadToken    int     `json:"pad_token_id"`

	Architectures []string `json:"architectures"`
	ModelType     string   `json:"model_type"`
	FeedForward   string   `json:"feed_forward_proj"`
}

// DefaultTextConfig is transformers' default.
func DefaultTextConfig() TextConfig {
	return TextConfig{
		VocabSize: 250112, DModel: 512, DKV: 64, DFF: 1024, Layers: 8, Heads: 6, Buckets: 32, MaxDistance: 128,
		Eps: 1e-6, FeedForward: "gated-gelu", ModelType: "umt5",
	}
}

func (c *TextConfig) check() error {
	var k checks
	k.that(c.ModelType == "umt5", "model_type", c.ModelType, "umt5")
	k.that(len(c.Architectures) == 0 || slices.Contains(c.Architectures, "UMT5EncoderModel") || slices.Contains(c.Architectures, "UMT5ForConditionalGeneration"),
		"architectures", c.Architectures, "UMT5EncoderModel")
	k.that(c.FeedForward == "gated-gelu", "feed_forward_proj", c.FeedForward, "gated-gelu")
	k.size("vocab_size", c.VocabSize, 1<<22)
	k.size("d_model", c.DModel, maxDim)
	k.size("d_kv", c.DKV, 4096)
	k.size("d_ff", c.DFF, maxDim)
	k.size("num_layers", c.Layers, maxLayers)
	k.size("num_heads", c.Heads, 1024)
	k.that(c.Buckets >= 4 && c.Buckets <= 4096 && c.Buckets%4 == 0, "relative_attention_num_buckets", c.Buckets, "a multiple of 4, up to 4096")
	k.that(c.MaxDistance > c.Buckets/4 && c.MaxDistance <= maxDim, "relative_attention_max_distance", c.MaxDistance, "above a quarter of the buckets")
	k.that(c.Eps >= 0 && c.Eps < 1, "layer_norm_epsilon", c.Eps, "0 to 1")
	k.that(c.PadToken >= 0 && c.PadToken < max(c.VocabSize, 1), "pad_token_id", c.PadToken, "in the vocabulary")
	return k.err
}
