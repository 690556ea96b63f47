package analyze

import (
	"reel/event"
	"reel/timeline"
)

// OpsBy says which events share a row of the operator table.
type OpsBy string

// The groupings.
const (
	OpsByName  OpsBy = "name"
	OpsByShape OpsBy = "shape" // name and input shapes
	OpsByStack OpsBy = "stack" // name and innermost Python calls
)

// OpsArgs are the arguments that timeline.Options.Args must keep for OpsByShape,
// for ranges that never ended, for floating-point operations, and for OpsByStack:
// for the stacks of backward passes, and on traces that write stacks into operators.
// OpsOptions.Args are those that a table needs.
var OpsArgs = []string{argFinished, argDims, argTypes, argConcrete, argFLOPs, argSequence, argCallStack}

const (
	argFinished  = "finished"
	argDims      = "Input Dims"
	argTypes     = "Input type"
	argConcrete  = "Concrete Inputs"
	argSequence  = "Sequence number"
	argCallStack = "Call stack"
	argFLOPs     = "FLOPs" // of an operator, where its producer counted them
)

// OpsOptions says how to make the operator table. The zero value groups by name,
// orders by self device time (self CPU time when the trace has no device) and
// keeps all rows.
type OpsOptions struct {
	By    OpsBy
	Calls int // innermost Python calls that tell rows apart with OpsByStack; 0 is 8
	Sort  OpsSort
	Limit int // rows to keep; 0 is all
}

// Args returns the arguments that the table needs (timeline.Options.Args), a part
// of OpsArgs: stacks and sequence numbers take memory.
func (opt OpsOptions) Args() []string {
	if opt.By == OpsByStack {
		return OpsArgs
	}
	return OpsArgs[:5]
}

// OpsReport is the operator table, in the form of the JSON schema reel.ops/1.
type OpsReport struct {
	Schema    string   `json:"schema"`
	By        OpsBy    `json:"by"`
	Sort      OpsSort  `json:"sort"`
	Rows      []OpsRow `json:"rows"`
	RowsTotal int      `json:"rows_total"` // rows before the limit
	// SelfCPU is the sum of all rows' self CPU times, ns.
	SelfCPU int64 `json:"self_cpu_total_ns"`
	// SelfDevice is the sum of the times of all device rows that are no
	// annotations, ns; absent when the trace has no device activity.
	SelfDevice *int64   `json:"self_device_total_ns,omitempty"`
	Notes      []string `json:"notes,omitempty"`
}

// OpsRow is one row: all events of a name (and shapes, or calls) on one side,
// CPU or device. Times are ns and sums over events, so that overlapping device
// work counts twice. Device columns are absent when the trace has no device
// activity, memory columns when it recorded none.
type OpsRow struct {
	Name       string `json:"name"`
	DeviceType string `json:"device_type"`          // "cpu" or "device"
	Annotation bool   `json:"annotation,omitempty"` // a range the program named itself
	Count      int64  `json:"count"`
	SelfCPU    int64  `json:"self_cpu_ns"` // without children; 0 on device rows
	CPU        int64  `json:"cpu_ns"`      // with children; 0 on device rows
	SelfDevice *int64 `json:"self_device_ns,omitempty"`
	Device     *int64 `json:"device_ns,omitempty"` // with children

	SelfCPUMemory    *int64 `json:"self_cpu_memory_bytes,omitempty"` // allocated minus released
	CPUMemory        *int64 `json:"cpu_memory_bytes,omitempty"`
	SelfDeviceMemory *int64 `json:"self_device_memory_bytes,omitempty"`
	DeviceMemory     *int64 `json:"device_memory_bytes,omitempty"`

	InputShapes string   `json:"input_shapes,omitempty"`
	Stack       []string `json:"stack,omitempty"` // innermost call first
	FLOPs       *int64   `json:"flops,omitempty"`
}

// Ops sums operators as torch.profiler's key_averages does. CPU rows are
// operators, annotations, runtime and driver calls and the profiler's overhead,
// nested anew by torch's rule (see opsTree), and allocations outside of all these.
// Python calls give the stack; where torch counts them as children of ranges (since
// 2.12) they do here, if they were read. Kernels, copies, sets, device waits and
// annotations on the device are rows of their own. A CPU row's device time is that
// of the activities launched in it and in no operator within; annotations own none,
// unless the trace has no operators.
//
// It differs from torch where the trace does not hold what torch knew: a range
// that ends on another thread cannot be told from others, one that never ended
// lasts as long as the trace says, runtime calls that belong to no operator stay
// on their own thread (torch moves them to the one that stopped the profiler), and
// names are as the trace spells them (torch demangles C++). It also says more:
// there are stacks wherever Python calls are, "Call stack" or not; floating-point
// operations need input shapes only; the memory of every sort of device counts;
// allocations lie at exact times (torch up to 2.9 rounded them). Activities with
// impossible times, which torch would count, are left out.
func Ops(tl *timeline.Timeline, opt OpsOptions) OpsReport {
	if opt.By == "" {
		opt.By = OpsByName
	}
	if opt.Calls <= 0 {
		opt.Calls = 8
	}
	o := newOpsTable(tl, opt)
	o.hostRows()
	o.deviceRows()
	o.memory.rows(o)
	return o.report()
}

// OpsCountsPython reports whether torch counted Python calls as children of ranges,
// so that Ops needs them for every grouping; else only OpsByStack does. PyTorch does
// since 2.12, the first release whose traces name their host; builds that did so
// long before wrote absolute times. The header stands before the events in these
// traces, so that a source can be asked as soon as it is open.
func OpsCountsPython(info event.Info) bool {
	return info.Props["host_name"] != "" && info.Props["baseTimeNanoseconds"] != ""
}
