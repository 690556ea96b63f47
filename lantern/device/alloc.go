package device

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"reel/rec"
)

// Buffer is memory of the device, as float32. The zero Buffer has none. It is a
// value; of two calls of Free the second does nothing, and a Buffer that was freed
// shows no memory, even when its block serves another one.
type Buffer struct {
	b   *block
	gen uint32
	n   int
}

// OutOfMemory is the error of an allocation that finds no room.
type OutOfMemory struct {
	Bytes, Allocated, Reserved, Limit int64
}

// Error says how much was asked for and how much there is.
func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("device: out of memory: %d bytes were asked for; of %d bytes %d are reserved and %d in use", e.Bytes, e.Limit, e.Reserved, e.Allocated)
}

// MemoryStats counts bytes of the device's memory.
type MemoryStats struct {
	Allocated, AllocatedPeak int64 // in use
	Reserved, ReservedPeak   int64 // held by the allocator
	Segments                 int   // pieces that it holds
	Allocs                   int64 // allocations so far
}

// allocator is a caching allocator: what is freed is kept for the next allocation
// of the same stream, which work in order makes safe without waiting.
type allocator struct {
	limit int64

	mu      sync.Mutex
	free    map[listKey]*freeList
	segs    []*segment
	waiting []*block // freed, but in use on another stream
	spare   []*block // joined with others, to be used again
	next    uint64   // address of the next segment
	stats   MemoryStats
	hist    *history
}

// listKey names a list of free blocks.
type listKey struct {
	stream int64
	small  bool
}

// Sizes, bytes.
const (
	roundTo    = 512
	smallMax   = 1 << 20  // allocations up to this come from small segments
	smallSize  = 2 << 20  // of a small segment
	mediumMax  = 10 << 20 // allocations up to this come from segments of mediumSize
	mediumSize = 20 << 20
	largeRound = 2 << 20 // larger segments are multiples of it
	leastRest  = 1 << 20 // a rest of a large block is split off from this size on
	firstAddr  = 0x7f0000000000
)

// segment is memory that the allocator holds.
type segment struct {
	addr   uint64
	size   int64
	data   []float32
	stream int64
	small  bool
	first  *block
}

// block is a part of a segment, in use or free.
type block struct {
	seg        *segment
	off, size  int64 // bytes
	asked      int64 // bytes asked for
	prev, next *block
	gen        atomic.Uint32 // odd while in use: what a Buffer must know to see the memory
	used       bool
	waits      bool // freed, and in use on other streams
	owner      *Stream
	others     []*Stream // that use it too
	events     []*Event  // that it waits for
	calls      []uintptr // of the allocation, when history keeps them
}

func (b *block) addr() uint64 { return b.seg.addr + uint64(b.off) }

func newAllocator(limit int64) *allocator {
	return &allocator{limit: limit, free: map[listKey]*freeList{}, next: firstAddr}
}

// Alloc takes memory for n floats, whose content is unknown. Work on the stream may
// use it; other streams have to wait for an event and be told to UsedOn.
func (s *Stream) Alloc(ctx context.Context, n int) (Buffer, error) {
	if n < 0 || int64(n) > s.d.mem.limit/4 {
		return Buffer{}, &OutOfMemory{Bytes: 4 * int64(n), Limit: s.d.mem.limit}
	}
	a := s.d.mem
	a.mu.Lock()
	b, err := a.alloc(s, max(4*int64(n), 1))
	if err != nil {
		a.mu.Unlock()
		return Buffer{}, err
	}
	out, stats := Buffer{b, b.gen.Load(), n}, a.stats
	a.mu.Unlock()
	s.d.markMemory(ctx, b.addr(), b.size, stats)
	return out, nil
}

// Free gives the memory back. Work that was launched before may still use it.
func (f Buffer) Free(ctx context.Context) {
	if f.b == nil {
		return
	}
	d := f.b.owner.d
	a := d.mem
	a.mu.Lock()
	b := f.b
	if b.gen.Load() != f.gen {
		a.mu.Unlock()
		return
	}
	size, addr := b.size, b.addr()
	others := a.release(b)
	stats := a.stats
	a.mu.Unlock()
	if len(others) > 0 {
		a.await(b, others)
	}
	d.markMemory(ctx, addr, -size, stats)
}

// Data returns the memory: kernels read and write it. It is nil after Free, so that
// who launches takes it, and not the kernel.
func (f Buffer) Data() []float32 {
	if f.b == nil {
		return nil
	}
	if f.b.gen.Load() != f.gen {
		return nil
	}
	at := f.b.off / 4
	return f.b.seg.data[at : at+int64(f.n) : at+int64(f.n)]
}

// Len returns how many floats the buffer holds.
func (f Buffer) Len() int { return f.n }

// UsedOn says that work on another stream uses the memory, so that Free waits for
// what was launched there.
func (f Buffer) UsedOn(s *Stream) {
	if f.b == nil || f.b.owner == s {
		return
	}
	a := f.b.owner.d.mem
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.b.gen.Load() != f.gen {
		return
	}
	for _, o := range f.b.others {
		if o == s {
			return
		}
	}
	f.b.others = append(f.b.others, s)
}

// Memory returns what the device's memory is used for.
func (d *Device) Memory() MemoryStats {
	d.mem.mu.Lock()
	defer d.mem.mu.Unlock()
	s := d.mem.stats
	s.Segments = len(d.mem.segs)
	return s
}

// ResetPeak makes the present use the peak.
func (d *Device) ResetPeak() {
	d.mem.mu.Lock()
	defer d.mem.mu.Unlock()
	d.mem.stats.AllocatedPeak, d.mem.stats.ReservedPeak = d.mem.stats.Allocated, d.mem.stats.Reserved
}

// markMemory records an allocation or release, where that is asked for.
func (d *Device) markMemory(ctx context.Context, addr uint64, bytes int64, st MemoryStats) {
	if p := d.profiling(); p != nil && p.Memory {
		p.Recorder.Memory(ctx, rec.Memory{Bytes: bytes, Addr: addr, Device: d.opt.ID, Allocated: st.Allocated, Reserved: st.Reserved})
	}
}
