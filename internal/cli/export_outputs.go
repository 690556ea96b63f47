package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// outputs are files that appear together or not at all: they are written beside
// their places and moved there when all are whole. When the context ends, what was
// written goes at once.
type outputs struct {
	force bool
	stop  func() bool

	mu      sync.Mutex
	ended   bool
	temps   []string // "" where the file was written in place
	paths   []string
	sizes   []int64
	folders []string // made for them
}

func newOutputs(ctx context.Context, force bool) *outputs {
	o := &outputs{force: force}
	o.stop = context.AfterFunc(ctx, o.abandon)
	return o
}

// countingFile counts the bytes that go to a file.
type countingFile struct {
	*os.File
	n int64
}

func (f *countingFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.n += int64(n)
	return n, err
}

// write writes one file.
func (o *outputs) write(path string, write func(*countingFile) error) error {
	f, temp, err := o.begin(path)
	if err != nil {
		return err
	}
	if err = write(f); err == nil && temp {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if pe := new(fs.PathError); temp && errors.As(err, &pe) && pe.Path == f.Name() {
		pe.Path = path // the other name says nothing to anybody
	}
	o.sizes = append(o.sizes, f.n)
	return err
}

// begin makes the file to write to, and the folders that it needs. temp says that it
// is not at its place.
func (o *outputs) begin(path string) (file *countingFile, temp bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil, false, context.Canceled
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { // a device or a pipe
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		o.temps, o.paths = append(o.temps, ""), append(o.paths, path)
		return &countingFile{File: f}, false, err
	}
	if err := o.folder(filepath.Dir(path)); err != nil {
		return nil, false, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, false, err
	}
	o.temps, o.paths = append(o.temps, f.Name()), append(o.paths, path)
	return &countingFile{File: f}, true, nil
}

// folder makes a folder with its parents, and remembers those that were not there.
func (o *outputs) folder(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := o.folder(parent); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		o.folders = append(o.folders, dir)
	} else if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return err
}

// commit moves the files to their places. If one cannot be moved, those that
// were not there before go again.
func (o *outputs) commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return context.Canceled
	}
	for i, temp := range o.temps {
		if temp == "" {
			continue
		}
		if err := settle(temp, o.paths[i], o.force); err != nil {
			for _, path := range o.paths[:i] {
				if !o.force {
					os.Remove(path)
				}
			}
			return err
		}
		o.temps[i] = ""
	}
	o.folders = nil
	return nil
}

// settle moves a file to its place, over another only with force.
func settle(temp, path string, force bool) error {
	if force {
		return os.Rename(temp, path)
	}
	// Link fails when another program made the file meanwhile; where links are not
	// possible, renaming must do.
	err := os.Link(temp, path)
	switch {
	case err == nil:
		return os.Remove(temp)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists; --force overwrites it", path)
	}
	return os.Rename(temp, path)
}

// end removes what is left when the verb ends.
func (o *outputs) end() {
	o.stop()
	o.abandon()
}

// abandon removes what is not at its place. After commit there is nothing.
func (o *outputs) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	for _, temp := range o.temps {
		if temp != "" {
			os.Remove(temp)
		}
	}
	for i := len(o.folders) - 1; i >= 0; i-- {
		os.Remove(o.folders[i]) // fails, as it should, when something is in it
	}
	o.temps, o.folders = nil, nil
}

// size is the length of file i.
func (o *outputs) size(i int) int64 { return o.sizes[i] }
