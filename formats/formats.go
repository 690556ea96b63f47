// Package formats is the list of the file formats that Reel reads: it tells
// which one a file has and opens it. It reads no event itself and knows no
// analysis.
package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"reel/event"
	"reel/internal/compress"
	"reel/read/kineto"
	"reel/read/nsys"
	"reel/reelfile"
)

// Options says what of a file to read. The zero value reads what every analysis
// needs.
type Options struct {
	Args     []string // keys of arguments of host ranges to keep as well
	MarkArgs []string // keys of arguments of marks to keep as well
	AllArgs  bool     // keep every argument of every event
	Flows    bool     // keep flow events
	NoPython bool     // leave out Python calls
	Workers  int      // parsing goroutines; 0 is one per processor
	Process  int64    // of a file of several ranks, the process id of the one to read; 0 is the first (Parts)
	// RawNames keeps names of ranges as they are written, with numbers that differ for
	// each call (", op_id = 4711"), so that no two are alike.
	RawNames bool
	Tables   []string    // of an export of Nsight Systems: the tables to read; nil is all
	Progress func(n int) // told of every n bytes of the file consumed; called from other goroutines
}

// Format is one file format.
type Format struct {
	Name     string   // word for machines: "kineto"
	Title    string   // for people
	Suffixes []string // of its files' names, lower case

	sniff func(head []byte) bool
	open  func(ctx context.Context, f *file, opt Options) (event.Source, error)
}

// List returns the formats, in the order in which they are tried.
func List() []Format {
	return []Format{
		{Name: "kineto", Title: "PyTorch (Kineto) trace", Suffixes: []string{".json", ".json.gz", ".json.zst"}, sniff: looksLikeJSON, open: openKineto},
		{Name: "reel", Title: "Reel recording", Suffixes: []string{".reel"}, sniff: reelfile.IsRecording, open: openRecording},
		{Name: "nsys", Title: "Nsight Systems export", Suffixes: []string{".sqlite", reportSuffix}, sniff: nsys.IsExport, open: openNsys},
		{Name: "text", Title: "text form of a trace", Suffixes: []string{".trace.txt"}, sniff: looksLikeText, open: openText},
	}
}

// ErrUnknown is what the errors of files that hold no trace are (errors.Is).
var ErrUnknown = errors.New("not a trace")

// unknown is an error of a file that holds no trace that Reel knows.
type unknown struct{ err error }

func (u unknown) Error() string        { return u.err.Error() }
func (u unknown) Unwrap() error        { return u.err }
func (u unknown) Is(target error) bool { return target == ErrUnknown }

func unknownf(format string, args ...any) error { return unknown{fmt.Errorf(format, args...)} }

// Known lists the formats for a message: "PyTorch (Kineto) trace (.json,
// .json.gz, .json.zst), …".
func Known() string {
	var all []string
	for _, f := range List() {
		all = append(all, f.Title+" ("+strings.Join(f.Suffixes, ", ")+")")
	}
	return strings.Join(all, ", ")
}

// Open opens the trace at path, whose format it recognises by its content. The
// context ends the reading early. The errors name the file; those of files
// that hold no trace are ErrUnknown.
func Open(ctx context.Context, path string, opt Options) (event.Source, error) {
	path, err := exported(ctx, path)
	if err != nil {
		return nil, err
	}
	f, err := openFile(path, opt.Progress)
	if err != nil {
		return nil, err
	}
	src, err := openAs(ctx, f, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &source{src, f}, nil
}

func openAs(ctx context.Context, f *file, opt Options) (event.Source, error) {
	head, err := f.head()
	if err != nil {
		return nil, err
	}
	if len(head) == 0 && len(f.lead) == 0 {
		return nil, unknownf("%s: the file is empty", f.path)
	}
	for _, format := range List() {
		if format.sniff(head) {
			return format.open(ctx, f, opt)
		}
	}
	return nil, unknownf("%s: no trace that Reel knows; it reads: %s", f.path, Known())
}

func openKineto(ctx context.Context, f *file, opt Options) (event.Source, error) {
	src, err := kineto.New(ctx, f, f.path, kineto.Options{Args: opt.Args, MarkArgs: opt.MarkArgs, AllArgs: opt.AllArgs,
		Flows: opt.Flows, NoPython: opt.NoPython, Workers: opt.Workers})
	if err != nil {
		return nil, notTrace(err) // not src: a nil *Source is no nil event.Source
	}
	return src, nil
}

// openRecording opens a recording where it lies, since it is read out of order:
// neither compressed nor from a pipe.
func openRecording(_ context.Context, f *file, _ Options) (event.Source, error) {
	if compress.Sniff(f.lead) != compress.None || f.size == 0 {
		return nil, fmt.Errorf("%s: a recording is read from a plain file; unpack it first", f.path)
	}
	src, err := reelfile.New(f.File, f.size, f.path)
	if errors.Is(err, reelfile.ErrNotRecording) {
		return nil, unknownf("%w; Reel reads: %s", err, Known())
	}
	if err != nil {
		return nil, err
	}
	return src, nil
}

// notTrace marks the errors of readers that say that a file is no trace at all.
func notTrace(err error) error {
	if errors.Is(err, kineto.ErrNotTrace) {
		return unknownf("%w; Reel reads: %s", err, Known())
	}
	return err
}

// maxText bounds the text form, which people write by hand, and which is held in memory.
const maxText = 64 << 20

func openText(_ context.Context, f *file, _ Options) (event.Source, error) {
	text, err := compress.NewReader(compress.Sniff(f.lead), f)
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", f.path, err)
	}
	defer text.Close()
	limited := &io.LimitedReader{R: text, N: maxText + 1}
	src, err := event.ParseText(limited)
	if limited.N == 0 {
		return nil, fmt.Errorf("text: %s: longer than %d MiB", f.path, maxText>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", f.path, err)
	}
	return src, nil
}

// source is a reader's source that closes the file too, and knows its name and
// size.
type source struct {
	event.Source
	f *file
}

// Next reads on; that a file is no trace may be known at its end only.
func (s *source) Next(b *event.Batch) error { return notTrace(s.Source.Next(b)) }

// Info adds the file's name and size to what the reader knows.
func (s *source) Info() event.Info {
	i := s.Source.Info()
	i.Path = s.f.path
	if s.f.size > 0 {
		i.Bytes = s.f.size
	}
	return i
}

// Close closes the reader and the file.
func (s *source) Close() error {
	err := s.Source.Close()
	if fileErr := s.f.Close(); err == nil && !errors.Is(fileErr, os.ErrClosed) {
		err = fileErr
	}
	return err
}
