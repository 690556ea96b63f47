package device

import (
	"runtime"

	"reel/rec"
)

// What happens to memory, in PyTorch's words.
const (
	actAlloc     = "alloc"
	actFreeAsked = "free_requested"
	actFreed     = "free_completed"
	actSegAlloc  = "segment_alloc"
	actSegFree   = "segment_free"
	actOOM       = "oom"
)

// historyEntries is how many entries a history keeps when nobody says: PyTorch's
// profiling in vLLM-Omni keeps as many.
const historyEntries = 100_000

// maxCalls bounds the calls of a stack.
const maxCalls = 32

// HistoryOptions says what a history keeps.
type HistoryOptions struct {
	Entries int  // the latest so many; 0 is 100,000
	Stacks  bool // the Go calls that led to them
}

// history is the latest entries, in a ring.
type history struct {
	opt     HistoryOptions
	entries []entry
	at      int // of the oldest, when full
}

// entry is something that happened to memory.
type entry struct {
	action string
	addr   uint64
	size   int64
	stream int64
	time   int64 // µs
	calls  []uintptr
}

// RecordHistory keeps a history of allocations and releases from now on, for
// Snapshot; nil ends that and drops it.
func (d *Device) RecordHistory(opt *HistoryOptions) {
	d.mem.mu.Lock()
	defer d.mem.mu.Unlock()
	d.mem.hist = nil
	if opt != nil {
		h := &history{opt: *opt}
		if h.opt.Entries <= 0 {
			h.opt.Entries = historyEntries
		}
		d.mem.hist = h
	}
}

// note keeps an entry, and the calls with block b. Under mu.
func (a *allocator) note(action string, addr uint64, size, stream int64, b *block) {
	if b != nil {
		b.calls = nil
	}
	h := a.hist
	if h == nil {
		return
	}
	e := entry{action: action, addr: addr, size: size, stream: stream, time: int64(rec.Now()) / 1000}
	if h.opt.Stacks {
		pcs := make([]uintptr, maxCalls)
		e.calls = pcs[:runtime.Callers(3, pcs)]
		if b != nil {
			b.calls = e.calls
		}
	}
	if len(h.entries) < h.opt.Entries {
		h.entries = append(h.entries, e)
		return
	}
	h.entries[h.at] = e
	h.at = (h.at + 1) % len(h.entries)
}
