package analyze

import (
	"fmt"
	"slices"
	"strings"

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

// OpsSort names the column that orders the operator table, largest first (names
// ascend).
type OpsSort string

// The columns.
const (
	SortSelfDevice       OpsSort = "self_device"
	SortDevice           OpsSort = "device"
	SortSelfCPU          OpsSort = "self_cpu"
	SortCPU              OpsSort = "cpu"
	SortCount            OpsSort = "count"
	SortName             OpsSort = "name"
	SortSelfCPUMemory    OpsSort = "self_cpu_memory"
	SortCPUMemory        OpsSort = "cpu_memory"
	SortSelfDeviceMemory OpsSort = "self_device_memory"
	SortDeviceMemory     OpsSort = "device_memory"
	SortFLOPs            OpsSort = "flops"
)

// OpsSorts lists the columns that a table can be ordered by.
var OpsSorts = []OpsSort{SortSelfDevice, SortDevice, SortSelfCPU, SortCPU, SortCount, SortName,
	SortSelfCPUMemory, SortCPUMemory, SortSelfDeviceMemory, SortDeviceMemory, SortFLOPs}

// ParseOpsSort reads a column's name, as OpsSorts, as a JSON key (self_cpu_ns) or
// as torch.profiler spells it (self_cuda_time_total, cpu_memory_usage). The
// error lists the accepted names.
func ParseOpsSort(text string) (OpsSort, error) {
	s := strings.NewReplacer("cuda", "device", "xpu", "device", "privateuse1", "device").Replace(text)
	for _, suffix := range []string{"_ns", "_bytes", "_usage", "_time_total", "_time"} {
		s = strings.TrimSuffix(s, suffix)
	}
	if slices.Contains(OpsSorts, OpsSort(s)) {
		return OpsSort(s), nil
	}
	return "", fmt.Errorf("unknown column %q: want one of %v", text, OpsSorts)
}

// OpsArgs are the arguments that timeline.Options.Args must keep for OpsByShape,
// for OpsByStack on traces of PyTorch before 1.12, and for floating-point operations.
var OpsArgs = []string{argDims, argConcrete, argCallStack}

const (
	argDims      = "Input Dims"
	argConcrete  = "Concrete Inputs"
	argCallStack = "Call stack"
)

// OpsOptions says how to make the operator table. The zero value groups by name,
// orders by self device time (self CPU time when the trace has no device) and
// keeps all rows.
type OpsOptions struct {
	By    OpsBy
	Calls int // innermost Python calls that tell rows apart with OpsByStack; 0 is 5
	Sort  OpsSort
	Limit int // rows to keep; 0 is all
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
// nested anew by torch's rule (see opsTree); Python calls only give the stack.
// Kernels, copies, sets, device waits and annotations on the device are rows of
// their own. A CPU row's device time is that of the activities whose owner it is.
//
// It differs from torch where the trace does not hold what torch knew: a range
// that ends on another thread cannot be told from others, runtime calls that
// belong to no operator stay on their own thread (torch moves them to the one that
// stopped the profiler), operators of a backward pass show their own stack, and
// kernel names are as the trace spells them. Activities with impossible times,
// which torch would count, are left out.
func Ops(tl *timeline.Timeline, opt OpsOptions) OpsReport {
	if opt.By == "" {
		opt.By = OpsByName
	}
	if opt.Calls <= 0 {
		opt.Calls = 5
	}
	o := newOpsTable(tl, opt)
	o.hostRows()
	o.deviceRows()
	o.memory.rows(o)
	return o.report()
}
