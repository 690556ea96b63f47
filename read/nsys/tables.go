package nsys

import (
	"reel/event"
	"reel/internal/sqlite"
)

// table is a table that becomes events. Columns that a file lacks are NULL.
type table struct {
	name string
	cols []string // in the order in which row asks for them
	args int      // how many of the last of cols are for arguments alone
	need []string // without which its rows tell nothing
	row  func(*emitter, *sqlite.Rows)
}

// tables lists them in the order in which they are read. The names of tables and columns
// are those of the documentation, and of exports of the schemas 3.17 to 3.25.
func tables() []*table {
	span := []string{"start", "end"}
	device := []string{"start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId"}
	return []*table{
		{"NVTX_EVENTS", []string{"start", "end", "eventType", "globalTid", "endGlobalTid", "text", "textId", "domainId",
			"category", "color", "uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue",
			"jsonText", "jsonTextId"}, 10, []string{"start", "eventType"}, nvtxRow},
		{"CUPTI_ACTIVITY_KIND_RUNTIME", []string{"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}, 1, span, callRow},
		{"CUPTI_ACTIVITY_KIND_KERNEL", append(device, "demangledName", "shortName", "mangledName", "graphNodeId",
			"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"), 7, span, kernelRow},
		{"CUPTI_ACTIVITY_KIND_MEMCPY", append(device, "bytes", "copyKind", "srcKind", "dstKind"), 0, span, copyRow},
		{"CUPTI_ACTIVITY_KIND_MEMSET", append(device, "bytes", "memKind"), 0, span, setRow},
		{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", append(device, "graphId"), 0, span, graphRow},
		{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", append(device, "syncType"), 0, span, syncRow},
		{"CUPTI_ACTIVITY_KIND_OVERHEAD", []string{"start", "end", "globalTid", "nameId", "overheadType"}, 0, span, overheadRow},
		{"PROFILER_OVERHEAD", []string{"start", "end", "globalTid", "nameId", "overheadType"}, 0, span, overheadRow},
		{"OSRT_API", []string{"start", "end", "globalTid", "nameId"}, 0, span, hostRow(event.OtherRange)},
		{"CUDNN_EVENTS", []string{"start", "end", "globalTid", "nameId"}, 0, span, hostRow(event.Annotation)},
		{"CUBLAS_EVENTS", []string{"start", "end", "globalTid", "nameId"}, 0, span, hostRow(event.Annotation)},
		{"CUDA_GPU_MEMORY_USAGE_EVENTS", []string{"start", "globalPid", "deviceId", "contextId", "streamId", "bytes",
			"memoryOperationType", "virtualAddress"}, 1, []string{"start", "bytes", "memoryOperationType"}, memoryRow},
	}
}

// thread is the track of a globalTid.
func thread(global int64) event.Track {
	return event.Track{Place: event.Thread, A: pidOf(global), B: tidOf(global)}
}

// onThread returns the track of a row's globalTid, and whether the row is this rank's. A
// row that does not say lies on a row of its own.
func onThread(e *emitter, r *sqlite.Rows, col int, otherwise string) (event.Track, bool) {
	if r.IsNull(col) {
		return event.Track{Place: event.Logical, Label: otherwise}, e.mine(0)
	}
	t := thread(r.Int(col))
	return t, e.mine(t.A)
}

func callRow(e *emitter, r *sqlite.Rows) {
	t, ok := onThread(e, r, 3, "CUDA calls")
	if !ok {
		return
	}
	class := event.Runtime
	if r.Int(2) == 1 { // TRACE_PROCESS_EVENT_CUDA_DRIVER
		class = event.Driver
	}
	v := row{kind: event.Range, class: class, track: t, name: e.callOf(r, 5), start: r.Int(0), end: r.Int(1), link: e.link(t.A, r.Int(4))}
	if e.push(&v) && e.keep.more {
		e.argInt("correlation", r.Int(4))
		e.argInt("return value", r.Int(6))
	}
}

func overheadRow(e *emitter, r *sqlite.Rows) {
	t, ok := onThread(e, r, 2, "profiler overhead")
	if !ok {
		return
	}
	kind := r.Int(4)
	name := e.nameOf(r, 3)
	if name == 0 && kind > 0 && kind < int64(len(overheads)) {
		name = e.out.Strings.Add(overheads[kind])
	}
	v := row{kind: event.Range, class: event.Overhead, track: t, name: name, start: r.Int(0), end: r.Int(1)}
	if e.push(&v) && kind == bufferFull {
		e.warn("command-buffer-full", "the command buffer of a device was full: calls waited, and work on the device may be missing")
	}
}

// overheads are the sorts of overhead (ENUM_CUPTI_OVERHEAD_TYPE).
var overheads = [...]string{"", "overhead", "Driver Compiler", "Buffer Flush", "Instrumentation", "Resource",
	"Runtime Triggered Module Loading", "Lazy Function Loading", "Command Buffer Full"}

const bufferFull = 8

// hostRow is for tables of calls that have no more than a name.
func hostRow(class event.Class) func(*emitter, *sqlite.Rows) {
	return func(e *emitter, r *sqlite.Rows) {
		if t, ok := onThread(e, r, 2, "calls"); ok {
			e.push(&row{kind: event.Range, class: class, track: t, name: e.nameOf(r, 3), start: r.Int(0), end: r.Int(1)})
		}
	}
}
