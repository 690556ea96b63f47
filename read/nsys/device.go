package nsys

import (
	"fmt"

	"reel/event"
	"reel/internal/sqlite"
)

// The first columns of every table of work on a device.
const (
	dStart = iota
	dEnd
	dPid
	dDevice
	dContext
	dStream
	dCorrelation
	dMore // where the table's own columns begin
)

// activity begins an event of work on a device; ok says that it is this rank's.
func (e *emitter) activity(r *sqlite.Rows, class event.Class) (v row, ok bool) {
	pid := int64(0)
	if !r.IsNull(dPid) {
		pid = pidOf(r.Int(dPid))
	}
	v = row{kind: event.Activity, class: class, start: r.Int(dStart), end: r.Int(dEnd), link: e.link(pid, r.Int(dCorrelation)),
		track: event.Track{Place: event.Stream, A: r.Int(dDevice), B: stream(r.Int(dStream))}}
	return v, e.mine(pid)
}

// stream returns a stream's number; all streams of a context are -1, as Kineto has it.
func stream(id int64) int64 {
	if id == 1<<32-1 {
		return -1
	}
	return id
}

func kernelRow(e *emitter, r *sqlite.Rows) {
	v, ok := e.activity(r, event.Kernel)
	if !ok {
		return
	}
	for col := dMore; col < dMore+3 && v.name == 0; col++ { // demangled, short, mangled
		v.name = e.nameOf(r, col)
	}
	if !e.push(&v) || !e.keep.more {
		return
	}
	const node, grid = dMore + 3, dMore + 4
	if !r.IsNull(node) {
		e.argInt("graph node id", r.Int(node))
	}
	for i, key := range []string{"grid", "block"} {
		c := grid + 3*i
		if !r.IsNull(c) {
			e.arg(key, event.ArgRaw, uint64(e.out.Strings.Add(fmt.Sprintf("[%d,%d,%d]", r.Int(c), r.Int(c+1), r.Int(c+2)))))
		}
	}
}

// The sorts of copies (ENUM_CUDA_MEMCPY_OPER) and of memory (ENUM_CUDA_MEM_KIND), in the
// words that Kineto writes, so that analyses need to know one form only.
var (
	copyKinds = [...]string{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP",
		"UVM HtoD", "UVM DtoH", "UVM DtoD"}
	memoryKinds = [...]string{"Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"}
)

// word returns a kind's word, "" for NULL and what is none.
func word(words []string, r *sqlite.Rows, col int) string {
	if k := r.Int(col); !r.IsNull(col) && k >= 0 && k < int64(len(words)) {
		return words[k]
	}
	return ""
}

func copyRow(e *emitter, r *sqlite.Rows) {
	v, ok := e.activity(r, event.Copy)
	if !ok {
		return
	}
	name := "Memcpy"
	if k := word(copyKinds[:], r, dMore+1); k != "" {
		name += " " + k
	}
	if from, to := word(memoryKinds[:], r, dMore+2), word(memoryKinds[:], r, dMore+3); from != "" && to != "" {
		name += " (" + from + " -> " + to + ")"
	}
	v.name, v.value = e.out.Strings.Add(name), max(0, r.Int(dMore))
	e.push(&v)
}

func setRow(e *emitter, r *sqlite.Rows) {
	v, ok := e.activity(r, event.Set)
	if !ok {
		return
	}
	name := "Memset"
	if k := word(memoryKinds[:], r, dMore+1); k != "" {
		name += " (" + k + ")"
	}
	v.name, v.value = e.out.Strings.Add(name), max(0, r.Int(dMore))
	e.push(&v)
}

// graphRow is one launch of a graph as a whole: in this mode its kernels have no rows.
func graphRow(e *emitter, r *sqlite.Rows) {
	v, ok := e.activity(r, event.OtherActivity)
	if !ok {
		return
	}
	v.name = e.out.Strings.Add("CUDA graph")
	if !r.IsNull(dMore) {
		v.name = e.out.Strings.Add(fmt.Sprintf("CUDA graph %d", r.Int(dMore)))
	}
	e.push(&v)
}

// syncKinds are the sorts of waits (ENUM_CUPTI_SYNC_TYPE), in Kineto's words.
var syncKinds = [...]string{"Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"}

func syncRow(e *emitter, r *sqlite.Rows) {
	v, ok := e.activity(r, event.Sync)
	if !ok {
		return
	}
	name := word(syncKinds[:], r, dMore)
	if name == "" {
		name = syncKinds[0]
	}
	v.name = e.out.Strings.Add(name)
	e.push(&v)
}

// memoryRow is an allocation or a release, in the form of Kineto's.
func memoryRow(e *emitter, r *sqlite.Rows) {
	pid := int64(0)
	if !r.IsNull(1) {
		pid = pidOf(r.Int(1))
	}
	if !e.mine(pid) {
		return
	}
	bytes := max(0, r.Int(5))
	switch r.Int(6) { // ENUM_CUDA_DEV_MEM_EVENT_OPER
	case 0:
	case 1:
		bytes = -bytes
	default:
		return
	}
	v := row{kind: event.Mark, class: event.DeviceMemory, name: e.out.Strings.Add("[memory]"), start: r.Int(0), end: r.Int(0), value: bytes,
		track: event.Track{Place: event.Stream, A: r.Int(2), B: stream(r.Int(4))}}
	if !e.push(&v) || !e.keep.more {
		return
	}
	e.argInt("Addr", r.Int(7))
	e.argInt("Bytes", bytes)
	e.argInt("Device Id", r.Int(2))
}
