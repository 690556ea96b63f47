package analyze

import (
	"strings"

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

// opsBytes are bytes allocated minus released.
type opsBytes struct{ host, device int64 }

func (b *opsBytes) add(x opsBytes, sign int64) {
	b.host += sign * x.host
	b.device += sign * x.device
}

// opsTable holds the rows of one table in the making.
type opsTable struct {
	tl    *timeline.Timeline
	opt   OpsOptions
	rows  []opsSum
	plain []int32 // row+1 by name and kind, for keys without shape and stack
	index map[opsKey]int32

	names  []timeline.NameID // by name: the name its rows go by, or opsDropped
	extra  []string          // names that the trace does not hold, from tl.Names() on
	shapes opsShapes
	stacks opsStacks
	memory *opsMemory

	kernels      []opsKernel
	hasDevice    bool
	unattributed int // activities of work without an owner
	work         int // activities of work
}

// opsDropped marks names that torch.profiler leaves out.
const opsDropped = ^timeline.NameID(0)

var opsDroppedNames = []string{"[memory]", "[OutOfMemory]", "profiler::_record_function_enter",
	"profiler::_record_function_enter_new", "profiler::_record_function_exit",
	"aten::is_leaf", "aten::output_nr", "aten::_version"}

const (
	opsStepPrefix = "ProfilerStep#"
	opsStepName   = "ProfilerStep*"
)

func newOpsTable(tl *timeline.Timeline, opt OpsOptions) *opsTable {
	o := &opsTable{tl: tl, opt: opt, index: map[opsKey]int32{}, names: make([]timeline.NameID, tl.Names()),
		shapes: newOpsShapes(tl), stacks: newOpsStacks(tl, opt.Calls), memory: newOpsMemory(tl)}
	dropped := map[string]bool{}
	for _, n := range opsDroppedNames {
		dropped[n] = true
	}
	steps := opsDropped
	for id := range o.names {
		name := tl.Name(timeline.NameID(id))
		o.names[id] = timeline.NameID(id)
		switch {
		case dropped[name]:
			o.names[id] = opsDropped
		case strings.HasPrefix(name, opsStepPrefix) || name == opsStepName:
			if steps == opsDropped {
				steps = o.extraName(opsStepName)
			}
			o.names[id] = steps
		}
	}
	o.plain = make([]int32, (len(o.names)+16)*int(numOpsKinds))
	o.gatherKernels()
	return o
}

// extraName adds a name for rows that the trace does not hold.
func (o *opsTable) extraName(name string) timeline.NameID {
	o.extra = append(o.extra, name)
	return timeline.NameID(o.tl.Names() + len(o.extra) - 1)
}

// name returns the text of a row's name.
func (o *opsTable) name(id timeline.NameID) string {
	if k := int(id) - o.tl.Names(); k >= 0 {
		return o.extra[k]
	}
	return o.tl.Name(id)
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
	if o.tl.Ranges.Class[n.r] == event.Annotation {
		k.kind = opsHostAnnotation
	}
	switch o.opt.By {
	case OpsByShape:
		k.shape = o.shapes.of(n.r)
	case OpsByStack:
		k.stack = o.stacks.of(n.r)
	}
	row := o.row(k)
	row.count++
	row.cpu += n.end - n.start
	row.selfCPU += n.end - n.start - n.childCPU
	row.selfDevice += n.kernels
	row.device += n.kernels + n.childDevice
	row.memory.add(n.memory, 1)
	row.selfMemory.add(n.memory, 1)
	row.selfMemory.add(n.childMemory, -1)
	row.flops += o.shapes.flops(o.tl.Name(n.name), n.r)
}
