//go:build linux || darwin

package reelfile

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// mapStore is a file whose chunks are mapped as they are made.
type mapStore struct {
	file  *os.File
	bytes int64 // of a chunk
	next  int64 // bytes of the file that are allocated
}

// newStore takes over f. It fails where chunks of that size cannot be mapped.
func newStore(f *os.File, chunk int) (store, error) {
	if chunk%os.Getpagesize() != 0 {
		return nil, fmt.Errorf("chunks of %d bytes are no multiple of the page size: %w", chunk, errNoMap)
	}
	return &mapStore{file: f, bytes: int64(chunk)}, nil
}

func (m *mapStore) grow(n int) (*extent, error) {
	size := int64(n) * m.bytes
	if err := allocate(m.file, m.next, size); err != nil {
		_ = m.file.Truncate(m.next) // part of it may have been made
		return nil, err
	}
	data, err := syscall.Mmap(int(m.file.Fd()), m.next, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		_ = m.file.Truncate(m.next)
		return nil, os.NewSyscallError("mmap", err)
	}
	if err := populate(data); err != nil {
		_ = syscall.Munmap(data)
		_ = m.file.Truncate(m.next)
		return nil, err
	}
	e := &extent{first: int(m.next / m.bytes), words: unsafe.Slice((*uint64)(unsafe.Pointer(&data[0])), len(data)/8)}
	runtime.AddCleanup(e, func(d []byte) { _ = syscall.Munmap(d) }, data)
	m.next += size
	return e, nil
}

// touch makes the pages of fresh memory present and writable.
func touch(data []byte) {
	step := os.Getpagesize()
	for i := 0; i < len(data); i += step {
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&data[i])), 0)
	}
}

func (m *mapStore) sync() error { return m.file.Sync() }

func (m *mapStore) finish(chunks int, _ *Writer) error {
	err := m.file.Truncate(int64(chunks) * m.bytes)
	return errors.Join(err, m.file.Close())
}
