package report

import (
	"slices"

	"reel/analyze"
	"reel/table"
)

// opsColumn is a column of the operator table: which number, and when it is shown.
type opsColumn struct {
	table.Col
	sort analyze.OpsSort
	get  func(*analyze.OpsRow) any
}

// opsColumns are the numbers of the operator table. A device row has no CPU time.
var opsColumns = []opsColumn{
	{table.Col{Name: "calls", Unit: table.Count, Key: "count"}, analyze.SortCount, func(r *analyze.OpsRow) any { return r.Count }},
	{table.Col{Name: "self CPU", Unit: table.Nanoseconds, Key: "self_cpu_ns"}, analyze.SortSelfCPU, func(r *analyze.OpsRow) any { return hostOnly(r, r.SelfCPU) }},
	{table.Col{Name: "CPU", Unit: table.Nanoseconds, Key: "cpu_ns"}, analyze.SortCPU, func(r *analyze.OpsRow) any { return hostOnly(r, r.CPU) }},
	{table.Col{Name: "self device", Unit: table.Nanoseconds, Key: "self_device_ns"}, analyze.SortSelfDevice, func(r *analyze.OpsRow) any { return opt(r.SelfDevice) }},
	{table.Col{Name: "device", Unit: table.Nanoseconds, Key: "device_ns"}, analyze.SortDevice, func(r *analyze.OpsRow) any { return opt(r.Device) }},
	{table.Col{Name: "self CPU mem", Unit: table.Bytes, Key: "self_cpu_memory_bytes"}, analyze.SortSelfCPUMemory, func(r *analyze.OpsRow) any { return opt(r.SelfCPUMemory) }},
	{table.Col{Name: "CPU mem", Unit: table.Bytes, Key: "cpu_memory_bytes"}, analyze.SortCPUMemory, func(r *analyze.OpsRow) any { return opt(r.CPUMemory) }},
	{table.Col{Name: "self device mem", Unit: table.Bytes, Key: "self_device_memory_bytes"}, analyze.SortSelfDeviceMemory, func(r *analyze.OpsRow) any { return opt(r.SelfDeviceMemory) }},
	{table.Col{Name: "device mem", Unit: table.Bytes, Key: "device_memory_bytes"}, analyze.SortDeviceMemory, func(r *analyze.OpsRow) any { return opt(r.DeviceMemory) }},
	{table.Col{Name: "FLOPs", Unit: table.Count, Key: "flops"}, analyze.SortFLOPs, func(r *analyze.OpsRow) any { return opt(r.FLOPs) }},
}

func hostOnly(r *analyze.OpsRow, v int64) any {
	if r.DeviceType == "device" {
		return nil
	}
	return v
}

// basic are the columns that are always shown, where the trace has them.
var basic = []analyze.OpsSort{analyze.SortCount, analyze.SortSelfCPU, analyze.SortCPU, analyze.SortSelfDevice, analyze.SortDevice}

// tight are the columns that are shown where little room is left: --by shape and
// --by stack need it for what tells rows apart.
var tight = []analyze.OpsSort{analyze.SortCount, analyze.SortSelfCPU, analyze.SortSelfDevice}

// shown picks the columns: the basic ones, the one sorted by, and on wide screens
// all that the trace has.
func shown(r *analyze.OpsReport, o Options) []opsColumn {
	var cols []opsColumn
	basic := basic
	if !o.wide() && r.By != analyze.OpsByName {
		basic = tight
	}
	for _, c := range opsColumns {
		has := slices.ContainsFunc(r.Rows, func(row analyze.OpsRow) bool { return c.get(&row) != nil })
		if has && (slices.Contains(basic, c.sort) || c.sort == r.Sort || o.Width >= 160 || o.Width <= 0) {
			cols = append(cols, c)
		}
	}
	return cols
}
