//go:build linux || darwin

package safetensors

import (
	"os"
	"syscall"
)

// mapFile maps size bytes of f for reading. They stay when f is closed.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
