package analyze

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestKernelClasses: names of real kernels, cut short, of CUDA, ROCm, Triton and
// Inductor.
func TestKernelClasses(t *testing.T) {
	cases := []struct{ name, class, extra string }{
		{"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT320x224x64", "matrix", "16"},
		{"Cijk_Ailk_Bljk_SB_MT64x64x16_MI16x16x4x1_SN", "matrix", "32"},
		{"volta_sgemm_128x32_nt", "matrix", "32"},
		{"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn", "matrix", "16"},
		{"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x6_tn_align8>", "matrix", "16"},
		{"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>", "matrix", "32"},
		{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "matrix", "16"},
		{"nvjet_tst_192x192_64x4_2x1_v_bz_coopA_bias_TNT", "matrix", "16"},
		{"void splitKreduce_kernel<float, float, float, float, true, false, false>", "matrix", "32"},
		{"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", "matrix", "16"},
		{"attn_fwd", "attention", ""},
		{"sage_fwd", "attention", ""},
		{"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128>", "attention", ""},
		{"fmha_cutlassF_bf16_aligned_64x64_rf_sm80", "attention", ""},
		{"kernel_unified_attention_3d", "attention", ""},
		{"triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10", "elementwise", ""},
		{"triton_red_fused_add_addmm_mul_native_layer_norm_split_unsqueeze_view_16", "norm", ""},
		{"triton_per_fused__to_copy_add_addmm_mean_mul_pow_rsqrt_transpose_view_8", "norm", ""},
		{"triton_per_fused__softmax_add_3", "norm", "softmax"},
		{"triton_tem_fused_addmm_7", "matrix", ""},
		{"triton_tem_fused_convolution_1", "convolution", ""},
		{"triton_tem_fused_flex_attention_0", "attention", ""},
		{"void (anonymous namespace)::softmax_warp_forward<float, float, float, 9, false, false>", "norm", "softmax"},
		{"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>", "norm", ""},
		{"void (anonymous namespace)::groupnorm_kernel_dispatch_down<__hip_bfloat16, 1024u>", "norm", ""},
		{"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 128, true, 1, true>", "norm", ""},
		{"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x256x32", "convolution", "16"},
		{"_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3", "convolution", ""},
		{"cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1", "convolution", "32"},
		{"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw", "convolution", "32"},
		{"void wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>", "convolution", "32"},
		{"batched_transpose_32x32_half", "copy", "layout"},
		{"void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true", "copy", "layout"},
		{"void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)", "copy", ""},
		{"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>", "copy", ""},
		{"void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>", "elementwise", ""},
		{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float", "elementwise", ""},
		{"SubTensorOpWithScalar1d", "elementwise", ""},
		{"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "communication", ""},
		{"void cub::DeviceScanKernel<cub::AgentScanPolicy<128, 15, int", "other", ""},
		{"void at::native::convert_something", "other", ""},
		{"", "other", ""},
	}
	var b strings.Builder
	b.WriteString("track gpu0/7\n")
	for i, c := range cases {
		fmt.Fprintf(&b, "gpu kernel %s at %dus for 1us\n", strconv.Quote(c.name), i)
	}
	fmt.Fprintf(&b, "gpu copy \"gemm\" at %dus for 1us\n", len(cases))
	tl := timelineOf(t, b.String())
	k := newKernels(tl, builtin(t))
	for i, c := range cases {
		info := k.of(int32(i))
		extra := info.bits
		if info.softmax {
			extra = "softmax"
		} else if info.layout {
			extra = "layout"
		}
		if info.class.String() != c.class || extra != c.extra {
			t.Errorf("%q is %s %q, want %s %q", c.name, info.class, extra, c.class, c.extra)
		}
	}
	if c := k.of(int32(len(cases))).class; c != CopyKernels {
		t.Errorf("a copy is %s", c)
	}
}

// TestClassTotals: rates by hand. The product of 1024×512 and 512×2048 is 2^31
// operations, in 1 ms 2.147 TFLOP/s; its second kernel counts to the time alone.
// Attention over 2×8×64×32 and 128 keys is 4·32768·128 operations.
func TestClassTotals(t *testing.T) {
	text := `track cpu1/1
range stage "pipeline.encode" at 0ms for 10ms
range op "aten::addmm" at 1ms for 1ms args {"Input Dims": [[2048],[1024,512],[512,2048],[],[]]}
range runtime "cudaLaunchKernel" at 1.1ms for 10us cause 1
range runtime "cudaLaunchKernel" at 1.2ms for 10us cause 2
range op "aten::_scaled_dot_product_flash_attention" at 3ms for 1ms args {"Input Dims": [[2,8,64,32],[2,8,128,32],[2,8,128,32]]}
range op "aten::_flash_attention_forward" at 3.1ms for 0.8ms args {"Input Dims": [[2,64,8,32]]}
range runtime "cudaLaunchKernel" at 3.2ms for 10us cause 3
range runtime "cudaLaunchKernel" at 5ms for 10us cause 4
range runtime "cudaMemcpyAsync" at 6ms for 10us cause 5
track gpu0/7
gpu "ampere_sgemm" at 2ms for 0.75ms cause 1
gpu "splitKreduce_kernel" at 3ms for 0.25ms cause 2
gpu "flash_fwd_kernel" at 4ms for 1ms cause 3
gpu "ampere_sgemm" at 6ms for 1ms cause 4
gpu copy "Memcpy HtoD (Pinned -> Device)" at 7ms for 1ms cause 5 value 5000000
`
	tl := timelineArgs(t, text, OpsArgs)
	s := Summarize(tl, builtin(t))
	got := map[string]ClassTotal{}
	for _, c := range s.Classes {
		if c.Stage != "encode" {
			t.Errorf("stage %q", c.Stage)
		}
		got[c.Class] = c
	}
	m := got["matrix"]
	if m.Time != 2e6 || m.Activities != 3 || *m.FLOPs != 1<<31 || *m.FLOPsTime != 1e6 || fmt.Sprintf("%.3f", *m.TFLOPs) != "2.147" {
		t.Errorf("matrix: %+v", m)
	}
	if a := got["attention"]; *a.FLOPs != 4*2*8*64*32*128 {
		t.Errorf("attention: %+v", a)
	}
	if c := got["copy"]; *c.Bytes != 5e6 || *c.Rate != 5 || c.FLOPs != nil {
		t.Errorf("copy: %+v", c)
	}
	if e := s.Stages[0].ClassTime; e["matrix"] != 2e6 || e["attention"] != 1e6 || e["copy"] != 1e6 || len(e) != 3 {
		t.Errorf("stage: %v", e)
	}
	for _, c := range Summarize(timelineOf(t, text), builtin(t)).Classes {
		if c.FLOPs != nil || c.TFLOPs != nil {
			t.Errorf("rates without shapes: %+v", c)
		}
	}
}
