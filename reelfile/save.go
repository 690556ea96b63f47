package reelfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// Save writes a copy of the recording as it is now to path, which must not
// exist, while recording goes on: how a flight recorder's content is kept. The
// file appears when it is whole.
func (w *Writer) Save(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("record: save: %s: %w", path, os.ErrExist)
	}
	f, err := os.CreateTemp(dirOf(path), ".reel-*")
	if err != nil {
		return fmt.Errorf("record: save: %w", err)
	}
	err = errors.Join(w.copyTo(f, fileSaved), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Link(f.Name(), path) // fails, where a rename would replace
		if err != nil && !errors.Is(err, os.ErrExist) {
			err = os.Rename(f.Name(), path)
		}
	}
	os.Remove(f.Name())
	if err != nil {
		return fmt.Errorf("record: save: %w", err)
	}
	return nil
}

func dirOf(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if os.IsPathSeparator(path[i]) {
			return path[:i+1]
		}
	}
	return "."
}

// copyTo writes the file as it is now, with another state: first the records,
// then the names, so that every name that a record has is there, then the header.
func (w *Writer) copyTo(to *os.File, state uint32) error {
	words := make([]uint64, w.chunkBytes/8)
	buf := make([]byte, w.chunkBytes)
	write := func(i int) error {
		for k, v := range words {
			binary.LittleEndian.PutUint64(buf[8*k:], v)
		}
		_, err := to.WriteAt(buf, int64(i)*int64(w.chunkBytes))
		return err
	}
	next := 0
	for _, kind := range []uint64{chunkRecords, chunkStrings} {
		w.mu.Lock()
		next = w.next
		w.mu.Unlock()
		for i := 1; i < next; i++ {
			if w.copyChunk(words, i, kind) {
				if err := write(i); err != nil {
					return err
				}
			}
		}
	}
	s := w.clock.sample()
	w.mu.Lock()
	w.addSample(0, s)
	for i := range words {
		words[i] = atomic.LoadUint64(&w.head[i])
	}
	w.mu.Unlock()
	_, mode := unpair(words[hState])
	words[hState], words[hNext] = pair(state, mode), uint64(next)
	return errors.Join(write(0), to.Truncate(int64(next)*int64(w.chunkBytes)))
}

// copyChunk copies what is published of chunk i, if it is of that kind; nothing
// is recycled meanwhile.
func (w *Writer) copyChunk(to []uint64, i int, kind uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	var from []uint64
	for _, e := range w.extents {
		if size := len(to); i >= e.first && (i-e.first+1)*size <= len(e.words) {
			from = e.words[(i-e.first)*size:][:size]
		}
	}
	state := atomic.LoadUint64(&from[cWord])
	if state&0xff != chunkLive || state>>8&0xff != kind {
		return false
	}
	if kind == chunkStrings {
		copy(to, from)
		return true
	}
	clear(to)
	head := chunkHead / 8
	copy(to[:head], from[:head])
	for k := head; k < len(to); k += recordSize / 8 {
		if to[k] = atomic.LoadUint64(&from[k]); to[k] != 0 && to[k]&3 != slotVoid {
			copy(to[k+1:k+4], from[k+1:k+4])
		}
	}
	return true
}
