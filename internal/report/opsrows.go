package report

import (
	"cmp"
	"slices"
	"strings"

	"reel/analyze"
	"reel/table"
)

// OpsRows is the operator table with every column, for programs.
func OpsRows(r *analyze.OpsReport) *table.Table {
	t := table.New("ops", table.Col{Name: "name", Unit: table.Text}, table.Col{Name: "device_type", Key: "device_type", Unit: table.Text},
		table.Col{Name: "annotation"})
	for _, c := range opsColumns {
		t.Cols = append(t.Cols, c.Col)
	}
	t.Cols = append(t.Cols, table.Col{Name: "input_shapes", Key: "input_shapes", Unit: table.Text}, table.Col{Name: "stack", Unit: table.Text})
	for i := range r.Rows {
		o := &r.Rows[i]
		row := []any{o.Name, o.DeviceType, 0}
		if o.Annotation {
			row[2] = 1
		}
		for _, c := range opsColumns {
			row = append(row, c.get(o))
		}
		t.Add(append(row, o.InputShapes, strings.Join(o.Stack, ";"))...)
	}
	return t
}

// MergeOps adds up the whole operator tables of several ranks, orders the rows
// as the tables are ordered, and keeps limit of them (0 is all).
func MergeOps(all []*analyze.OpsReport, limit int) *analyze.OpsReport {
	sum := *all[0]
	sum.Rows, sum.Notes, sum.SelfCPU, sum.SelfDevice = nil, nil, 0, nil
	at := map[string]int{}
	for _, r := range all {
		sum.SelfCPU += r.SelfCPU
		sum.SelfDevice = plus(sum.SelfDevice, r.SelfDevice)
		for _, n := range r.Notes {
			if !slices.Contains(sum.Notes, n) {
				sum.Notes = append(sum.Notes, n)
			}
		}
		if r.SelfDevice != nil {
			sum.Sort = r.Sort // a rank without device activities sorts by CPU time
		}
		for _, row := range r.Rows {
			key := strings.Join(append([]string{row.Name, row.DeviceType, row.InputShapes}, row.Stack...), "\x00")
			if row.Annotation {
				key += "\x00@"
			}
			i, ok := at[key]
			if !ok {
				at[key] = len(sum.Rows)
				sum.Rows = append(sum.Rows, row)
				continue
			}
			addOps(&sum.Rows[i], &row)
		}
	}
	orderOps(sum.Rows, sum.Sort)
	sum.RowsTotal = len(sum.Rows)
	if limit > 0 && limit < len(sum.Rows) {
		sum.Rows = sum.Rows[:limit]
	}
	if sum.Rows == nil {
		sum.Rows = []analyze.OpsRow{}
	}
	return &sum
}

// addOps adds another rank's row.
func addOps(a, b *analyze.OpsRow) {
	a.Count += b.Count
	a.SelfCPU += b.SelfCPU
	a.CPU += b.CPU
	for _, f := range [][2]**int64{{&a.SelfDevice, &b.SelfDevice}, {&a.Device, &b.Device}, {&a.SelfCPUMemory, &b.SelfCPUMemory},
		{&a.CPUMemory, &b.CPUMemory}, {&a.SelfDeviceMemory, &b.SelfDeviceMemory}, {&a.DeviceMemory, &b.DeviceMemory}, {&a.FLOPs, &b.FLOPs}} {
		*f[0] = plus(*f[0], *f[1])
	}
}

// plus adds numbers that may be absent.
func plus(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	v := *a + *b
	return &v
}

// orderOps sorts rows as analyze.Ops does: by a column, largest first, absent
// values last, then by what tells rows apart.
func orderOps(rows []analyze.OpsRow, by analyze.OpsSort) {
	i := slices.IndexFunc(opsColumns, func(c opsColumn) bool { return c.sort == by })
	number := func(r *analyze.OpsRow) table.Cell {
		if i < 0 {
			return table.Absent
		}
		return table.Of(opsColumns[i].get(r))
	}
	slices.SortStableFunc(rows, func(a, b analyze.OpsRow) int {
		x, y := number(&a), number(&b)
		if x.IsAbsent() != y.IsAbsent() {
			return table.Compare(x, y)
		}
		return cmp.Or(table.Compare(y, x), strings.Compare(a.Name, b.Name), strings.Compare(a.DeviceType, b.DeviceType),
			strings.Compare(a.InputShapes, b.InputShapes), slices.Compare(a.Stack, b.Stack))
	})
}
