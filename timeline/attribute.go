package timeline

import (
	"math/bits"

	"reel/event"
)

// attribute links each activity to its launch and to the innermost operator or
// annotation around the launch. One rule, for every producer:
//
//  1. correlation -> the runtime or driver call with that correlation -> the
//     innermost operator or annotation that holds the call on its thread;
//  2. without such a call, the operator whose id the activity carries, unless
//     that id is just its own correlation again (PyTorch up to 2.5 wrote that);
//  3. otherwise it stays unattributed, and is counted.
func (b *builder) attribute(t *Timeline, order []uint32) {
	launches, ops := b.index(order)
	a := &t.Activities
	for i := range a.Start {
		row := b.acts.at(uint32(a.Launch[i]))
		a.Launch[i] = NoRange
		if row.link != 0 {
			if l, ok := launches.get(row.link); ok {
				a.Launch[i], a.Owner[i] = l, t.owner(l)
			}
		}
		if a.Launch[i] == NoRange && row.op != 0 && row.op != row.link {
			if o, ok := ops.get(row.op); ok {
				a.Owner[i] = o
			}
		}
	}
}

// count tells how the activities were attributed.
func (t *Timeline) count() {
	a := &t.Activities
	for i, c := range a.Class {
		switch {
		case !c.IsWork():
		case a.Launch[i] != NoRange:
			t.Linked.ByLaunch++
		case a.Owner[i] != NoRange:
			t.Linked.ByOp++
		default:
			t.Linked.None++
		}
	}
}

// owner returns the innermost operator or annotation that holds r.
func (t *Timeline) owner(r RangeID) RangeID {
	for r != NoRange {
		if c := t.Ranges.Class[r]; c == event.Op || c == event.Annotation || c == event.OtherRange {
			return r
		}
		r = t.Ranges.Parent[r]
	}
	return NoRange
}

// index maps correlations to launch calls and operator ids to operators.
func (b *builder) index(order []uint32) (launches, ops *idMap) {
	var nl, no int
	needOps := false
	for _, blk := range b.acts.b {
		for i := range blk {
			needOps = needOps || blk[i].op != 0
		}
	}
	for _, blk := range b.host.b {
		for i := range blk {
			switch blk[i].class {
			case event.Runtime, event.Driver:
				nl++
			default:
				no++
			}
		}
	}
	if !needOps {
		no = 0
	}
	launches, ops = newIDMap(nl), newIDMap(no)
	for i, x := range order {
		if x&pyBit != 0 {
			continue
		}
		row := b.host.at(x)
		switch {
		case row.class == event.Runtime || row.class == event.Driver:
			launches.put(row.link, RangeID(i))
		case needOps:
			ops.put(row.op, RangeID(i))
		}
	}
	return launches, ops
}

// idMap maps ids to ranges: open addressing, no pointers. The first range put
// under an id stays: ranges come in the order of their start within a thread,
// and a driver call that repeats its runtime call's correlation lies inside it.
type idMap struct {
	key   []int64
	val   []RangeID
	mask  uint64
	shift int // keeps the top bits of the product, on which every bit of an id tells
}

func newIDMap(n int) *idMap {
	size := 16
	for size < n*2 {
		size *= 2
	}
	return &idMap{make([]int64, size), make([]RangeID, size), uint64(size - 1), bits.LeadingZeros64(uint64(size - 1))}
}

func (m *idMap) slot(id int64) uint64 {
	i := uint64(id) * 0x9E3779B97F4A7C15 >> m.shift
	for m.key[i] != 0 && m.key[i] != id {
		i = (i + 1) & m.mask
	}
	return i
}

func (m *idMap) put(id int64, r RangeID) {
	if id == 0 {
		return
	}
	if i := m.slot(id); m.key[i] == 0 {
		m.key[i], m.val[i] = id, r
	}
}

func (m *idMap) get(id int64) (RangeID, bool) {
	i := m.slot(id)
	return m.val[i], m.key[i] == id
}
