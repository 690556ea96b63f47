package reelfile

import (
	"errors"
	"io"
	"os"
)

// store is where chunks come from: a mapped file, or memory that becomes a file
// at the end.
type store interface {
	// grow makes n more chunks, on disk before they are mapped, with their pages
	// touched. Not for concurrent use.
	grow(n int) (*extent, error)
	// sync asks for what is written to be safe from a loss of power.
	sync() error
	// finish ends the file after so many chunks. The memory stays valid.
	finish(chunks int, w *Writer) error
}

// extent is a stretch of chunks that were made together. What points into it
// keeps it, and with it the mapping.
type extent struct {
	first int // number of its first chunk
	words []uint64
}

// errNoMap says that this platform, or this file, cannot be mapped.
var errNoMap = errors.New("cannot be mapped")

// heapStore keeps chunks in memory and writes the file at the end.
type heapStore struct {
	file *os.File // nil for none
	size int      // words of a chunk
	next int
}

func (h *heapStore) grow(n int) (*extent, error) {
	e := &extent{first: h.next, words: make([]uint64, n*h.size)}
	h.next += n
	return e, nil
}

func (h *heapStore) sync() error { return nil }

func (h *heapStore) finish(chunks int, w *Writer) error {
	if h.file == nil {
		return nil
	}
	err := w.copyTo(h.file, fileClosed)
	return errors.Join(err, h.file.Close())
}

// zeroFill allocates bytes of a file by writing zeros, where there is no better
// way.
func zeroFill(f *os.File, from, n int64) error {
	zeros := make([]byte, min(n, 1<<20))
	for n > 0 {
		k, err := f.WriteAt(zeros[:min(n, int64(len(zeros)))], from)
		if err != nil {
			return err
		}
		if k == 0 {
			return io.ErrShortWrite
		}
		from, n = from+int64(k), n-int64(k)
	}
	return nil
}
