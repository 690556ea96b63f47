package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// opsOrder sorts rows by a column, largest first, absent values last; rows that
// are equal there go by name, side, shapes and calls.
func opsOrder(rows []OpsRow, by OpsSort) {
	slices.SortFunc(rows, func(a, b OpsRow) int {
		x, xok := a.column(by)
		y, yok := b.column(by)
		if xok != yok {
			if xok {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Name, b.Name), cmp.Compare(a.DeviceType, b.DeviceType),
			cmp.Compare(a.InputShapes, b.InputShapes), slices.Compare(a.Stack, b.Stack), opsFalseFirst(a.Annotation, b.Annotation))
	})
}

func opsFalseFirst(a, b bool) int {
	if a == b {
		return 0
	}
	if b {
		return -1
	}
	return 1
}

// column returns the value of a column; ok is false when the row lacks it.
func (r *OpsRow) column(c OpsSort) (v int64, ok bool) {
	p := r.SelfDevice
	switch c {
	case SortSelfCPU:
		return r.SelfCPU, true
	case SortCPU:
		return r.CPU, true
	case SortCount:
		return r.Count, true
	case SortName:
		return 0, true
	case SortDevice:
		p = r.Device
	case SortSelfCPUMemory:
		p = r.SelfCPUMemory
	case SortCPUMemory:
		p = r.CPUMemory
	case SortSelfDeviceMemory:
		p = r.SelfDeviceMemory
	case SortDeviceMemory:
		p = r.DeviceMemory
	case SortFLOPs:
		p = r.FLOPs
	}
	if p == nil {
		return 0, false
	}
	return *p, true
}
