package nsysgen

import (
	"context"
	"fmt"
)

// Big says how big an export to write.
type Big struct {
	Rows      int // of each of NVTX_EVENTS, CUPTI_ACTIVITY_KIND_RUNTIME and …_KERNEL, over all processes
	Processes int // ranks; 0 is 1
	Schema    Schema
}

// opsPerStep is how many operators a step of a big export has.
const opsPerStep = 5000

// operators and kernels are what they do.
var (
	operators = []string{"aten::linear", "aten::addmm", "aten::mm", "aten::native_layer_norm", "aten::_scaled_dot_product_flash_attention",
		"aten::add", "aten::mul", "aten::gelu", "aten::copy_", "aten::cat"}
	kernels = []string{
		"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>>(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
		"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT", "void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90>>(flash::Params)",
		"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
		"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*)"}
)

// WriteBig writes a big export to path, which must not exist: a run of denoise steps
// under emit_nvtx, so that every operator has a name of its own; each operator launches
// one kernel.
func WriteBig(ctx context.Context, path string, b Big) error {
	if b.Schema == "" {
		b.Schema = New
	}
	w, err := newWriter(ctx, path, b.Schema)
	if err != nil {
		return err
	}
	procs := max(1, b.Processes)
	rows := b.Rows / procs
	w.meta(int64(rows)*opTime + 1e9)
	for p := range procs {
		w.bigProcess(p, rows)
	}
	return w.close()
}

// opTime is what an operator takes, ns.
const opTime = 6000

func (w *writer) bigProcess(p, rows int) {
	pid := int64(100 + p)
	tid := globalTid(pid, pid)
	launch := w.text("cudaLaunchKernel_v7000")
	var names []int64
	for _, k := range kernels {
		names = append(names, w.text(k))
	}
	now, op, nvtx := int64(1e9), int64(0), 0
	push := func(name string, start, end int64) {
		if nvtx++; nvtx <= rows {
			w.add("NVTX_EVENTS", row{"start": start, "end": end, "eventType": 59, "text": name, "globalTid": tid, "domainId": 0})
		}
	}
	for step := 0; int(op) < rows && w.err == nil; step++ {
		n := min(opsPerStep, rows-int(op))
		push(fmt.Sprintf("model.step[%d]", step), now, now+int64(n)*opTime)
		for range n {
			push(fmt.Sprintf("%s, op_id = %d", operators[op%int64(len(operators))], op+1), now+100, now+opTime-100)
			corr := op + 1
			w.add("CUPTI_ACTIVITY_KIND_RUNTIME", row{"start": now + 1000, "end": now + 4000, "globalTid": tid, "correlationId": corr, "nameId": launch})
			k := op % int64(len(names))
			w.add("CUPTI_ACTIVITY_KIND_KERNEL", row{"start": now + 9000, "end": now + 9000 + 3000 + 500*k, "deviceId": p, "contextId": 1, "streamId": 7,
				"correlationId": corr, "globalPid": globalPid(pid), "demangledName": names[k], "shortName": names[k], "mangledName": names[k],
				"launchType": 1, "registersPerThread": 128, "gridX": 132, "gridY": 1, "gridZ": 1, "blockX": 256, "blockY": 1, "blockZ": 1, "gridId": corr})
			op++
			now += opTime
		}
	}
}

// globalPid and globalTid make the ids of a process and of a thread on virtual machine 1.
func globalPid(pid int64) int64 { return 1<<48 | pid<<24 }

func globalTid(pid, tid int64) int64 { return globalPid(pid) | tid }
