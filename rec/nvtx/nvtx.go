// Package nvtx passes the ranges and marks of package rec on to NVTX, which Nsight
// Systems and its like show: push/pop ranges, marks, and start/end ranges of the
// process. It needs no cgo and no CUDA: what takes the calls is a library that is
// opened at run time, and where there is none the program goes on without.
//
//	w, err := rec.FromEnv(os.Getenv, rec.EnvOptions{NVTX: nvtx.Open})
//
// It makes no domains, categories, colours or payloads, and starts no collector. A
// program that imports it is, on Linux, linked with the C library (package dl).
//
// Facts: the C API is nvToolsExt.h; how a tool and a program find each other is
// nvtxDetail/nvtxInit.h and nvtxTypes.h of NVTX 3.
package nvtx

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"reel/internal/dl"
	"reel/internal/nsight"
	"reel/rec"
)

// The variable by which a tool names the library that takes the calls.
const injectionVariable = "NVTX_INJECTION64_PATH"

// library is NVTX 2, which is a library of its own and finds the tool itself.
const library = "libnvToolsExt.so.1"

// ErrAbsent is what Open returns where no library takes the calls.
var ErrAbsent = errors.New("nvtx: no library takes ranges: " + injectionVariable + " is not set, and " + library + " is not there")

// Open opens what takes NVTX calls in this process: the library that the variable
// NVTX_INJECTION64_PATH names, as NVTX 3 does; without the variable libnvToolsExt,
// which the system's loader (LD_LIBRARY_PATH), CUDA_HOME and CUDA_PATH lead to. The
// emitter's String says which one it is. The error is ErrAbsent when there is none;
// one that does not work is named. A process opens it once.
func Open(getenv func(string) string) (rec.Emitter, error) {
	if path := getenv(injectionVariable); path != "" {
		e, err := inject(path)
		if err != nil {
			return nil, fmt.Errorf("nvtx: %s: %w", injectionVariable, err)
		}
		return e, nil
	}
	l, err := dl.OpenFirst(nsight.Libraries(getenv, library)...)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrAbsent, err)
	}
	e := &emitter{name: l.Path}
	for f, name := range functions {
		e.calls[f] = call{plain: l.Func(name.plain), ex: l.Func(name.ex)}
	}
	return e.ready()
}

// The functions that an emitter calls.
const (
	mark = iota
	start
	end
	push
	pop
	functionCount
)

// functions are their names: with the text alone, and with attributes.
var functions = [functionCount]struct{ plain, ex string }{
	mark:  {"nvtxMarkA", "nvtxMarkEx"},
	start: {"nvtxRangeStartA", "nvtxRangeStartEx"},
	end:   {"nvtxRangeEnd", ""},
	push:  {"nvtxRangePushA", "nvtxRangePushEx"},
	pop:   {"nvtxRangePop", ""},
}

// call is a function in the two forms that it may have.
type call struct{ plain, ex dl.Func }

// emitter calls NVTX. What a tool does not take is not called.
type emitter struct {
	name  string
	calls [functionCount]call
}

var _ rec.Emitter = (*emitter)(nil)

// ready refuses a library that takes nothing at all.
func (e *emitter) ready() (rec.Emitter, error) {
	if e.calls == [functionCount]call{} {
		return nil, fmt.Errorf("nvtx: %s takes no ranges and no marks", e.name)
	}
	return e, nil
}

// String names the library.
func (e *emitter) String() string { return e.name }

// Push begins a range on the calling thread, and keeps the goroutine on it until
// the range ends: NVTX knows threads alone.
func (e *emitter) Push(name string) {
	runtime.LockOSThread()
	e.text(push, name)
}

// Pop ends the innermost range of the thread.
func (e *emitter) Pop() {
	e.calls[pop].plain.Call()
	runtime.UnlockOSThread()
}

// Mark writes an instant.
func (e *emitter) Mark(label string) { e.text(mark, label) }

// Start begins a range of the process.
func (e *emitter) Start(name string) uint64 { return uint64(e.text(start, name)) }

// Stop ends it.
func (e *emitter) Stop(id uint64) { e.calls[end].plain.Call(uintptr(id)) }

// attributes is nvtxEventAttributes_t of version 3: the text alone.
type attributes struct {
	version, size       uint16
	category            uint32
	colorType           int32
	color               uint32
	payloadType, unused int32
	payload             uint64
	messageType         int32
	_                   int32
	message             unsafe.Pointer
}

const asciiMessage = 1

// text calls a function that takes a text, which the tool copies.
func (e *emitter) text(f int, s string) uintptr {
	c := e.calls[f]
	if c.plain == 0 && c.ex == 0 {
		return 0
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	b := append(append(make([]byte, 0, len(s)+1), s...), 0)
	if c.plain != 0 {
		return c.plain.Call(uintptr(unsafe.Pointer(&b[0])))
	}
	a := &attributes{version: 3, size: uint16(unsafe.Sizeof(attributes{})), messageType: asciiMessage, message: unsafe.Pointer(&b[0])}
	return c.ex.Call(uintptr(unsafe.Pointer(a)))
}
