package synth

// forms are the events' texts, keys in Kineto's order and blanks as it has them.
type forms struct {
	op, annotation, python, module, memory   template
	runtime, runtimeLoose, hipLaunch         template
	kernel, kernelLoose, collective          template
	memcpy, memset                           template
	flowStart, flowEnd, repeated             template
	process, labels, order, thread, position template
	span, spanOrder, iteration, windowEnd    template
}

const (
	x    = "\n  {\n    \"ph\": \"X\", \"cat\": "
	head = `"name": "$", "pid": $, "tid": $,` + "\n    \"ts\": $, \"dur\": $,\n    \"args\": {\n      "
	tail = "\n    }\n  }"

	external = `"External id": $,`
	shape3   = `"grid": [$, $, $],` + "      \"block\": [$, 1, 1]"
)

func newForms(o Options) *forms {
	f := &forms{}
	t := func(s string) template { return newTemplate(o.Style, s) }
	f.op = t(x + `"cpu_op", ` + head + external + `"Record function id": 0, $"Ev Idx": $` + tail)
	f.annotation = t(x + `"user_annotation", ` + head + external + `"Record function id": 0, "Ev Idx": $` + tail)
	f.python = t(x + `"python_function", ` + head + `"Python parent id": $, "Python id": $, "Ev Idx": $` + tail)
	f.module = t(x + `"python_function", ` + head + `"Python parent id": $, "Python id": $, "Python module id": $, "Ev Idx": $` + tail)
	f.memory = t("\n  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    \"pid\": $, \"tid\": $,\n    \"ts\": $,\n    \"args\": {\n      " +
		`"Total Reserved": 1306525696, "Total Allocated": $, "Bytes": $, "Addr": $, "Device Id": $, "Device Type": 1, "Ev Idx": $` + tail)
	f.repeated = t(x + `"gpu_user_annotation", ` + head + `"External id": $` + tail)
	flow := `"id": $, "pid": $, "tid": $, "ts": $,` + "\n    \"cat\": \"ac2g\", \"name\": \"ac2g\""
	f.flowStart = t("\n  {\n    \"ph\": \"s\", " + flow + "\n  }")
	f.flowEnd = t("\n  {\n    \"ph\": \"f\", " + flow + ", \"bp\": \"e\"\n  }")
	f.device(o, t)
	f.names(t)
	return f
}

func (f *forms) device(o Options, t func(string) template) {
	if o.Vendor == ROCm {
		f.runtime = t(x + `"cuda_runtime", ` + head + external + `      "cid": $, "correlation": $` + tail)
		f.runtimeLoose = t(x + `"cuda_runtime", ` + head + `      "cid": $, "correlation": $` + tail)
		f.hipLaunch = t(x + `"cuda_runtime", ` + head + external + `          "kernel": "$", "cid": $, "correlation": $,      ` +
			`"grid": [$, $, $],      "block": [$, 1, 1],      "shared memory": $` + tail)
		amd := `"device": $, "stream": $,      "correlation": $, "kind": `
		f.kernel = t(x + `"kernel", ` + head + external + `      ` + amd + `"Dispatch Kernel",      ` + shape3 + tail)
		f.kernelLoose = t(x + `"kernel", ` + head + `      ` + amd + `"Dispatch Kernel"` + tail)
		f.memcpy = t(x + `"gpu_memcpy", ` + head + external + `      ` + amd + `"$",      "bytes": $, "memory bandwidth (GB/s)": $` + tail)
		f.memset = t(x + `"gpu_memset", ` + head + external + `      ` + amd + `"Device"` + tail)
		f.collective = t(x + `"kernel", ` + head + external + `      ` + amd + `"Dispatch Kernel",      ` + shape3 + `,      ` + collective + tail)
		return
	}
	f.runtime = t(x + `"cuda_$", ` + head + external + `      "cbid": $, "correlation": $` + tail)
	f.runtimeLoose = t(x + `"cuda_$", ` + head + `      "cbid": $, "correlation": $` + tail)
	nv := `"queued": 0, "device": $, "context": 1,      "stream": $, "correlation": $,      "registers per thread": $,      "shared memory": $,      ` +
		`"blocks per SM": $,      "warps per SM": $,      ` + shape3 + `,      "est. achieved occupancy %": $`
	f.kernel = t(x + `"kernel", ` + head + external + `      ` + nv + tail)
	f.kernelLoose = t(x + `"kernel", ` + head + `      ` + nv + `,      "graph id": 7, "graph node id": $` + tail)
	f.collective = t(x + `"kernel", ` + head + external + `      ` + nv + `,      ` + collective + tail)
	copied := `"device": $, "context": 1,      "stream": $, "correlation": $,      "bytes": $, "memory bandwidth (GB/s)": $`
	f.memcpy = t(x + `"gpu_memcpy", ` + head + external + `      ` + copied + tail)
	f.memset = t(x + `"gpu_memset", ` + head + external + `      ` + copied + tail)
}

const collective = `"Collective name": "all_to_allv", "In msg nelems": $, "Out msg nelems": $, "Group size": $, "dtype": "BFloat16", ` +
	`"In split size": "[]", "Out split size": "[]", "Process Group Name": "1", "Process Group Description": "ulysses", "Seq": $`

func (f *forms) names(t func(string) template) {
	meta := func(name, args string) template {
		return t("\n  {\n    \"name\": \"" + name + "\", \"ph\": \"M\", \"ts\": $, \"pid\": $, \"tid\": $,\n    \"args\": {\n      " + args + tail)
	}
	f.process = meta("process_name", `"name": "python3"`)
	f.labels = meta("process_labels", `"labels": "$"`)
	f.order = meta("process_sort_index", `"sort_index": $`)
	f.thread = meta("thread_name", `"name": "$"`)
	f.position = meta("thread_sort_index", `"sort_index": $`)
	f.span = t(x + "\"Trace\", \"ts\": $, \"dur\": $,\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0" + tail)
	f.spanOrder = t("\n  {\n    \"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": $,\n    \"pid\": \"Spans\", \"tid\": 0,\n    \"args\": {\n      \"sort_index\": 536870912" + tail)
	f.iteration = t("\n  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": $\n  }")
	f.windowEnd = t("\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", \"ts\": $\n  }")
}
