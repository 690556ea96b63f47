// Package kineto reads the Chrome trace JSON that PyTorch's profiler (Kineto)
// and its vendors' builds write: every version from 2021 on, CUDA, ROCm, XPU,
// MTIA and CPU only, plain, gzip or zstd, whole, cut short or damaged.
//
// It turns events into batches and repairs what it can, saying so in warnings.
// It pairs nothing and attributes nothing, and knows no analysis.
package kineto

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"reel/event"
	"reel/internal/compress"
)

// Options says what to read. The zero value reads what every analysis needs.
type Options struct {
	Args     []string // keys of arguments of host ranges to keep as well
	MarkArgs []string // keys of arguments of marks to keep as well
	AllArgs  bool     // keep every argument of every event
	Flows    bool     // keep flow events (arrows between events)
	NoPython bool     // leave out Python calls
	Workers  int      // parsing goroutines; 0 is one per processor
	Chunk    int      // bytes a worker takes at a time; 0 is 1 MiB
	MaxEvent int      // bytes of one event beyond which it is passed over; 0 is 16 MiB

	raw bool // texts of events, not their meaning: OpenRaw
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Chunk <= 0 {
		o.Chunk = 1 << 20
	}
	if o.MaxEvent <= 0 {
		o.MaxEvent = 16 << 20
	}
	return o
}

// ErrNotTrace is wrapped by the errors of files that hold no trace.
var ErrNotTrace = errors.New("not a Chrome trace")

// Open opens the trace at path. The context ends the reading early.
func Open(ctx context.Context, path string, opt Options) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("kineto: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("kineto: %w", err)
	}
	if st.IsDir() {
		f.Close()
		return nil, fmt.Errorf("kineto: %s is a folder", path)
	}
	s, err := New(ctx, f, path, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	s.file = f
	s.info.Bytes = st.Size()
	return s, nil
}

// New reads a trace from r, compressed or not; name is for messages.
func New(ctx context.Context, r io.Reader, name string, opt Options) (*Source, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil, fmt.Errorf("kineto: %s: the file is empty: %w", name, ErrNotTrace)
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("kineto: %s: %w", name, err)
	}
	text, err := compress.NewReader(compress.Sniff(head[:n]), io.MultiReader(bytes.NewReader(head[:n]), r))
	if err != nil {
		return nil, fmt.Errorf("kineto: %s: %w", name, err)
	}
	s := &Source{name: name, text: text, opt: opt.withDefaults(), ctx: ctx}
	s.info = event.Info{Path: name, Format: "kineto", Producer: "PyTorch trace"}
	if err := s.begin(); err != nil {
		text.Close()
		return nil, err
	}
	return s, nil
}
