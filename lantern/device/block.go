package device

import (
	"cmp"
	"slices"
)

// freeList is the free blocks of a stream, by size and then by address.
type freeList struct{ blocks []*block }

func order(a, b *block) int {
	return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.addr(), b.addr()))
}

func (l *freeList) add(b *block) {
	i, _ := slices.BinarySearchFunc(l.blocks, b, order)
	l.blocks = slices.Insert(l.blocks, i, b)
}

func (l *freeList) remove(b *block) {
	if i, ok := slices.BinarySearchFunc(l.blocks, b, order); ok {
		l.blocks = slices.Delete(l.blocks, i, i+1)
	}
}

// fit takes the smallest block of size at least from the list.
func (l *freeList) fit(size int64) *block {
	i, _ := slices.BinarySearchFunc(l.blocks, size, func(b *block, size int64) int { return cmp.Or(cmp.Compare(b.size, size), 1) })
	if i == len(l.blocks) {
		return nil
	}
	b := l.blocks[i]
	l.blocks = slices.Delete(l.blocks, i, i+1)
	return b
}

func (a *allocator) list(stream int64, small bool) *freeList {
	k := listKey{stream, small}
	l := a.free[k]
	if l == nil {
		l = &freeList{}
		a.free[k] = l
	}
	return l
}

// alloc finds a block, or makes a segment. Under mu.
func (a *allocator) alloc(s *Stream, asked int64) (*block, error) {
	a.settle()
	size := (asked + roundTo - 1) / roundTo * roundTo
	small := size <= smallMax
	b := a.list(s.id, small).fit(size)
	if b == nil {
		seg, err := a.segment(s.id, size)
		if err != nil {
			return nil, err
		}
		b = seg.first
	}
	if rest := b.size - size; rest >= roundTo && (small || rest > leastRest) {
		r := a.block()
		r.seg, r.off, r.size, r.prev, r.next = b.seg, b.off+size, rest, b, b.next
		if r.next != nil {
			r.next.prev = r
		}
		b.next, b.size = r, size
		a.list(s.id, small).add(r)
	}
	b.used, b.asked, b.owner = true, asked, s
	b.gen.Add(1)
	a.stats.Allocs++
	a.stats.Allocated += b.size
	a.stats.AllocatedPeak = max(a.stats.AllocatedPeak, a.stats.Allocated)
	a.note(actAlloc, b.addr(), asked, s.id, b)
	return b, nil
}

// block returns a block that is no part of a segment. Those of before keep counting
// their generations, so that no Buffer mistakes one for its own. Under mu.
func (a *allocator) block() *block {
	n := len(a.spare)
	if n == 0 {
		return &block{}
	}
	b := a.spare[n-1]
	a.spare = a.spare[:n-1]
	return b
}

// segment takes memory from the system. Under mu.
func (a *allocator) segment(stream, size int64) (*segment, error) {
	small := size <= smallMax
	whole := int64(smallSize)
	switch {
	case small:
	case size <= mediumMax:
		whole = mediumSize
	default:
		whole = (size + largeRound - 1) / largeRound * largeRound
	}
	if a.stats.Reserved+whole > a.limit {
		a.trim()
	}
	if a.stats.Reserved+whole > a.limit {
		a.note(actOOM, 0, size, stream, nil)
		return nil, &OutOfMemory{Bytes: size, Allocated: a.stats.Allocated, Reserved: a.stats.Reserved, Limit: a.limit}
	}
	seg := &segment{addr: a.next, size: whole, data: make([]float32, whole/4), stream: stream, small: small}
	huge(seg.data)
	a.next += uint64(whole)
	seg.first = &block{seg: seg, size: whole}
	a.segs = append(a.segs, seg)
	a.stats.Reserved += whole
	a.stats.ReservedPeak = max(a.stats.ReservedPeak, a.stats.Reserved)
	a.note(actSegAlloc, seg.addr, whole, stream, nil)
	return seg, nil
}

// release frees a block that is in use, and returns the streams that use it too:
// it is to await them. Under mu.
func (a *allocator) release(b *block) []*Stream {
	b.used, b.waits = false, true
	b.gen.Add(1)
	a.stats.Allocated -= b.size
	a.note(actFreeAsked, b.addr(), b.asked, b.owner.id, nil)
	others := b.others
	b.others = nil
	if len(others) == 0 {
		a.reuse(b)
	}
	return others
}

// await keeps a freed block back until the streams have done what was launched on
// them. Not under mu: a full queue is waited for, and its work may need memory.
func (a *allocator) await(b *block, others []*Stream) {
	var events []*Event
	for _, s := range others {
		events = append(events, s.record())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	b.events = events
	a.waiting = append(a.waiting, b)
}

// settle frees the blocks that other streams have done with. Under mu.
func (a *allocator) settle() {
	a.waiting = slices.DeleteFunc(a.waiting, func(b *block) bool {
		for _, e := range b.events {
			if !e.Done() {
				return false
			}
		}
		b.events = nil
		a.reuse(b)
		return true
	})
}

// reuse puts a block into its list, joined with its free neighbours. Under mu.
func (a *allocator) reuse(b *block) {
	a.note(actFreed, b.addr(), b.asked, b.owner.id, nil)
	b.waits = false
	l := a.list(b.seg.stream, b.seg.small)
	if n := b.next; n != nil && !n.used && !n.waits {
		l.remove(n)
		b.size, b.next = b.size+n.size, n.next
		if b.next != nil {
			b.next.prev = b
		}
		a.spare = append(a.spare, n)
	}
	if p := b.prev; p != nil && !p.used && !p.waits {
		l.remove(p)
		p.size, p.next = p.size+b.size, b.next
		if p.next != nil {
			p.next.prev = p
		}
		a.spare = append(a.spare, b)
		b = p
	}
	l.add(b)
}

// trim gives segments that are free as a whole back to the system. Under mu.
func (a *allocator) trim() {
	a.settle()
	a.segs = slices.DeleteFunc(a.segs, func(s *segment) bool {
		b := s.first
		if b.used || b.waits || b.next != nil {
			return false
		}
		a.list(s.stream, s.small).remove(b)
		a.stats.Reserved -= s.size
		a.note(actSegFree, s.addr, s.size, s.stream, nil)
		return true
	})
}

// EmptyCache gives memory that is not in use back to the system. Work that was
// launched and uses freed memory keeps it alive until it has run.
func (d *Device) EmptyCache() {
	d.mem.mu.Lock()
	defer d.mem.mu.Unlock()
	d.mem.trim()
}
