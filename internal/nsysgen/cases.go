package nsysgen

import (
	"context"
	"fmt"
)

// kase is a small export, for what a reader must get right.
type kase struct {
	name string
	fill func(*writer)
}

func cases() []kase {
	return []kase{
		{"ranks", ranks}, {"nested", nested}, {"pipeline", pipeline}, {"startend", startEnd}, {"open", openRanges},
		{"graph-node", graphNode}, {"graph-whole", graphWhole}, {"memory", memory}, {"names", names}, {"driver", driver},
		{"slice", slice}, {"ties", ties}, {"registered", registered}, {"no-strings", noStrings}, {"no-nvtx", noNVTX},
		{"osrt", osRuntime}, {"empty", empty}, {"bare", bare}, {"untraced", untraced}, {"lost", lost}, {"helper", helper},
	}
}

// Cases lists the small exports:
//
//	ranks        two processes, a device each, with the same correlation ids and thread names
//	nested       ranges in ranges, one without work, the same name on two threads
//	pipeline     the ranges of an interactive generation: model.step[i], pipeline.*, marks
//	startend     a range from one thread to another, and one on a single thread
//	open         ranges that never end
//	graph-node   a graph's launch with three kernels of one correlation; graph-whole: as one row
//	memory       copies, sets, waits and allocations
//	names        commas, quotes, newlines, other alphabets, a name that is missing
//	driver       calls of the runtime with the driver's inside
//	slice        kernels that were launched before the file begins
//	ties         lengths that are alike
//	registered   names only as registered strings, in a domain; no column text
//	no-strings   the table of names is missing; no-nvtx: that of ranges
//	osrt         calls into the operating system, and the profiler's own overhead
//	empty        a driver newer than nsys; bare: three tables and no more; untraced: CUDA was not asked for
//	lost         the command buffer was full
//	helper       one process works on the device, another has the requests
func Cases() (all []string) {
	for _, c := range cases() {
		all = append(all, c.name)
	}
	return all
}

// Write writes a small export to path, which must not exist.
func Write(ctx context.Context, path, name string, schema Schema) error {
	for _, c := range cases() {
		if c.name != name {
			continue
		}
		w, err := newWriter(ctx, path, schema)
		if err != nil {
			return err
		}
		c.fill(w)
		return w.close()
	}
	return fmt.Errorf("no case %q", name)
}

const us, ms = 1000, 1_000_000

// process writes the rows of one process.
type process struct {
	w          *writer
	pid, dev   int64
	corr       int64
	stream     int64
	kernelsCol string // the name of a kernel's launch
}

func (w *writer) process(pid, dev int64, name string) *process {
	w.add("PROCESSES", row{"globalPid": globalPid(pid), "pid": pid, "name": name})
	w.add("ThreadNames", row{"nameId": w.text("main of " + name), "priority": 20, "globalTid": globalTid(pid, pid)})
	w.add("TARGET_INFO_CUDA_DEVICE", row{"gpuId": dev, "cudaId": dev, "pid": pid})
	return &process{w: w, pid: pid, dev: dev, stream: 7, kernelsCol: "cudaLaunchKernel_v7000"}
}

// gpu names a device of the machine.
func (w *writer) gpu(id int64) {
	w.add("TARGET_INFO_GPU", row{"id": id, "name": "NVIDIA H100 80GB HBM3", "totalMemory": int64(85_000_000_000), "smCount": 132})
}

// push writes a push/pop range of the main thread; see nvtx.
func (p *process) push(name string, start, end int64) { p.nvtx(p.pid, 59, name, 0, start, end) }

// nvtx writes a row of NVTX_EVENTS: a plain text, or in a named domain a registered string.
func (p *process) nvtx(tid, kind int64, name string, domain, start int64, end any) {
	r := row{"start": start, "end": end, "eventType": kind, "globalTid": globalTid(p.pid, tid), "domainId": domain}
	if domain == 0 {
		r["text"] = name
	} else {
		r["textId"] = p.w.text(name)
	}
	p.w.add("NVTX_EVENTS", r)
}

// domain names a domain of the process.
func (p *process) domain(id int64, name string) {
	p.w.add("NVTX_EVENTS", row{"start": 0, "eventType": 75, "text": name, "globalTid": globalTid(p.pid, p.pid), "domainId": id})
}

// call writes a call into CUDA and returns its correlation.
func (p *process) call(tid int64, name string, class, start, end int64) int64 {
	p.corr++
	p.w.add("CUPTI_ACTIVITY_KIND_RUNTIME", row{"start": start, "end": end, "eventClass": class, "globalTid": globalTid(p.pid, tid),
		"correlationId": p.corr, "nameId": p.w.text(name)})
	return p.corr
}

// on returns the columns that all work on a device has.
func (p *process) on(corr, start, end int64) row {
	return row{"start": start, "end": end, "deviceId": p.dev, "contextId": 1, "streamId": p.stream, "correlationId": corr, "globalPid": globalPid(p.pid)}
}

// kernel writes a kernel.
func (p *process) kernel(name string, corr, start, end int64) {
	r := p.on(corr, start, end)
	id := p.w.text(name)
	for k, v := range map[string]any{"demangledName": id, "shortName": id, "mangledName": id, "gridX": 132, "gridY": 1, "gridZ": 1, "blockX": 256, "blockY": 1, "blockZ": 1} {
		r[k] = v
	}
	p.w.add("CUPTI_ACTIVITY_KIND_KERNEL", r)
}

// launch writes a call at start and the kernel that it launches, which runs from begin to end.
func (p *process) launch(name string, start, begin, end int64) {
	p.kernel(name, p.call(p.pid, p.kernelsCol, 0, start, start+5*us), begin, end)
}

// copies writes a copy and its call.
func (p *process) copies(kind, from, to, bytes, start, begin, end int64) {
	r := p.on(p.call(p.pid, "cudaMemcpyAsync_v3020", 0, start, start+6*us), begin, end)
	r["bytes"], r["copyKind"], r["srcKind"], r["dstKind"] = bytes, kind, from, to
	p.w.add("CUPTI_ACTIVITY_KIND_MEMCPY", r)
}

// sets writes a memory set and its call.
func (p *process) sets(bytes, start, begin, end int64) {
	r := p.on(p.call(p.pid, "cudaMemsetAsync_v3020", 0, start, start+4*us), begin, end)
	r["bytes"], r["memKind"] = bytes, 2
	p.w.add("CUPTI_ACTIVITY_KIND_MEMSET", r)
}

// diagnose writes a message of nsys.
func (p *process) diagnose(severity int64, text string) {
	p.w.add("DIAGNOSTIC_EVENT", row{"timestamp": 0, "timestampType": 1, "source": 1, "severity": severity, "text": text, "globalPid": globalPid(p.pid)})
}
