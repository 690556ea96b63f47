package rec

import (
	"sync"

	"reel/reelfile"
)

// Range is a range that has begun. The zero Range is off: ending it does nothing.
// It is a value of two words and costs no allocation; of two calls of End the
// second does nothing.
type Range struct {
	o   *open
	gen uint64 // of o, which is used again
}

// open is what a range needs to end. Recorder.Range is small enough to be inlined,
// so that its open lies in the caller's frame; others come from a pool.
type open struct {
	clock *reelfile.Clock // nil when nothing is recorded
	slot  reelfile.Slot
	more  Ender
	gen   uint64 // counts the ends
	home  *box   // where it lies in the pool's; nil elsewhere
}

// box is an open of the pool. An open names its box, and not itself, to go back:
// so the compiler sees that those of the stack do not escape.
type box struct{ open }

var boxes = sync.Pool{New: func() any {
	b := &box{}
	b.home = b
	return b
}}

// newRange takes an open from the pool.
func newRange() (*open, Range) {
	b := boxes.Get().(*box)
	return &b.open, Range{&b.open, b.gen}
}

// Ender is what ends beside a range: a region of runtime/trace is one.
type Ender interface{ End() }

// RangeOf makes a Range that ends e: the way for a Profiler of one's own.
func RangeOf(e Ender) Range {
	o, g := newRange()
	o.more = e
	return g
}

// End ends the range.
func (g Range) End() {
	if g.o != nil {
		g.o.end(g.gen)
	}
}

func (o *open) end(gen uint64) {
	if o.gen != gen {
		return
	}
	o.gen++
	if o.more != nil {
		o.endMore()
	}
	if o.clock != nil {
		o.slot.End(o.clock.Now())
	}
	if h := o.home; h != nil {
		o.clock = nil
		boxes.Put(h)
	}
}

func (o *open) endMore() {
	more := o.more
	o.more = nil
	more.End()
}

// Recorded reports whether anything keeps the range.
func (g Range) Recorded() bool { return g.o != nil }

// take returns *g and leaves one that is off.
func (g *Range) take() Range {
	out := *g
	*g = Range{}
	return out
}

// enders end in the order in which they stand.
type enders []Ender

func (es enders) End() {
	for _, e := range es {
		e.End()
	}
}

// both makes one Range of an outer and an inner one.
func both(outer, inner Range) Range {
	switch {
	case inner.o == nil:
		return outer
	case outer.o == nil:
		return inner
	case outer.o.more != nil:
		outer.o.more = enders{inner, outer.o.more}
	case inner.o.clock == nil && inner.o.home != nil: // only something else that ends: outer takes it over
		outer.o.more, inner.o.more = inner.o.more, nil
		inner.End()
	default:
		outer.o.more = inner
	}
	return outer
}
