package wan

import "fmt"

// VAEConfig is the config.json of Diffusers' AutoencoderKLWan.
type VAEConfig struct {
	BaseDim        int       `json:"base_dim"`
	DecoderBaseDim int       `json:"decoder_base_dim"` // 0 is BaseDim
	ZDim           int       `json:"z_dim"`
	DimMult        []int     `json:"dim_mult"`
	ResBlocks      int       `json:"num_res_blocks"`
	TimeDown       []bool    `json:"temperal_downsample"` // Diffusers' spelling
	LatentsMean    []float32 `json:"latents_mean"`
	LatentsStd     []float32 `json:"latents_std"`
	InChannels     int       `json:"in_channels"`
	OutChannels    int       `json:"out_channels"`

	AttnScales []float64 `json:"attn_scales"`
	Residual   bool      `json:"is_residual"`
	PatchSize  *int      `json:"patch_size"`
}

// DefaultVAEConfig is that of Wan 2.1.
func DefaultVAEConfig() VAEConfig {
	return VAEConfig{
		BaseDim: 96, ZDim: 16, DimMult: []int{1, 2, 4, 4}, ResBlocks: 2, TimeDown: []bool{false, true, true},
		LatentsMean: []float32{-0.7571, -0.7089, -0.9113, 0.1075, -0.1745, 0.9653, -0.1517, 1.5508, 0.4134, -0.0715, 0.5517, -0.3632, -0.1922, -0.9497, 0.2503, -0.2921},
		LatentsStd:  []float32{2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743, 3.2687, 2.1526, 2.8652, 1.5579, 1.6382, 1.1253, 2.8251, 1.9160},
		InChannels:  3, OutChannels: 3,
	}
}

// SpatialFactor is how many pixels wide and high one latent is.
func (c VAEConfig) SpatialFactor() int { return 1 << (len(c.DimMult) - 1) }

// TemporalFactor is how many frames each latent frame but the first stands for.
func (c VAEConfig) TemporalFactor() int {
	f := 1
	for _, down := range c.TimeDown {
		if down {
			f *= 2
		}
	}
	return f
}

func (c *VAEConfig) check() error {
	var k checks
	if c.DecoderBaseDim == 0 {
		c.DecoderBaseDim = c.BaseDim
	}
	k.size("base_dim", c.BaseDim, maxDim)
	k.size("decoder_base_dim", c.DecoderBaseDim, maxDim)
	k.size("z_dim", c.ZDim, maxDim)
	k.size("num_res_blocks", c.ResBlocks, 64)
	k.size("in_channels", c.InChannels, 1024)
	k.size("out_channels", c.OutChannels, 1024)
	k.that(len(c.DimMult) >= 1 && len(c.DimMult) <= 8, "dim_mult", c.DimMult, "a list of 1 to 8 numbers")
	for _, m := range c.DimMult {
		k.size("dim_mult", m, 64)
	}
	k.that(len(c.TimeDown) >= len(c.DimMult)-1, "temperal_downsample", c.TimeDown, fmt.Sprintf("a list of %d", len(c.DimMult)-1))
	if k.err == nil {
		c.TimeDown = c.TimeDown[:len(c.DimMult)-1]
		for i, m := range c.DimMult[1:] { // the decoder halves the channels as it grows
			k.that(c.DecoderBaseDim*m%2 == 0, fmt.Sprintf("dim_mult[%d]", i+1), m, "such that channels can be halved")
		}
	}
	k.that(len(c.LatentsMean) == c.ZDim, "latents_mean", len(c.LatentsMean), fmt.Sprintf("%d numbers", c.ZDim))
	k.that(len(c.LatentsStd) == c.ZDim, "latents_std", len(c.LatentsStd), fmt.Sprintf("%d numbers", c.ZDim))
	for _, s := range c.LatentsStd {
		k.that(s > 0, "latents_std", s, "above 0")
	}
	k.that(len(c.AttnScales) == 0, "attn_scales", c.AttnScales, "empty")
	k.that(!c.Residual, "is_residual", c.Residual, "false (Wan 2.1)")
	k.that(c.PatchSize == nil || *c.PatchSize == 1, "patch_size", c.PatchSize, "null (Wan 2.1)")
	return k.err
}
