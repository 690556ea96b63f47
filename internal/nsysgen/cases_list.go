package nsysgen

import "fmt"

func ranks(w *writer) {
	w.meta(20 * ms)
	w.gpu(0)
	w.gpu(1)
	for i := range int64(2) {
		p := w.process(111+i, i, fmt.Sprintf("worker%d", i))
		p.domain(1, "NCCL")
		p.push("pipeline.decode", 1*ms, 6*ms)
		p.launch("attention", 1500*us, 2*ms, 5*ms+i*ms)
		p.nvtx(p.pid, 59, "ncclAllReduce", 1, 2*ms, 3*ms)
		p.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 2500*us, 7*ms, 9*ms)
		w.add("ThreadNames", row{"nameId": w.text("low"), "priority": 1, "globalTid": globalTid(p.pid, p.pid)})
	}
}

func nested(w *writer) {
	w.meta(20 * ms)
	w.gpu(0)
	p := w.process(200, 0, "python")
	p.launch("before_all", 500*us, 600*us, 700*us)
	p.push("outer", 1*ms, 10*ms)
	p.push("inner", 2*ms, 5*ms)
	p.launch("gemm", 2500*us, 3*ms, 4*ms)
	p.launch("softmax", 4500*us, 6*ms, 6*ms+200*us)
	p.push("inner", 6*ms, 7*ms)
	p.push("no work", 8*ms, 9*ms)
	p.nvtx(201, 59, "outer", 0, 1*ms, 2*ms)
	p.kernel("gemm", p.call(201, p.kernelsCol, 0, 1500*us, 1600*us), 12*ms, 13*ms)
}

func pipeline(w *writer) {
	w.meta(400 * ms)
	w.gpu(0)
	p := w.process(300, 0, "flashdreams-run")
	const ui = 301
	w.add("NVTX_EVENTS", row{"start": 0, "eventType": 39, "text": "model thread", "globalTid": globalTid(300, 300)})
	w.add("ThreadNames", row{"nameId": w.text("ui thread"), "priority": 20, "globalTid": globalTid(300, ui)})
	for i := range int64(4) {
		t := 10*ms + i*80*ms
		p.push(fmt.Sprintf("model.step[%d]", i), t, t+60*ms)
		for k, name := range []string{"pipeline.encode", "pipeline.diffuse", "pipeline.decode", "pipeline.finalize"} {
			at := t + int64(k)*14*ms
			p.push(name, at, at+12*ms)
			p.launch("kernel of "+name, at+1*ms, at+2*ms, at+2*ms+int64(k+1)*2*ms)
		}
		p.nvtx(300, 34, fmt.Sprintf("model.frame [step %d]", i), 0, t+61*ms, nil)
		p.push("model.publish", t+61*ms, t+62*ms)
		p.nvtx(ui, 59, "ui.step", 0, t, t+16*ms)
		p.nvtx(ui, 34, fmt.Sprintf("present.frame [step %d]", i), 0, t+70*ms, nil)
		w.add("NVTX_EVENTS", row{"start": t + 5*ms, "end": t + 70*ms, "eventType": 60, "text": "input.wait", "globalTid": globalTid(300, ui), "endGlobalTid": globalTid(300, 300), "domainId": 0})
	}
}

func startEnd(w *writer) {
	w.meta(20 * ms)
	p := w.process(210, 0, "python")
	for _, end := range []int64{211, 210} {
		w.add("NVTX_EVENTS", row{"start": 1 * ms, "end": 9 * ms, "eventType": 60, "rangeId": end, "text": fmt.Sprintf("to thread %d", end), "globalTid": globalTid(210, 210),
			"endGlobalTid": globalTid(210, end), "domainId": 0})
	}
	p.launch("gemm", 2*ms, 3*ms, 4*ms)
}

func openRanges(w *writer) {
	w.meta(20 * ms)
	p := w.process(220, 0, "python")
	p.push("closed", 1*ms, 2*ms)
	p.nvtx(220, 59, "never popped", 0, 3*ms, nil)
	p.nvtx(220, 60, "never ended", 0, 4*ms, nil)
	p.launch("gemm", 5*ms, 6*ms, 7*ms)
}

// graphKernels are those of a graph.
var graphKernels = []string{"gemm", "bias", "gelu"}

func graphNode(w *writer) {
	w.meta(20 * ms)
	p := w.process(230, 0, "python")
	p.push("replay", 1*ms, 2*ms)
	corr := p.call(230, "cudaGraphLaunch_v10000", 0, 1200*us, 1300*us)
	for i, k := range graphKernels {
		r := p.on(corr, 3*ms+int64(i)*ms, 3*ms+int64(i)*ms+700*us)
		id := w.text(k)
		r["demangledName"], r["shortName"], r["graphNodeId"], r["graphId"] = id, id, 5_000_000+i, 5
		w.add("CUPTI_ACTIVITY_KIND_KERNEL", r)
	}
}

func graphWhole(w *writer) {
	w.meta(20 * ms)
	p := w.process(231, 0, "python")
	p.push("replay", 1*ms, 2*ms)
	r := p.on(p.call(231, "cudaGraphLaunch_v10000", 0, 1200*us, 1300*us), 3*ms, 6*ms)
	r["graphId"], r["graphExecId"] = 5, 6
	w.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", r)
}

func memory(w *writer) {
	w.meta(20 * ms)
	p := w.process(240, 0, "python")
	for i, c := range [][3]int64{{1, 0, 2}, {1, 1, 2}, {2, 2, 1}, {8, 2, 2}, {10, 2, 2}, {99, 9, 9}} {
		at := int64(i+1) * ms
		p.copies(c[0], c[1], c[2], 1<<20, at, at+100*us, at+400*us)
	}
	p.sets(4096, 8*ms, 8*ms+50*us, 8*ms+60*us)
	for kind := range int64(5) {
		r := p.on(p.corr, (9+kind)*ms, (9+kind)*ms+500*us)
		if r["syncType"] = kind; kind == 4 {
			r["streamId"] = int64(1)<<32 - 1
		}
		w.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", r)
	}
	for i, op := range []int64{0, 1, 7} {
		w.add("CUDA_GPU_MEMORY_USAGE_EVENTS", row{"start": int64(i+1) * ms, "globalPid": globalPid(240), "contextId": 1, "virtualAddress": 4096, "bytes": 2 << 20, "memKind": 2, "memoryOperationType": op})
	}
}

func names(w *writer) {
	w.meta(20 * ms)
	p := w.process(250, 0, "python")
	for i, n := range []string{"a, b", `say "x"`, "two\nlines", "Übergröße 漢字", "", "nul\x00inside", "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3]]",
		"encode, op_id = 99", "a = b", "MulBackward0, seq = 3, op_id = 4"} {
		p.push(n, int64(i+1)*ms, int64(i+1)*ms+500*us)
	}
	p.launch("void f<g<int>, (anonymous namespace)::h>(int, char*)", 1100*us, 12*ms, 13*ms)
	p.w.add("NVTX_EVENTS", row{"start": 15 * ms, "end": 16 * ms, "eventType": 59, "textId": 987_654, "globalTid": globalTid(250, 250), "domainId": 0})
}

func driver(w *writer) {
	w.meta(20 * ms)
	p := w.process(260, 0, "python")
	p.push("run", 1*ms, 3*ms)
	corr := p.call(260, "cudaLaunchKernelExC_v11060", 0, 1100*us, 1300*us)
	p.corr-- // the driver's call has the same
	p.call(260, "cuLaunchKernelEx", 1, 1150*us, 1250*us)
	p.kernel("gemm", corr, 2*ms, 3*ms)
}

func slice(w *writer) {
	w.meta(20 * ms)
	p := w.process(270, 0, "python")
	for i := range int64(4) {
		p.kernel("early", 1000+i, 1*ms+i*ms, 1*ms+i*ms+500*us)
	}
	p.push("late", 5*ms, 6*ms)
	p.launch("gemm", 5500*us, 8*ms, 9*ms)
}

func ties(w *writer) {
	w.meta(20 * ms)
	p := w.process(280, 0, "python")
	for i := range int64(6) {
		p.push([]string{"a", "b", "c"}[i%3], (i+1)*ms, (i+1)*ms+500*us)
		p.launch([]string{"k1", "k2", "k3"}[i%3], (i+1)*ms+10*us, (i+1)*ms+100*us, (i+1)*ms+300*us)
	}
}

func registered(w *writer) {
	w.meta(20 * ms)
	cols := columnsOf(w.schema, "NVTX_EVENTS")
	var kept []column
	for _, c := range cols {
		if c.name != "text" && c.name != "jsonText" {
			kept = append(kept, c)
		}
	}
	w.make("NVTX_EVENTS", kept)
	p := w.process(290, 0, "python")
	p.nvtx(290, 59, "generate", 3, 1*ms, 4*ms)
	p.launch("gemm", 2*ms, 3*ms, 4*ms)
}

func noStrings(w *writer) {
	w.meta(20 * ms)
	p := w.process(291, 0, "python")
	p.push("run", 1*ms, 3*ms)
	p.launch("gemm", 2*ms, 3*ms, 4*ms)
	w.exec("DROP TABLE StringIds")
	delete(w.tables, "StringIds")
}

func noNVTX(w *writer) {
	w.meta(20 * ms)
	p := w.process(292, 0, "python")
	p.launch("gemm", 2*ms, 3*ms, 4*ms)
}

func osRuntime(w *writer) {
	w.meta(20 * ms)
	p := w.process(293, 0, "python")
	p.launch("gemm", 2*ms, 3*ms, 4*ms)
	for i, name := range []string{"poll", "pthread_cond_wait", "read", "read"} {
		w.add("OSRT_API", row{"start": int64(i+5) * ms, "end": int64(i+5)*ms + 300*us, "eventClass": 27, "globalTid": globalTid(293, 294), "nameId": w.text(name)})
	}
	w.add("PROFILER_OVERHEAD", row{"start": 10 * ms, "end": 11 * ms, "globalTid": globalTid(293, 293), "nameId": w.text("CUDA profiling data flush")})
}

func empty(w *writer) {
	w.meta(20 * ms)
	p := w.process(310, 0, "./render")
	p.diagnose(1, "Profiling has started.")
	p.diagnose(2, "Installed CUDA driver version (99.9) is not supported by this build of Nsight Systems. CUDA trace will be collected using libraries for driver version 12.9")
	p.diagnose(2, "No NVTX events collected. Does the process use NVTX?")
	p.diagnose(3, "The process was killed.")
	p.diagnose(4, "Verbose.")
	w.add("DIAGNOSTIC_EVENT", row{"severity": 2, "text": "A message of the host.", "globalPid": int64(-144115188075855872)})
	p.call(310, "cuModuleLoadData", 1, 1*ms, 2*ms)
}

func bare(w *writer) {
	w.make("CUPTI_ACTIVITY_KIND_KERNEL", []column{{name: "start"}, {name: "end"}, {name: "deviceId"}, {name: "streamId"}, {name: "correlationId"}, {name: "shortName"}})
	w.make("CUPTI_ACTIVITY_KIND_RUNTIME", []column{{name: "start"}, {name: "end"}, {name: "globalTid"}, {name: "correlationId"}, {name: "nameId"}})
	p := &process{w: w, pid: 320, stream: 7, kernelsCol: "cudaLaunchKernel"}
	p.launch("gemm", 2*ms, 3*ms, 4*ms)
}

func untraced(w *writer) {
	w.meta(20 * ms)
	w.exec("DELETE FROM META_DATA_CAPTURE WHERE value = 'Cuda'")
	p := w.process(330, 0, "python")
	p.push("pipeline.encode", 1*ms, 3*ms)
}

func lost(w *writer) {
	w.meta(20 * ms)
	p := w.process(340, 0, "python")
	p.launch("gemm", 2*ms, 3*ms, 4*ms)
	for i := range int64(3) {
		w.add("CUPTI_ACTIVITY_KIND_OVERHEAD", row{"start": (5 + i) * ms, "end": (6 + i) * ms, "globalTid": globalTid(340, 340), "overheadType": 8})
	}
}

func helper(w *writer) {
	w.meta(20 * ms)
	server, worker := w.process(350, 0, "server"), w.process(351, 0, "worker")
	server.push("execute_diffusion", 1*ms, 9*ms)
	server.call(350, "cudaGetDeviceCount_v2", 0, 1500*us, 1600*us)
	worker.push("pipeline.decode", 2*ms, 6*ms)
	worker.launch("gemm", 3*ms, 4*ms, 5*ms)
}
