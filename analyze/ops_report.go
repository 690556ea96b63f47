package analyze

import (
	"fmt"
	"slices"

	"reel/event"
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
	row := OpsRow{Name: o.names.text(s.name), DeviceType: "cpu", Count: s.count, SelfCPU: s.selfCPU, CPU: s.cpu,
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

// notes says what makes the table less than it seems.
func (o *opsTable) notes() []string {
	var notes []string
	if o.unattributed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d device activities belong to no operator: they are in the device rows only", o.unattributed, o.work))
	}
	if n := o.tl.Linked.Unsound; n > 0 {
		notes = append(notes, fmt.Sprintf("%d device activities with impossible times are left out", n))
	}
	if o.pythonNests && slices.Contains(o.tl.Ranges.Class, event.Python) {
		notes = append(notes, "self times leave out the Python calls within, as PyTorch's do since 2.12")
	}
	if o.opt.By == OpsByShape && len(o.shapes.list) == 1 {
		notes = append(notes, "no input shapes in this trace: rows are by name")
	}
	if o.opt.By == OpsByStack && len(o.stacks.list) == 1 {
		notes = append(notes, "no Python calls in this trace: rows are by name")
	}
	return notes
}
