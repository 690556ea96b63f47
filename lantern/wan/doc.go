// Package wan has the models of Wan 2.1 — a UMT5 text encoder, a diffusion
// transformer over patches of clips, a causal VAE with feature cache — and the
// flow-matching Euler scheduler, read from ordinary Diffusers folders.
//
//	p, err := wan.Open(ctx, stream, os.DirFS(folder), wan.LoadOptions{})
//	defer p.Close()
//	o := nn.On(ctx, stream)
//	defer o.Close()
//	text := p.Transformer.Text(o, p.EncodePrompt(o, "a red circle", 64))
//	for i := range schedule.Steps() {
//		v := p.Transformer.Forward(o, x, schedule.Timesteps[i:i+1], text, nil)
//		x = schedule.Step(o, i, x, v)
//	}
//	clip := p.VAE.Decode(o, p.VAE.Denormalize(o, x), nil)
//
// Names, shapes and configuration are those of Diffusers' WanTransformer3DModel
// and AutoencoderKLWan and of transformers' UMT5EncoderModel, so that their
// checkpoints load; what a configuration asks for beyond that is refused with
// the name of the field. Everything is computed in float32, one clip at a time.
//
// There is no training, no branch for images in the transformer, no tiling, and
// none of Wan 2.2's models. Pipelines and requests are package pipeline's; this
// package makes no loops over denoise steps.
package wan
