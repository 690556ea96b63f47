//go:build linux && (amd64 || arm64) && !android

package dl

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Open opens the library at path; a name without a slash is looked for as the
// system's loader does, in LD_LIBRARY_PATH first.
func Open(path string) (*Library, error) {
	h, err := purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &Library{Path: path, handle: h}, nil
}

// Func returns the function of that name, 0 when the library has none.
func (l *Library) Func(name string) Func {
	f, err := purego.Dlsym(l.handle, name)
	if err != nil {
		return 0
	}
	return Func(f)
}

// Call calls f with up to 15 whole numbers or pointers, each as
// uintptr(unsafe.Pointer(p)) in the call itself, which keeps what it points to in
// its place. A Func of 0 returns 0.
//
//go:uintptrescapes
func (f Func) Call(args ...uintptr) uintptr {
	if f == 0 {
		return 0
	}
	r, _, _ := purego.SyscallN(uintptr(f), args...)
	return r
}

// Callback makes a C function of a Go function whose arguments and result are
// whole numbers or pointers. It is never released, and a process has some thousand.
func Callback(f any) Func { return Func(purego.NewCallback(f)) }

// Memory returns n words of zeros that never move and are never released, for
// tables that a library keeps.
func Memory(n int) ([]uintptr, error) {
	const word = int(unsafe.Sizeof(uintptr(0)))
	b, err := syscall.Mmap(-1, 0, n*word, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("memory for a library: %w", err)
	}
	return unsafe.Slice((*uintptr)(unsafe.Pointer(&b[0])), n), nil
}

// maxText bounds what Text reads.
const maxText = 4096

// Text copies the text, ended by a zero, at an address that C returned; 0 is "".
func Text(at uintptr) string {
	if at == 0 {
		return ""
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&at)) // not memory of Go's
	n := 0
	for n < maxText && *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
