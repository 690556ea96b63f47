package synth

// pipeline is the tree of modules and loose operators of the made-up pipeline.
type pipeline struct {
	clip, t5, transformer, decoder           *layer
	noise, timesteps, scheduler, postprocess []*op
	replay                                   []*op // what a graph replay copies in
}

const (
	tinyPipeline = "diffusers/pipelines/tiny/pipeline_tiny.py"
	tinyModel    = "diffusers/models/transformers/transformer_tiny.py"
	tinyVAE      = "diffusers/models/autoencoders/autoencoder_tiny.py"
	tinySchedule = "diffusers/schedulers/scheduling_flow_tiny.py"
)

func newPipeline(o Options) *pipeline {
	c := &catalog{opt: o, classes: map[string]int{}}
	p := &pipeline{}
	clip := shape{prefix: "CLIPEncoder", file: "transformers/models/clip/modeling_clip.py", batch: 1, tokens: 77, width: 768, gemm: 4200, attn: 5100, small: 1900}
	p.clip = c.encoder("CLIPTextModelWithProjection", clip, o.Layers)
	t5 := shape{prefix: "T5", file: "transformers/models/t5/modeling_t5.py", batch: 1, tokens: 256, width: 2048, gemm: 17500, attn: 9800, small: 2900}
	p.t5 = c.encoder("T5EncoderModel", t5, 2*o.Layers)
	dit := shape{prefix: "TinyDiT", file: tinyModel, batch: 2, tokens: 1024, width: 1024, gemm: 21000, attn: 36000, small: 4300, modulated: true}
	if o.Collectives {
		dit.collective = c.allToAll(dit)
	}
	p.transformer = c.encoder("TinyTransformer2DModel", dit, o.Layers)
	p.decoder = c.decoder()
	c.loose(p)
	return p
}

// encoder is a stack of blocks between an embedding and a norm.
func (c *catalog) encoder(class string, s shape, layers int) *layer {
	gather := c.kernel("void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)", s.small, [3]int{s.tokens, 1, 1}, 128, 24, 0)
	in := []tensor{bf16(32128, s.width), int64s(s.batch, s.tokens), scalar("-1"), scalar("False"), scalar("False")}
	embed := c.op("aten::embedding", in, c.launching("aten::index_select", []tensor{in[0], scalar("0"), int64s(s.batch * s.tokens)}, gather))
	parts := []part{c.layer("Embedding", "torch/nn/modules/sparse.py(191): forward", 6, part{op: embed})}
	for range layers {
		parts = append(parts, c.block(s))
	}
	parts = append(parts, c.norm("LayerNorm", s.small, s.batch, s.tokens, s.width))
	return c.layer(class, s.file+"(1163): forward", 24, parts...).layer
}

// decoder has few launches of long kernels, so that the host runs ahead.
func (c *catalog) decoder() *layer {
	parts := []part{c.conv(512, 64, 410_000)}
	for i, side := range []int{64, 128, 256, 512} {
		width := 512 >> i
		silu := c.pointwise("aten::silu", "SiluFunctor<float>", 90_000, 1, width, side, side)
		parts = append(parts, c.layer("ResnetBlock2D", "diffusers/models/resnet.py(320): forward", 12,
			c.norm("GroupNorm", 120_000, 1, side*side, width), part{op: silu}, c.conv(width, side, 1_350_000),
			c.norm("GroupNorm", 120_000, 1, side*side, width), part{op: silu}, c.conv(width, side, 1_350_000)))
	}
	parts = append(parts, c.conv(16, 512, 600_000))
	return c.layer("Decoder", "diffusers/models/autoencoders/vae.py(276): forward", 20, parts...).layer
}

// allToAll is one Ulysses exchange on the communication stream.
func (c *catalog) allToAll(s shape) *op {
	k := c.kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 58_000, [3]int{24, 1, 1}, 544, 96, 82240)
	k.comm, k.launch = true, "cudaLaunchKernelExC"
	if c.opt.Vendor == ROCm {
		k.name, k.launch = "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "hipExtLaunchKernel"
	}
	in := []tensor{bf16(s.batch, s.tokens, s.width), bf16(s.batch, s.tokens, s.width)}
	comms := c.op("record_param_comms", in)
	comms.work, comms.cost = k, 14_000
	o := c.op("c10d::alltoall_base_", in, comms)
	o.frame = "torch/distributed/distributed_c10d.py(4712): all_to_all_single"
	k.bytes = 2 * in[0].elements()
	return o
}

// loose are the operators that belong to no module.
func (c *catalog) loose(p *pipeline) {
	latent := []int{1, 16, 64, 64}
	fill := c.kernel("void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, 4, at::native::templates::cuda::normal_and_transform<c10::BFloat16, float> >(int, at::PhiloxCudaState)", 3600, [3]int{64, 1, 1}, 256, 40, 0)
	p.noise = []*op{c.op("aten::randn", []tensor{list(ints(latent))}, c.launching("aten::normal_", []tensor{bf16(latent...), scalar("0."), scalar("1.")}, fill))}
	sigmas := []tensor{{kind: "float", dims: []int{9}}}
	htod := c.op("aten::copy_", []tensor{sigmas[0], sigmas[0], scalar("False")})
	htod.work, htod.sync = c.copies("HtoD", "Pageable", "Device", 36, 1400), true
	zero := c.op("aten::zero_", []tensor{bf16(latent...)})
	zero.work = &work{kind: memset, name: "Memset (Device)", bytes: 131072, dur: 1200, launch: "cudaMemsetAsync"}
	if c.opt.Vendor == ROCm {
		zero.work.launch = "hipMemsetAsync"
	}
	p.timesteps = []*op{c.op("aten::to", sigmas, c.op("aten::_to_copy", sigmas, htod)), zero}
	p.scheduler = []*op{c.pointwise("aten::mul", "MulFunctor<float>", 2300, latent...),
		c.pointwise("aten::add", "CUDAFunctor_add<c10::BFloat16>", 2300, latent...)}
	image := []int{1, 3, 512, 512}
	dtoh := c.op("aten::copy_", []tensor{bf16(image...), bf16(image...), scalar("False")})
	dtoh.work, dtoh.sync = c.copies("DtoH", "Device", "Pageable", 2*product(image), 196_000), true
	p.postprocess = []*op{c.pointwise("aten::clamp", "clamp_scalar_kernel_impl(at::TensorIteratorBase&, c10::Scalar, c10::Scalar)::{lambda()#1}", 8200, image...),
		c.op("aten::to", []tensor{bf16(image...)}, c.op("aten::_to_copy", []tensor{bf16(image...)}, dtoh))}
	dtod := c.op("aten::copy_", []tensor{bf16(latent...), bf16(latent...), scalar("False")})
	dtod.work = c.copies("DtoD", "Device", "Device", 131072, 1900)
	p.replay = []*op{dtod, c.pointwise("aten::fill_", "FillFunctor<float>", 1500, 2)}
}
