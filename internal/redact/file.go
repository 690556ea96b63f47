package redact

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"reel/internal/compress"
	"reel/internal/sqlite"
	"reel/reelfile"
)

// form is a kind of file.
type form interface {
	// learn notes what the file at path says of people and machines.
	learn(ctx context.Context, path string, f *facts) error
	// write writes the file anew to the file temp, which exists and is empty.
	write(ctx context.Context, path, temp string, f *facts, t tally) error
	// check searches the file temp for what is left.
	check(temp string, f *facts) error
}

// ErrUnknown is the error of files whose form is not known (errors.Is): nothing can
// be said of what they hold.
var ErrUnknown = errors.New("not a file that can be redacted")

// formOf tells a file's form by how it begins.
func formOf(path string) (form, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte(sqlite.Magic)):
		return database{}, nil
	case reelfile.IsRecording(head):
		return recording{}, nil
	}
	kind := compress.Sniff(head)
	text, err := compress.NewReader(kind, bytes.NewReader(head))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer text.Close()
	start := make([]byte, 512)
	n, _ = io.ReadFull(text, start)
	start = bytes.TrimLeft(bytes.TrimPrefix(start[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(start) > 0 && (start[0] == '{' || start[0] == '['):
		return document{kind}, nil
	case strings.HasSuffix(strings.ToLower(path), ".nsys-rep"):
		return nil, fmt.Errorf("%s: %w: export it first (nsys export --type sqlite)", path, ErrUnknown)
	}
	return nil, fmt.Errorf("%s: %w: it is no SQLite export, no Chrome trace, no recording of Reel's and no run.json", path, ErrUnknown)
}

// document is a file of JSON.
type document struct{ kind compress.Kind }

// run takes the document's text through a copy.
func (d document) run(ctx context.Context, path string, j *jsonCopy) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := compress.NewReader(d.kind, &reader{ctx, in})
	if err != nil {
		return err
	}
	defer text.Close()
	err = j.run(text)
	if errors.Is(err, io.ErrUnexpectedEOF) { // a cut file: what there is
		j.flushBare()
		return j.err
	}
	return err
}

func (d document) learn(ctx context.Context, path string, f *facts) error {
	return d.run(ctx, path, &jsonCopy{f: f})
}

func (d document) write(ctx context.Context, path, temp string, f *facts, t tally) error {
	out, err := os.OpenFile(temp, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	b := bufio.NewWriterSize(out, 256<<10)
	z, err := compress.NewWriter(d.kind, b, 0)
	if err != nil {
		return err
	}
	if err := d.run(ctx, path, &jsonCopy{f: f, t: t, out: z}); err != nil {
		return err
	}
	for _, end := range []func() error{z.Close, b.Flush, out.Close} {
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

func (d document) check(temp string, f *facts) error {
	in, err := os.Open(temp)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := compress.NewReader(d.kind, in)
	if err != nil {
		return err
	}
	defer text.Close()
	return f.verify(text)
}

// reader ends with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// checkBytes searches a file as it lies.
func checkBytes(path string, f *facts) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return f.verify(in)
}

// base is a file's name, for messages.
func base(path string) string { return filepath.Base(path) }
