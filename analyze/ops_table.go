package analyze

import (
	"reel/event"
	"reel/timeline"
)

// opsKind tells apart rows of one name.
type opsKind uint8

const (
	opsHost opsKind = iota
	opsHostAnnotation
	opsDevice
	opsDeviceAnnotation
	numOpsKinds
)

// opsKey identifies a row. name is an id of the timeline or one of the extra
// names; shape and stack are ids of their tables, 0 is none.
type opsKey struct {
	name         timeline.NameID
	kind         opsKind
	shape, stack uint32
}

// opsSum is a row while it grows.
type opsSum struct {
	opsKey
	count, selfCPU, cpu, selfDevice, device, flops int64
	selfMemory, memory                             opsBytes
}

// opsTable holds the rows of one table in the making.
type opsTable struct {
	tl    *timeline.Timeline
	opt   OpsOptions
	rows  []opsSum
	plain []int32 // row+1 by name and kind, for keys without shape and stack
	index map[opsKey]int32

	names  opsNames
	shapes opsShapes
	stacks opsStacks
	memory *opsMemory

	unfinished  []timeline.NameID // the argument; nil when not kept
	pythonNests bool              // Python calls take part in the nesting

	kernels      []opsKernel
	hasDevice    bool
	unattributed int // activities of work without an owner
	work         int // activities of work
}

func newOpsTable(tl *timeline.Timeline, opt OpsOptions) *opsTable {
	o := &opsTable{tl: tl, opt: opt, index: map[opsKey]int32{}, names: newOpsNames(tl), shapes: newOpsShapes(tl),
		memory: newOpsMemory(tl), unfinished: tl.RangeArg(argFinished), pythonNests: OpsCountsPython(tl.Info)}
	o.stacks = newOpsStacks(tl, opt)
	o.plain = make([]int32, (tl.Names()+len(o.names.extra)+4)*int(numOpsKinds)) // "[memory]" and the like come later
	o.gatherKernels()
	return o
}

// row returns the row of a key, adding it when it is new.
func (o *opsTable) row(k opsKey) *opsSum {
	if k.shape == 0 && k.stack == 0 {
		at := &o.plain[int(k.name)*int(numOpsKinds)+int(k.kind)]
		if *at == 0 {
			o.rows = append(o.rows, opsSum{opsKey: k})
			*at = int32(len(o.rows))
		}
		return &o.rows[*at-1]
	}
	at, ok := o.index[k]
	if !ok {
		at = int32(len(o.rows))
		o.index[k] = at
		o.rows = append(o.rows, opsSum{opsKey: k})
	}
	return &o.rows[at]
}

// emit adds a finished range to its row.
func (o *opsTable) emit(n *opsNode) {
	k := opsKey{name: n.name}
	switch n.class {
	case event.Python:
		return
	case event.Annotation:
		k.kind = opsHostAnnotation
	}
	if n.r != timeline.NoRange {
		switch o.opt.By {
		case OpsByShape:
			k.shape = o.shapes.of(n.r)
		case OpsByStack:
			k.stack = o.stacks.of(n.r)
		}
	}
	row := o.row(k)
	row.count++
	row.cpu += n.end - n.start
	row.memory.add(n.memory, 1)
	if n.class == event.Op && n.r != timeline.NoRange {
		row.flops += o.shapes.flops(o.names.text(n.name), n.r)
	}
	if n.alone {
		return
	}
	row.selfCPU += n.end - n.start - n.childCPU
	row.selfDevice += n.kernels
	row.device += n.kernels + n.childDevice
	row.selfMemory.add(n.memory, 1)
	row.selfMemory.add(n.childMemory, -1)
}
