package device

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"unsafe"
)

// SnapshotName is the name that a snapshot's file has for a rank, as vLLM-Omni names
// those of PyTorch.
func SnapshotName(rank int) string { return fmt.Sprintf("memory_snapshot_rank%d.pickle", rank) }

// maxSnapshotDevice bounds the device numbers of snapshots: their lists begin at 0.
const maxSnapshotDevice = 255

// WriteSnapshot writes the state of the allocator, and the history that
// RecordHistory keeps, as torch.cuda.memory._dump_snapshot does: for Python's pickle,
// python -m torch.cuda._memory_viz and the page pytorch.org/memory_viz. Work goes on
// meanwhile, allocations wait.
func (d *Device) WriteSnapshot(w io.Writer) error {
	if d.opt.ID < 0 || d.opt.ID > maxSnapshotDevice {
		return fmt.Errorf("device: a memory snapshot has no place for device %d: its number must be 0 to %d", d.opt.ID, maxSnapshotDevice)
	}
	d.mem.mu.Lock()
	defer d.mem.mu.Unlock()
	d.mem.settle()
	s := &snapshot{pickler: newPickler(w), a: d.mem, device: d.opt.ID, stacks: map[string]uint32{}, functions: map[uintptr][]frame{}}
	s.dict(func() {
		s.str("segments")
		segs := slices.SortedFunc(slices.Values(d.mem.segs), func(a, b *segment) int { return int(int64(a.addr) - int64(b.addr)) })
		s.list(len(segs), func(i int) { s.segment(segs[i]) })
		s.str("device_traces")
		s.list(int(d.opt.ID)+1, func(i int) { s.trace(int64(i) == d.opt.ID) })
		s.str("external_annotations")
		s.list(0, nil)
		s.str("allocator_settings")
		s.dict(func() {})
	})
	if err := s.close(); err != nil {
		return fmt.Errorf("device: memory snapshot: %w", err)
	}
	return nil
}

// snapshot is one being written.
type snapshot struct {
	*pickler
	a         *allocator
	device    int64
	stacks    map[string]uint32 // numbers of lists of calls
	functions map[uintptr][]frame
}

// frame is a call of a stack.
type frame struct {
	file, function string
	line           int
}

func (s *snapshot) field(key string, v int64) {
	s.str(key)
	s.int(v)
}

// segment writes a segment with its blocks.
func (s *snapshot) segment(g *segment) {
	var blocks []*block
	var allocated, active, asked int64
	for b := g.first; b != nil; b = b.next {
		blocks = append(blocks, b)
		if b.used {
			allocated, asked = allocated+b.size, asked+b.asked
		}
		if b.used || b.waits {
			active += b.size
		}
	}
	kind := "large"
	if g.small {
		kind = "small"
	}
	s.dict(func() {
		s.field("device", s.device)
		s.field("address", int64(g.addr))
		s.field("total_size", g.size)
		s.field("allocated_size", allocated)
		s.field("active_size", active)
		s.field("requested_size", asked)
		s.field("stream", g.stream)
		s.str("segment_type")
		s.str(kind)
		s.str("segment_pool_id")
		s.int(0)
		s.int(0)
		s.w.WriteByte(opTuple2)
		s.str("is_expandable")
		s.bool(false)
		s.str("frames")
		s.calls(nil)
		s.str("blocks")
		s.list(len(blocks), func(i int) { s.block(blocks[i]) })
	})
}

func (s *snapshot) block(b *block) {
	state, asked, calls := "inactive", b.size, []uintptr(nil)
	switch {
	case b.used:
		state, asked, calls = "active_allocated", b.asked, b.calls
	case b.waits:
		state, asked = "active_pending_free", b.asked
	}
	s.dict(func() {
		s.field("address", int64(b.addr()))
		s.field("size", b.size)
		s.field("requested_size", asked)
		s.str("state")
		s.str(state)
		s.str("frames")
		s.calls(calls)
	})
}

// trace writes the history; other devices have none.
func (s *snapshot) trace(ours bool) {
	h := s.a.hist
	if !ours || h == nil {
		s.list(0, nil)
		return
	}
	s.list(len(h.entries), func(i int) {
		e := h.entries[(h.at+i)%len(h.entries)]
		s.dict(func() {
			s.str("action")
			s.str(e.action)
			if e.action == actOOM {
				s.field("device_free", s.a.limit-s.a.stats.Reserved)
			} else {
				s.field("addr", int64(e.addr))
			}
			s.field("size", e.size)
			s.field("stream", e.stream)
			s.field("time_us", e.time)
			s.str("frames")
			s.calls(e.calls)
		})
	})
}

// calls writes the calls of a stack, the innermost first; each stack once.
func (s *snapshot) calls(pcs []uintptr) {
	key := ""
	if len(pcs) > 0 {
		key = string(unsafe.Slice((*byte)(unsafe.Pointer(&pcs[0])), len(pcs)*int(unsafe.Sizeof(pcs[0]))))
	}
	if id, ok := s.stacks[key]; ok {
		s.get(id)
		return
	}
	var list []frame
	for _, pc := range pcs {
		list = append(list, s.frames(pc)...)
	}
	s.list(len(list), func(i int) {
		s.dict(func() {
			s.str("filename")
			s.str(list[i].file)
			s.field("line", int64(list[i].line))
			s.str("name")
			s.str(list[i].function)
		})
	})
	s.stacks[key] = s.remember()
}

// frames returns the calls at a program counter: several where functions are inlined.
func (s *snapshot) frames(pc uintptr) []frame {
	list, ok := s.functions[pc]
	if ok {
		return list
	}
	it := runtime.CallersFrames([]uintptr{pc})
	for {
		f, more := it.Next()
		if f.Function != "" {
			list = append(list, frame{f.File, f.Function, f.Line})
		}
		if !more {
			break
		}
	}
	s.functions[pc] = list
	return list
}
