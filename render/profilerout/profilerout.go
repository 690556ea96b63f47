// Package profilerout writes operator tables as PyTorch prints them: what
// key_averages().table() returns, to the character. It computes no times; the
// report holds them.
//
// Three things differ on purpose. PyTorch prints the operations and the source
// location under each other's heading when a table has both; here each stands
// under its own. Rows that are equal in the sorted column keep the order of
// the report, where PyTorch keeps that of their first event. And control
// characters in names are made visible, one character for one.
package profilerout

import (
	"bufio"
	"io"
	"slices"

	"reel/analyze"
)

// Options say what the table shows. The zero is what profiler_out_<rank>.txt
// holds: table(sort_by="self_cuda_time_total", row_limit=100) on a CUDA device.
type Options struct {
	Device string          // the device in headings; "" is "CUDA"
	Sort   analyze.OpsSort // largest first, "" is SortSelfDevice; SortName keeps the report's order
	Limit  int             // rows to print; 0 is 100, negative is all
	FLOPs  bool            // with floating-point operations, as with_flops=True
	Legacy bool            // amounts of memory as older versions of PyTorch spell them: Kb, Mb, Gb, b
}

// defaultLimit is PyTorch's row_limit.
const defaultLimit = 100

// Write writes the table of rep to w; nothing when rep has no rows. Totals are
// those of rep, so that they count rows beyond the limit too. The error is
// that of w.
func Write(w io.Writer, rep *analyze.OpsReport, o Options) error {
	if len(rep.Rows) == 0 {
		return nil
	}
	t := newTable(rep, o)
	b := bufio.NewWriter(w)
	t.head(b)
	for _, r := range t.sorted() {
		t.row(b, r)
	}
	t.foot(b)
	return b.Flush()
}

// sorted returns the rows to print, in their order.
func (t *table) sorted() []*analyze.OpsRow {
	rows := make([]*analyze.OpsRow, len(t.rep.Rows))
	for i := range rows {
		rows[i] = &t.rep.Rows[i]
	}
	if key := sortKey(t.Sort); key != nil {
		slices.SortStableFunc(rows, func(a, b *analyze.OpsRow) int {
			x, y := key(a), key(b)
			switch {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
	}
	limit := t.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit > 0 && limit < len(rows) {
		rows = rows[:limit]
	}
	return rows
}

// sortKey returns the value that a column sorts by; nil keeps the order.
func sortKey(by analyze.OpsSort) func(*analyze.OpsRow) int64 {
	switch by {
	case "", analyze.SortSelfDevice:
		return func(r *analyze.OpsRow) int64 { return value(r.SelfDevice) }
	case analyze.SortDevice:
		return func(r *analyze.OpsRow) int64 { return value(r.Device) }
	case analyze.SortSelfCPU:
		return func(r *analyze.OpsRow) int64 { return r.SelfCPU }
	case analyze.SortCPU:
		return func(r *analyze.OpsRow) int64 { return r.CPU }
	case analyze.SortCount:
		return func(r *analyze.OpsRow) int64 { return r.Count }
	case analyze.SortSelfCPUMemory:
		return func(r *analyze.OpsRow) int64 { return value(r.SelfCPUMemory) }
	case analyze.SortCPUMemory:
		return func(r *analyze.OpsRow) int64 { return value(r.CPUMemory) }
	case analyze.SortSelfDeviceMemory:
		return func(r *analyze.OpsRow) int64 { return value(r.SelfDeviceMemory) }
	case analyze.SortDeviceMemory:
		return func(r *analyze.OpsRow) int64 { return value(r.DeviceMemory) }
	case analyze.SortFLOPs:
		return func(r *analyze.OpsRow) int64 { return value(r.FLOPs) }
	}
	return nil
}
