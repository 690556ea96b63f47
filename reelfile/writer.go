package reelfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Options says how to record. The zero value records all of it into a file of at
// most 1 GiB.
type Options struct {
	Mode     Mode
	MaxBytes int64 // bound of the file; 0 is 1 GiB, 64 MiB for Flight
	Chunk    int   // bytes of a chunk, a power of two; 0 is 64 KiB

	Rank, World *int // nil when not known
	Host        string
	Producer    string // for people; "" is "Reel recording"
	Props       map[string]string

	Clock *Clock // nil is SystemClock
	Heap  bool   // keep chunks in memory and write the file at Close: not safe from a kill
}

// Writer writes one recording. Its methods may be called at the same time.
type Writer struct {
	flight     bool
	clock      *Clock
	chunkBytes int
	maxChunks  int
	pid        int
	path       string
	start      sample

	stop atomic.Uint32 // why events are dropped: 1 + the counter; 0 while they are not

	growMu sync.Mutex // making room; taken before mu
	store  store
	made   int // chunks that the store made

	mu      sync.Mutex // what follows, and giving out chunks
	head    []uint64   // the header chunk
	extents []*extent
	pool    []piece  // ready to be given out
	inUse   []*chunk // given out, the oldest first
	named   []piece  // chunks of strings
	seq     uint64
	next    int // 1 + the highest chunk given out
	samples int
	closed  bool
	names   names
	tracks  uint32 // the last handle

	wake chan struct{}
	quit chan struct{}
	done chan struct{}
}

// Create makes a new recording at path, which must not exist. An empty path,
// with Options.Heap, keeps it in memory for Save alone.
func Create(path string, opt Options) (*Writer, error) {
	w, err := newWriter(path, &opt)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	e, err := w.store.grow(1)
	if err != nil {
		if path != "" {
			os.Remove(path)
		}
		return nil, fmt.Errorf("record: %s: %w", path, err)
	}
	w.extents, w.head, w.made, w.next = []*extent{e}, e.words, 1, 1
	w.fillHeader(opt)
	w.refill()
	w.describe(opt)
	go w.background()
	return w, nil
}

// newWriter checks the options, fills in what they leave open and opens the file.
func newWriter(path string, opt *Options) (*Writer, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("recordings are written by little-endian machines only")
	}
	if opt.Chunk == 0 {
		opt.Chunk = defaultChunk
	}
	if opt.Chunk < minChunk || opt.Chunk > maxChunk || opt.Chunk&(opt.Chunk-1) != 0 {
		return nil, fmt.Errorf("a chunk of %d bytes: want a power of two from %d to %d", opt.Chunk, minChunk, maxChunk)
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = 1 << 30
		if opt.Mode == Flight {
			opt.MaxBytes = 64 << 20
		}
	}
	if opt.MaxBytes/int64(opt.Chunk) < 4 {
		return nil, fmt.Errorf("a bound of %d bytes: want four chunks of %d at least", opt.MaxBytes, opt.Chunk)
	}
	if opt.Producer == "" {
		opt.Producer = "Reel recording"
	}
	if opt.Clock == nil {
		opt.Clock = SystemClock()
	}
	w := &Writer{flight: opt.Mode == Flight, clock: opt.Clock, chunkBytes: opt.Chunk, maxChunks: int(opt.MaxBytes / int64(opt.Chunk)),
		pid: os.Getpid(), path: path, wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	w.names.init()
	return w, w.open(opt.Heap)
}

func (w *Writer) open(heap bool) error {
	h := &heapStore{size: w.chunkBytes / 8}
	w.store = h
	if w.path == "" {
		if !heap {
			return errors.New("no path")
		}
		return nil
	}
	f, err := os.OpenFile(w.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if !heap {
		switch s, err := newStore(f, w.chunkBytes); {
		case err == nil:
			w.store = s
			return nil
		case !errors.Is(err, errNoMap):
			f.Close()
			return err
		}
	}
	h.file = f
	return nil
}
