package reelfile

import (
	"errors"
	"os"
	"syscall"
)

// allocate gives a stretch of the file its place on the disk, and the file its
// length: a hole would kill the program once the disk is full.
func allocate(f *os.File, from, n int64) error {
	for {
		err := syscall.Fallocate(int(f.Fd()), 0, from, n)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS):
			return zeroFill(f, from, n)
		}
		return os.NewSyscallError("fallocate", err)
	}
}

const madvPopulateWrite = 23 // Linux 5.14

// populate makes fresh pages present and writable, and says so when the file
// system does not keep its promise of room, where a store would be fatal.
func populate(data []byte) error {
	switch err := syscall.Madvise(data, madvPopulateWrite); {
	case errors.Is(err, syscall.EFAULT) || errors.Is(err, syscall.ENOMEM):
		return os.NewSyscallError("madvise", err)
	case err != nil: // an older kernel
		touch(data)
	}
	return nil
}
