package reelfile

import (
	"syscall"
	"unsafe"
)

// monotonic and realtime read the system's clocks, ns, by system call and not by
// package time: the values are those that every process of the machine sees.
func monotonic() int64 { return readClock(1) }

func realtime() int64 { return readClock(0) }

func readClock(id uintptr) int64 {
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}
