package synth

import "fmt"

// linear is torch.nn.Linear over the last axis of dims.
func (c *catalog) linear(out int, dur int64, dims ...int) part {
	in := dims[len(dims)-1]
	rows := int(product(dims)) / in
	w := c.gemm(fmt.Sprintf("%dx%d", 64*(1+out/1024), 128), dur, [3]int{2 * (1 + out/128), 1 + rows/128, 1})
	mm := c.launching("aten::addmm", []tensor{bf16(out), bf16(rows, in), bf16(in, out), scalar("1"), scalar("1")}, w)
	o := c.op("aten::linear", []tensor{bf16(dims...), bf16(out, in), bf16(out)},
		c.op("aten::t", []tensor{bf16(out, in)}), c.op("aten::view", []tensor{bf16(dims...), list(ints([]int{rows, in}))}), mm)
	o.frame = "<built-in function linear>"
	return c.layer("Linear", "torch/nn/modules/linear.py(130): forward", 11, part{op: o})
}

func (c *catalog) pointwise(name, functor string, dur int64, dims ...int) *op {
	n := int(product(dims))
	k := c.kernel("void at::native::vectorized_elementwise_kernel<8, at::native::"+functor+", std::array<char*, 2ul> >(int, at::native::"+functor+", std::array<char*, 2ul>)",
		dur, [3]int{1 + n/4096, 1, 1}, 128, 32, 0)
	o := c.launching(name, []tensor{bf16(dims...), bf16(dims...), scalar("1")}, k)
	o.frame = "<built-in method " + name[len("aten::"):] + " of Tensor object at 0x7f3c2e51d7f0>"
	return o
}

func (c *catalog) norm(class string, dur int64, dims ...int) part {
	last := dims[len(dims)-1]
	k := c.kernel("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
		dur, [3]int{int(product(dims)) / last, 1, 1}, 128, 40, 24)
	in := []tensor{bf16(dims...), list(ints([]int{last})), bf16(last), bf16(last), scalar("1.0000000000000001e-05")}
	o := c.op("aten::layer_norm", in, c.launching("aten::native_layer_norm", in, k))
	return c.layer(class, "torch/nn/modules/normalization.py(229): forward", 6, part{op: o})
}

func (c *catalog) attention(dur int64, dims ...int) *op {
	heads := []int{dims[0], 8, dims[1], dims[2] / 8}
	q := bf16(heads...)
	k := c.kernel("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, false, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)",
		dur, [3]int{1 + dims[1]/128, dims[0], 8}, 128, 255, 49152)
	if c.opt.Vendor == ROCm {
		k.name = "attn_fwd"
	}
	in := []tensor{q, q, q, {}, scalar("0."), scalar("False"), {}, scalar("False")}
	flash := c.op("aten::_flash_attention_forward", in)
	flash.work, flash.cost, flash.alloc = k, 26_000, 2*q.elements()
	o := c.op("aten::scaled_dot_product_attention", in,
		c.op("aten::_scaled_dot_product_flash_attention", in, c.op("aten::transpose", []tensor{q, scalar("1"), scalar("2")}), flash))
	o.frame = "<built-in function scaled_dot_product_attention>"
	return o
}

// block is one transformer block; prefix names its classes (CLIPEncoder…).
func (c *catalog) block(s shape) part {
	d := []int{s.batch, s.tokens, s.width}
	attn := []part{c.linear(s.width, s.gemm, d...), c.linear(s.width, s.gemm, d...), c.linear(s.width, s.gemm, d...)}
	if s.collective != nil {
		attn = append(attn, part{op: s.collective}, part{op: c.pointwise("aten::mul", "MulFunctor<float>", s.small, d...)})
	}
	attn = append(attn, part{op: c.attention(s.attn, d...)}, c.linear(s.width, s.gemm, d...))
	mlp := []part{c.linear(4*s.width, 3*s.gemm, d...),
		{op: c.pointwise("aten::gelu", "GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}", s.small, s.batch, s.tokens, 4*s.width)},
		c.linear(s.width, 3*s.gemm, s.batch, s.tokens, 4*s.width)}
	parts := []part{c.norm("LayerNorm", s.small, d...), c.layer(s.prefix+"Attention", s.file+"(288): forward", 16, attn...),
		{op: c.pointwise("aten::add", "CUDAFunctor_add<c10::BFloat16>", s.small, d...)},
		c.norm("LayerNorm", s.small, d...), c.layer(s.prefix+"MLP", s.file+"(341): forward", 8, mlp...)}
	if s.modulated {
		parts = append([]part{{op: c.modulate(s.small, d...)}}, parts...)
	}
	parts = append(parts, part{op: c.pointwise("aten::add", "CUDAFunctor_add<c10::BFloat16>", s.small, d...)})
	return c.layer(s.prefix+"Layer", s.file+"(392): forward", 14, parts...)
}

// shape is the size and typical device time (ns) of a transformer.
type shape struct {
	prefix, file         string
	batch, tokens, width int
	gemm, attn, small    int64
	modulated            bool
	collective           *op
}

// modulate is a Triton kernel, which is launched through the driver.
func (c *catalog) modulate(dur int64, dims ...int) *op {
	k := c.kernel("triton_poi_fused_add_mul_native_layer_norm_0", dur, [3]int{int(product(dims)) / 1024, 1, 1}, 128, 26, 0)
	k.launch, k.driver = "cuLaunchKernel", true
	if c.opt.Vendor == ROCm {
		k.launch, k.driver = "hipModuleLaunchKernel", false
	}
	o := c.launching("triton_poi_fused_add_mul_native_layer_norm_0", []tensor{bf16(dims...), bf16(dims[0], dims[2])}, k)
	o.frame = "<string>(1): launcher"
	return o
}

// conv is a VAE convolution.
func (c *catalog) conv(channels, side int, dur int64) part {
	in := []tensor{bf16(1, channels, side, side), bf16(channels, channels, 3, 3), bf16(channels),
		list("[1, 1]"), list("[1, 1]"), list("[1, 1]"), scalar("False"), list("[0, 0]"), scalar("1")}
	k := c.kernel("void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8>(cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8::Params)",
		dur, [3]int{side * side / 256, 1 + channels/64, 1}, 128, 246, 81920)
	if c.opt.Vendor == ROCm {
		k.name = "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex0_bt256x64x32_wt32x32x8_ws1x1_wr2x2"
	}
	inner := c.launching("aten::cudnn_convolution", in[:3], k)
	if c.opt.Vendor == ROCm {
		inner.name = "aten::miopen_convolution"
	}
	o := c.op("aten::conv2d", in, c.op("aten::convolution", in, c.op("aten::_convolution", in, inner)))
	return c.layer("Conv2d", "torch/nn/modules/conv.py(553): forward", 8, part{op: o})
}
