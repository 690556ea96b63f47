package xlsx

import (
	"strings"

	"reel/analyze"
)

// kind says how a column's cells look.
type kind int

const (
	text   kind = iota
	count       // a whole number: calls, bytes
	micros      // µs, with the nanoseconds behind the point
	percent
	flag // true or false
	numKinds
)

// column is one column: what a row has in it, and what all rows have together.
// Absent values are nil.
type column struct {
	name  string
	kind  kind
	value func(*sheet, *analyze.OpsRow) any
	total func(*sheet) any
}

// columns are those of vLLM-Omni's workbook in their order, then the shares.
var columns = []column{
	{"name", text, func(_ *sheet, r *analyze.OpsRow) any { return clean(r.Name) }, fixed("total")},
	{"count", count, func(_ *sheet, r *analyze.OpsRow) any { return r.Count }, (*sheet).calls},
	{"device_type", text, (*sheet).deviceType, nil},
	{"node_id", count, constant(-1), nil},
	{"self_cpu_time_total_us", micros, func(_ *sheet, r *analyze.OpsRow) any { return us(&r.SelfCPU) }, func(s *sheet) any { return us(&s.rep.SelfCPU) }},
	{"cpu_time_total_us", micros, func(_ *sheet, r *analyze.OpsRow) any { return us(&r.CPU) }, nil},
	{"self_cuda_time_total_us", micros, selfDevice, totalDevice},
	{"cuda_time_total_us", micros, device, nil},
	{"self_xpu_time_total_us", micros, onXPU(selfDevice), func(s *sheet) any { return s.ifXPU(totalDevice(s)) }},
	{"xpu_time_total_us", micros, onXPU(device), nil},
	{"self_cpu_memory_usage_bytes", count, func(_ *sheet, r *analyze.OpsRow) any { return whole(r.SelfCPUMemory) }, nil},
	{"cpu_memory_usage_bytes", count, func(_ *sheet, r *analyze.OpsRow) any { return whole(r.CPUMemory) }, nil},
	{"self_cuda_memory_usage_bytes", count, selfDeviceMemory, nil},
	{"cuda_memory_usage_bytes", count, deviceMemory, nil},
	{"self_xpu_memory_usage_bytes", count, onXPU(selfDeviceMemory), nil},
	{"xpu_memory_usage_bytes", count, onXPU(deviceMemory), nil},
	{"input_shapes", text, func(_ *sheet, r *analyze.OpsRow) any { return clean(r.InputShapes) }, nil},
	{"stack", text, func(_ *sheet, r *analyze.OpsRow) any { return lines(r.Stack) }, nil},
	{"overload_name", text, constant(nil), nil},
	{"is_async", flag, constant(false), nil},
	{"is_legacy", flag, constant(false), nil},
	{"self_cpu_percent", percent, func(s *sheet, r *analyze.OpsRow) any { return share(&r.SelfCPU, &s.rep.SelfCPU) },
		func(s *sheet) any { return share(&s.rep.SelfCPU, &s.rep.SelfCPU) }},
	{"cpu_percent", percent, func(s *sheet, r *analyze.OpsRow) any { return share(&r.CPU, &s.rep.SelfCPU) }, nil},
	{"self_device_percent", percent, func(s *sheet, r *analyze.OpsRow) any { return share(r.SelfDevice, s.rep.SelfDevice) },
		func(s *sheet) any { return share(s.rep.SelfDevice, s.rep.SelfDevice) }},
	{"device_percent", percent, func(s *sheet, r *analyze.OpsRow) any { return share(r.Device, s.rep.SelfDevice) }, nil},
}

func selfDevice(_ *sheet, r *analyze.OpsRow) any       { return us(r.SelfDevice) }
func device(_ *sheet, r *analyze.OpsRow) any           { return us(r.Device) }
func selfDeviceMemory(_ *sheet, r *analyze.OpsRow) any { return whole(r.SelfDeviceMemory) }
func deviceMemory(_ *sheet, r *analyze.OpsRow) any     { return whole(r.DeviceMemory) }
func totalDevice(s *sheet) any                         { return us(s.rep.SelfDevice) }

// constant is what PyTorch gives for every row of such a profile, and the trace
// does not tell.
func constant(v any) func(*sheet, *analyze.OpsRow) any {
	return func(*sheet, *analyze.OpsRow) any { return v }
}

func fixed(v any) func(*sheet) any { return func(*sheet) any { return v } }

// onXPU is the value on XPU devices and nothing on others.
func onXPU(value func(*sheet, *analyze.OpsRow) any) func(*sheet, *analyze.OpsRow) any {
	return func(s *sheet, r *analyze.OpsRow) any { return s.ifXPU(value(s, r)) }
}

func (s *sheet) ifXPU(v any) any {
	if !s.xpu {
		return nil
	}
	return v
}

// deviceType is spelled as PyTorch does.
func (s *sheet) deviceType(r *analyze.OpsRow) any {
	if r.DeviceType == "cpu" {
		return "DeviceType.CPU"
	}
	return s.deviceWord
}

// calls sums the calls; of a report that was cut the sum is not known.
func (s *sheet) calls() any {
	if s.rep.RowsTotal > len(s.rep.Rows) {
		return nil
	}
	var n int64
	for i := range s.rep.Rows {
		n += s.rep.Rows[i].Count
	}
	return n
}

// us gives nanoseconds in µs.
func us(ns *int64) any {
	if ns == nil {
		return nil
	}
	return float64(*ns) / 1000
}

func whole(v *int64) any {
	if v == nil {
		return nil
	}
	return *v
}

// share is part of all in percent; nothing when there is nothing to share.
func share(part, all *int64) any {
	if part == nil || all == nil || *all == 0 {
		return nil
	}
	return 100 * float64(*part) / float64(*all)
}

// lines writes calls one below the other, the innermost first.
func lines(stack []string) any {
	if len(stack) == 0 {
		return nil
	}
	clean := make([]string, len(stack))
	for i, call := range stack {
		clean[i] = visible(call)
	}
	return cut(strings.Join(clean, "\n"))
}
