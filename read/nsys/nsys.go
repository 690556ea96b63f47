// Package nsys reads the SQLite exports of NVIDIA Nsight Systems: of every schema
// seen since 2021, by the tables and columns that a file has, whatever its version
// says. Nothing is assumed of indexes, and nothing is written.
//
// One Source is one rank: the processes of a file that ran kernels are its ranks
// (see Ranks), and the devices that a process used are its devices. Times are
// nanoseconds since the start of the session; Info.Base places it on the Unix clock.
//
// It turns rows into events and says in warnings what a file itself says is wrong
// with it (its diagnostics), and why a nearly empty one is empty. It reads no
// .nsys-rep, samples no call stacks, projects nothing and attributes nothing.
// docs/nsys.md says what becomes of which table.
package nsys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"reel/internal/sqlite"
)

// Options says what to read. The zero value reads what every analysis needs, of the
// first rank.
type Options struct {
	// Process is the process id of the rank to read; 0 is the first of Ranks. When the
	// file holds one rank, the ranges and calls of its other processes come with it.
	Process int64
	// Args are keys of arguments of ranges and marks to keep: domain, style (of ranges:
	// "StartEnd"), unfinished ("true"), category, color, payload, data (a payload as JSON).
	Args    []string
	AllArgs bool // keep every argument
	// RawNames keeps the names of ranges as they are written. Otherwise what PyTorch's
	// emit_nvtx appends (", op_id = 4711") is taken off: it differs with each call.
	RawNames bool
	// Tables are the tables to read; nil is all. What is left out is not told of.
	Tables  []string
	Workers int // reading goroutines, each with a connection of its own; 0 is one per processor
	Chunk   int // rows that a worker takes at a time; 0 is 65,536
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Chunk <= 0 {
		o.Chunk = 1 << 16
	}
	return o
}

// keeps reports whether an argument is wanted.
func (o *Options) keeps(key string) bool { return o.AllArgs || slices.Contains(o.Args, key) }

// ErrNotExport is wrapped by the errors of files that are no export of Nsight Systems.
var ErrNotExport = errors.New("not an Nsight Systems export")

// Open opens a rank of the export at path. The context ends the reading early.
func Open(ctx context.Context, path string, opt Options) (*Source, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	s, err := New(ctx, f, size, path, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	s.file = f
	return s, nil
}

func openFile(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("nsys: %w", err)
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s is a folder", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("nsys: %w", err)
	}
	return f, st.Size(), nil
}

// New reads a rank of the export of size bytes behind r, from several goroutines; name
// is for messages.
func New(ctx context.Context, r io.ReaderAt, size int64, name string, opt Options) (*Source, error) {
	opt = opt.withDefaults()
	x, err := openExport(ctx, r, size, name)
	if err != nil {
		return nil, err
	}
	defer x.close()
	all, err := x.ranks()
	if err != nil {
		return nil, x.fail(err)
	}
	s := &Source{name: name, opt: opt, r: r, size: size}
	if s.who, err = choose(all, opt.Process); err != nil {
		return nil, fmt.Errorf("nsys: %s: %w", name, err)
	}
	if x.texts, err = x.readTexts(); err != nil {
		return nil, x.fail(err)
	}
	if err := s.begin(ctx, x); err != nil {
		return nil, x.fail(err)
	}
	return s, nil
}

// Ranks lists the ranks of the export of size bytes behind r: see Rank. An export
// always has one, even an empty one.
func Ranks(ctx context.Context, r io.ReaderAt, size int64, name string) ([]Rank, error) {
	x, err := openExport(ctx, r, size, name)
	if err != nil {
		return nil, err
	}
	defer x.close()
	all, err := x.ranks()
	if err != nil {
		return nil, x.fail(err)
	}
	return all, nil
}

// IsExport reports whether a file that begins like this may be an export: whether it is
// an SQLite database.
func IsExport(head []byte) bool {
	return len(head) >= len(sqlite.Magic) && string(head[:len(sqlite.Magic)]) == sqlite.Magic
}
