package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"reel/internal/compress"
)

// file is an open file, or a pipe, that tells how much of it was read.
type file struct {
	*os.File
	path     string
	size     int64  // of a pipe 0
	lead     []byte // looked at already, to be read again
	progress func(n int)
}

func openFile(path string, progress func(n int)) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plainError(err)
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s is a folder", path)
	}
	if err != nil {
		f.Close()
		return nil, plainError(err)
	}
	if progress == nil {
		progress = func(int) {}
	}
	return &file{File: f, path: path, size: st.Size(), progress: progress}, nil
}

// plainError writes "NAME: no such file or directory", without the system call.
func plainError(err error) error {
	if pe := new(os.PathError); errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// Read reads on and reports the progress.
func (f *file) Read(p []byte) (n int, err error) {
	if len(f.lead) > 0 {
		n = copy(p, f.lead)
		f.lead = f.lead[n:]
	} else {
		n, err = f.File.Read(p)
	}
	f.progress(n)
	return n, err
}

const (
	headSize = 4 << 10
	rawHead  = 160 << 10 // a block of zstd, 128 KiB, inflates as a whole or not at all
)

// head returns the beginning of the file's text, inflated; it will be read
// again. Text that is damaged so early is left to the reader.
func (f *file) head() ([]byte, error) {
	raw := make([]byte, rawHead)
	n, err := io.ReadFull(f.File, raw)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, plainError(err)
	}
	f.lead = raw[:n]
	kind := compress.Sniff(f.lead)
	if kind == compress.None {
		return f.lead, nil
	}
	text, err := compress.NewReader(kind, bytes.NewReader(f.lead))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	defer text.Close()
	out := make([]byte, headSize)
	n, _ = io.ReadFull(text, out)
	return out[:n], nil
}

// looksLikeJSON accepts what starts like a JSON object or array.
func looksLikeJSON(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// looksLikeText accepts what starts with a line of the text form, comments
// aside.
func looksLikeText(head []byte) bool {
	for line := range bytes.Lines(head) {
		word, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		switch string(word) {
		case "info", "track", "range", "gpu", "mark", "counter", "meta":
			return true
		}
		if len(word) > 0 && word[0] != '#' {
			return false
		}
	}
	return false
}
