package analyze

import (
	"slices"

	"reel/event"
	"reel/timeline"
)

// opsTree nests the ranges of one thread by torch.profiler's rule and gives
// each, once it is finished, to the table. Ranges come by start, the longest first.
//
// The top of the stack is the parent of a range that lies wholly inside it;
// otherwise it is finished, and the next one is tried. So ranges that overlap in
// part are unrelated. The stack is always the chain of the top's ancestors.
//
// A range that has its parent's name and is its only child is dropped; the parent
// takes over its children and its device activities in place of its own.
type opsTree struct {
	o     *opsTable
	stack []opsFrame
}

// opsNode is a range with the sums over its direct children.
type opsNode struct {
	r                     timeline.RangeID // NoRange: a mark that takes part
	name                  timeline.NameID
	class                 event.Class
	alone                 bool // neither nests nor has self times
	start, end            int64
	childCPU, childDevice int64
	kernels               int64 // device time of its own activities
	memory, childMemory   opsBytes
}

// opsFrame is a range that may still get children. Its first child waits in
// only, when it has the same name, until it is clear whether it is dropped.
type opsFrame struct {
	opsNode
	children int
	waits    bool
	only     opsNode
}

func (t *opsTree) push(n opsNode) {
	for len(t.stack) > 0 {
		if top := &t.stack[len(t.stack)-1]; n.start < top.end && n.end <= top.end {
			break
		}
		t.pop()
	}
	if len(t.stack) > 0 {
		p := &t.stack[len(t.stack)-1]
		p.children++
		p.childCPU += n.end - n.start
		p.childMemory.add(n.memory, 1)
		if p.waits {
			t.o.emit(&p.only)
			p.waits = false
		}
	} else {
		t.o.memory.claim(n.start, n.end)
	}
	t.stack = slices.Grow(t.stack, 1)[:len(t.stack)+1] // an earlier frame's only is not read
	f := &t.stack[len(t.stack)-1]
	f.opsNode, f.children, f.waits = n, 0, false
}

func (t *opsTree) pop() {
	f := &t.stack[len(t.stack)-1] // stands until the next push
	t.stack = t.stack[:len(t.stack)-1]
	if f.waits {
		f.childCPU, f.childDevice, f.childMemory = f.only.childCPU, f.only.childDevice, f.only.childMemory
		f.kernels = f.only.kernels
	}
	if len(t.stack) == 0 {
		t.o.emit(&f.opsNode)
		return
	}
	p := &t.stack[len(t.stack)-1]
	p.childDevice += f.kernels + f.childDevice
	if p.children == 1 && p.name == f.name {
		p.waits, p.only = true, f.opsNode
		return
	}
	t.o.emit(&f.opsNode)
}

func (t *opsTree) finish() {
	for len(t.stack) > 0 {
		t.pop()
	}
}

func (t *opsTree) pushAll(list []opsNode) {
	for _, n := range list {
		t.push(n)
	}
}
