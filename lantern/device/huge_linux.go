package device

import (
	"syscall"
	"unsafe"
)

const (
	hugePage  = 2 << 20
	hugeLeast = 4 << 20 // bytes from which large pages are worth a system call
	hugeAdv   = 14      // MADV_HUGEPAGE
)

// huge asks for large pages under fresh memory, before it is touched: it takes a
// five-hundredth of the page faults. That there are none is fine.
func huge(data []float32) {
	size := uintptr(4 * len(data))
	if size < hugeLeast {
		return
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), size)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (hugePage - 1)
	_ = syscall.Madvise(raw[skip:skip+(size-skip)&^(hugePage-1)], hugeAdv)
}
