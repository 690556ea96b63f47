package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"reel/event"
	"reel/internal/compress"
	"reel/read/nsys"
)

// Part is one rank of a file that holds several.
type Part struct {
	Process int64  // its process id: Options.Process
	Name    string // of the process, where the file tells
}

// Parts lists the ranks of a file that holds several: exports of Nsight Systems do, of a
// job that was recorded with all its processes. Every other file is one rank, without a
// list. What is wrong with a file is told by Open.
func Parts(ctx context.Context, path string) []Part {
	path, err := exported(ctx, path)
	if err != nil {
		return nil
	}
	f, err := openFile(path, nil)
	if err != nil {
		return nil
	}
	defer f.Close()
	if f.size == 0 {
		return nil
	}
	head := make([]byte, 16)
	if _, err := io.ReadFull(io.NewSectionReader(f.File, 0, f.size), head); err != nil || !nsys.IsExport(head) {
		return nil
	}
	ranks, err := nsys.Ranks(ctx, f.File, f.size, path)
	if err != nil || len(ranks) < 2 {
		return nil
	}
	parts := make([]Part, len(ranks))
	for i, r := range ranks {
		parts[i] = Part{Process: r.Process, Name: r.Name}
	}
	return parts
}

// openNsys opens an export where it lies, since it is read out of order: neither
// compressed nor from a pipe.
func openNsys(ctx context.Context, f *file, opt Options) (event.Source, error) {
	if compress.Sniff(f.lead) != compress.None || f.size == 0 {
		return nil, fmt.Errorf("%s: an SQLite export is read from a plain file; unpack it first", f.path)
	}
	src, err := nsys.New(ctx, &counted{f.File, f.progress}, f.size, f.path, nsys.Options{Process: opt.Process,
		Args: opt.Args, AllArgs: opt.AllArgs, RawNames: opt.RawNames, Tables: opt.Tables, Workers: opt.Workers})
	if errors.Is(err, nsys.ErrNotExport) {
		return nil, unknownf("%w; Reel reads: %s", err, Known())
	}
	if err != nil {
		return nil, err
	}
	if opt.Process != 0 {
		f.path = fmt.Sprintf("%s (process %d)", f.path, opt.Process)
	}
	return src, nil
}

// counted reports the progress of reads at any place.
type counted struct {
	*os.File
	progress func(n int)
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	c.progress(n)
	return n, err
}
