package analyze

import (
	"cmp"
	"fmt"
	"slices"
)

// report turns the sums into the table.
func (o *opsTable) report() OpsReport {
	rep := OpsReport{Schema: "reel.ops/1", By: o.opt.By, Sort: o.opt.Sort, Rows: make([]OpsRow, 0, len(o.rows)), RowsTotal: len(o.rows)}
	var device int64
	for i := range o.rows {
		s := &o.rows[i]
		rep.SelfCPU += s.selfCPU
		if s.kind == opsDevice {
			device += s.selfDevice
		}
		rep.Rows = append(rep.Rows, o.finished(s))
	}
	if o.hasDevice {
		rep.SelfDevice = &device
	}
	if rep.Sort == "" {
		if rep.Sort = SortSelfCPU; o.hasDevice {
			rep.Sort = SortSelfDevice
		}
	}
	opsOrder(rep.Rows, rep.Sort)
	if n := o.opt.Limit; n > 0 && n < len(rep.Rows) {
		rep.Rows = slices.Clip(rep.Rows[:n])
	}
	rep.Notes = o.notes()
	return rep
}

// finished gives a row its public form.
func (o *opsTable) finished(s *opsSum) OpsRow {
	row := OpsRow{Name: o.name(s.name), DeviceType: "cpu", Count: s.count, SelfCPU: s.selfCPU, CPU: s.cpu,
		InputShapes: o.shapes.list[s.shape], Stack: o.stacks.list[s.stack],
		Annotation: s.kind == opsHostAnnotation || s.kind == opsDeviceAnnotation}
	if o.hasDevice {
		row.SelfDevice, row.Device = new(s.selfDevice), new(s.device)
	}
	if s.kind == opsDevice || s.kind == opsDeviceAnnotation {
		row.DeviceType = "device"
		return row
	}
	if o.memory.hasHost || o.memory.hasDevice {
		row.SelfCPUMemory, row.CPUMemory = new(s.selfMemory.host), new(s.memory.host)
	}
	if o.memory.hasDevice {
		row.SelfDeviceMemory, row.DeviceMemory = new(s.selfMemory.device), new(s.memory.device)
	}
	if s.flops > 0 {
		row.FLOPs = new(s.flops)
	}
	return row
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

// notes says what makes the table less than it seems.
func (o *opsTable) notes() []string {
	var notes []string
	if o.unattributed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d device activities belong to no operator: they are in the device rows only", o.unattributed, o.work))
	}
	if n := o.tl.Linked.Unsound; n > 0 {
		notes = append(notes, fmt.Sprintf("%d device activities with impossible times are left out", n))
	}
	if o.opt.By == OpsByShape && len(o.shapes.list) == 1 {
		notes = append(notes, "no input shapes in this trace: rows are by name")
	}
	if o.opt.By == OpsByStack && len(o.stacks.list) == 1 {
		notes = append(notes, "no Python calls in this trace: rows are by name")
	}
	return notes
}
