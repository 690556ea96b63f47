package cli

import (
	"context"
	"errors"
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
	inPlace []bool   // written in place: a device or a pipe
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
	n    int64
	told func(n int) // of the bytes, when not nil
}

func (f *countingFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.n += int64(n)
	if f.told != nil {
		f.told(n)
	}
	return n, err
}

// write writes one file.
func (o *outputs) write(path string, write func(*countingFile) error) error {
	f, temp, err := o.begin(path)
	if err != nil {
		return err
	}
	err = write(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if temp {
		err = atPlace(err, f.Name(), path)
	}
	o.sizes, o.inPlace = append(o.sizes, f.n), append(o.inPlace, !temp)
	return err
}

// begin makes the file to write to, and the folders that it needs. temp says that it
// is not at its place.
func (o *outputs) begin(path string) (file *countingFile, temp bool, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link stays one, to the new file
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { // a device or a pipe
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for a pipe's reader, hence without the lock
		o.mu.Lock()
		defer o.mu.Unlock()
		o.temps, o.paths = append(o.temps, ""), append(o.paths, path)
		return &countingFile{File: f}, false, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil, false, context.Canceled
	}
	if err := o.folder(filepath.Dir(path)); err != nil {
		return nil, false, err
	}
	f, err := makeTemp(path)
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
	var moved []string
	for i, temp := range o.temps {
		if temp == "" {
			continue
		}
		if err := settle(temp, o.paths[i], o.force); err != nil {
			for _, path := range moved {
				if !o.force {
					os.Remove(path)
				}
			}
			return err
		}
		o.temps[i] = ""
		moved = append(moved, o.paths[i])
	}
	o.folders = nil
	return nil
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
