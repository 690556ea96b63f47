package safetensors

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// file is one open safetensors file.
type file struct {
	name  string
	size  int64
	meta  map[string]string
	data  []byte // after the header
	unmap func() error
}

// openFile reads the header of name and lays the rest out in memory, mapped
// when the file is one of the operating system.
func openFile(fsys fs.FS, name string) (*file, []entry, error) {
	in, err := openRegular(fsys, name)
	if err != nil {
		return nil, nil, &Error{File: name, Err: cause(err)}
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, nil, &Error{File: name, Err: cause(err)}
	}
	f := &file{name: name, size: info.Size()}
	entries, err := f.read(in)
	if err != nil {
		return nil, nil, errors.Join(inFile(name, err), f.close())
	}
	return f, entries, nil
}

// openRegular opens a file. Opening a pipe would wait for somebody to write, so it
// looks first.
func openRegular(fsys fs.FS, name string) (fs.File, error) {
	st, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	return fsys.Open(name)
}

func (f *file) read(in fs.File) ([]entry, error) {
	var first [8]byte
	if f.size >= 8 {
		if _, err := io.ReadFull(in, first[:]); err != nil {
			return nil, err
		}
	}
	n, err := headerLen(first[:], f.size)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(in, raw); err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	entries, meta, err := parseHeader(raw, f.size-8-n)
	if err != nil {
		return nil, err
	}
	f.meta = meta
	return entries, f.load(in, 8+n)
}

// load makes the bytes from skip on available as f.data.
func (f *file) load(in fs.File, skip int64) error {
	if int64(int(f.size)) != f.size {
		return fmt.Errorf("%d bytes do not fit into this machine's address space", f.size)
	}
	if sys, ok := in.(*os.File); ok && f.size > skip {
		all, unmap, err := mapFile(sys, f.size)
		if err == nil {
			f.data, f.unmap = all[skip:], unmap
			return nil
		}
		// Not every file system can map; all of them can read.
	}
	f.data = make([]byte, f.size-skip)
	if _, err := io.ReadFull(in, f.data); err != nil {
		return fmt.Errorf("read the tensors: %w", err)
	}
	return nil
}

func (f *file) close() error {
	f.data = nil
	if f.unmap == nil {
		return nil
	}
	err := f.unmap()
	f.unmap = nil
	return err
}

// inFile puts the file's name into a fault of its content.
func inFile(name string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.File == "" {
		return &Error{File: name, Tensor: e.Tensor, Err: e.Err}
	}
	return &Error{File: name, Err: err}
}

// cause drops the operation and path that fs.PathError repeats.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
