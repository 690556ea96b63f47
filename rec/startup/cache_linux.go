package startup

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// Resident returns the share of a file, 0 to 1, that is in the page cache.
func Resident(path string) (float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !st.Mode().IsRegular() || st.Size() == 0 {
		return 0, fmt.Errorf("%s: no regular file with content", path)
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = syscall.Munmap(mem) }()
	page := os.Getpagesize()
	in := make([]byte, (len(mem)+page-1)/page)
	if _, _, errno := syscall.Syscall(syscall.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)), uintptr(unsafe.Pointer(&in[0]))); errno != 0 {
		return 0, fmt.Errorf("%s: mincore: %w", path, errno)
	}
	n := 0
	for _, b := range in {
		n += int(b & 1)
	}
	return float64(n) / float64(len(in)), nil
}

// dontNeed is POSIX_FADV_DONTNEED.
const dontNeed = 4

// Evict asks the system to drop a file from the page cache. Pages that a process
// has mapped stay, so ask Resident whether it worked.
func Evict(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_ = f.Sync() // dirty pages are not dropped; a read-only file system has none
	if _, _, errno := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0); errno != 0 {
		return fmt.Errorf("%s: posix_fadvise: %w", path, errno)
	}
	return nil
}
