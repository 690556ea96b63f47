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
func (b *builder) attribute(t *Timeline, launches, ops *idMap) {
	a := &t.Activities
	for i := range a.Start {
		row := b.acts.at(ref(a.Launch[i]))
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
func (b *builder) index(order []ref) (launches, ops *idMap) {
	needOps := false
	for _, blk := range b.acts.full.b {
		for i := range blk {
			needOps = needOps || blk[i].op != 0
		}
	}
	var calls, operators idRange
	for _, x := range order {
		if x&^placeOf == isLean {
			continue
		}
		if row := b.host.at(x); isCall(row.tag.class()) {
			calls.add(row.link)
		} else if needOps {
			operators.add(row.op)
		}
	}
	launches, ops = newIDMap(calls), newIDMap(operators)
	for i, x := range order {
		if x&^placeOf == isLean {
			continue
		}
		if row := b.host.at(x); isCall(row.tag.class()) {
			launches.put(row.link, RangeID(i))
		} else if needOps {
			ops.put(row.op, RangeID(i))
		}
	}
	return launches, ops
}

func isCall(c event.Class) bool { return c == event.Runtime || c == event.Driver }

// idRange is how many ids there are, and the least and the greatest.
type idRange struct {
	n      int
	lo, hi int64
}

func (r *idRange) add(id int64) {
	if id == 0 {
		return
	}
	if r.n == 0 {
		r.lo, r.hi = id, id
	}
	r.n++
	r.lo, r.hi = min(r.lo, id), max(r.hi, id)
}

// idMap maps ids to ranges: open addressing, no pointers. The first range put
// under an id stays: ranges come in the order of their start within a thread,
// and a driver call that repeats its runtime call's correlation lies inside it.
//
// Ids that are counted up, as most producers do, need no keys: val is then by id.
type idMap struct {
	key   []int64 // nil when val is by id
	val   []RangeID
	lo    int64 // the least id, where val is by id
	mask  uint64
	shift int // keeps the top bits of the product, on which every bit of an id tells
}

// loose is how much longer than the ids are many a table by id may be: beside a
// table with keys, which is at least half empty and has 12 bytes to a place, it is small.
const loose = 4

func newIDMap(ids idRange) *idMap {
	if span := uint64(ids.hi-ids.lo) + 1; ids.n > 0 && span-1 < uint64(ids.n)*loose {
		m := &idMap{val: make([]RangeID, span), lo: ids.lo}
		for i := range m.val {
			m.val[i] = NoRange
		}
		return m
	}
	size := 16
	for size < ids.n*2 {
		size *= 2
	}
	return &idMap{key: make([]int64, size), val: make([]RangeID, size), mask: uint64(size - 1), shift: bits.LeadingZeros64(uint64(size - 1))}
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
	if m.key == nil {
		if p := &m.val[id-m.lo]; *p == NoRange {
			*p = r
		}
		return
	}
	if i := m.slot(id); m.key[i] == 0 {
		m.key[i], m.val[i] = id, r
	}
}

func (m *idMap) get(id int64) (RangeID, bool) {
	if id == 0 {
		return NoRange, false
	}
	if m.key == nil {
		if i := uint64(id - m.lo); id >= m.lo && i < uint64(len(m.val)) {
			return m.val[i], m.val[i] != NoRange
		}
		return NoRange, false
	}
	i := m.slot(id)
	return m.val[i], m.key[i] == id
}
