package rundir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is a file of a run folder that is being written. It lies under a
// temporary name until Commit, so that nobody sees half of it.
type File struct {
	*os.File
	folder *Folder
	temp   string
	name   string
	kind   Kind
	role   Role
	done   bool
}

// Create begins the file name, a path below the folder, whose parents are made.
func (f *Folder) Create(name string, kind Kind, role Role) (*File, error) {
	if !filepath.IsLocal(name) || strings.HasSuffix(name, "/") {
		return nil, fmt.Errorf("create %q: not a path below the run folder", name)
	}
	dir, base := filepath.Split(name)
	if dir != "" {
		if err := f.root.MkdirAll(filepath.Clean(dir), 0o777); err != nil {
			return nil, fmt.Errorf("create %s: %w", name, err)
		}
	}
	temp := filepath.Join(dir, "."+base+"."+rand.Text()[:8]+".tmp")
	file, err := f.root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return &File{File: file, folder: f, temp: temp, name: name, kind: kind, role: role}, nil
}

// Commit closes the file and gives it its name. A file that has the name stays:
// this one is then stem-2, stem-3, …, and Commit says under which name it lies.
func (w *File) Commit() (name string, err error) {
	if w.done {
		return "", fmt.Errorf("commit %s: already closed", w.name)
	}
	w.done = true
	if err := w.File.Close(); err != nil {
		return "", errors.Join(fmt.Errorf("commit %s: %w", w.name, err), w.folder.root.Remove(w.temp))
	}
	name, err = w.folder.settle(w.temp, w.name)
	if err != nil {
		return "", errors.Join(fmt.Errorf("commit %s: %w", w.name, err), w.folder.root.Remove(w.temp))
	}
	return name, w.folder.Register(name, w.kind, w.role)
}

// Discard closes and removes the file unless it was committed; deferred beside a
// Commit it does what one wants.
func (w *File) Discard() {
	if w.done {
		return
	}
	w.done = true
	_ = w.File.Close()
	_ = w.folder.root.Remove(w.temp)
}

// settle moves temp to the first free name of name's kind. A link never replaces
// a file, unlike a rename.
func (f *Folder) settle(temp, name string) (string, error) {
	stem, suffix := Split(name)
	for n := 1; n <= maxTries; n++ {
		free := numbered(stem, suffix, n)
		err := f.root.Link(temp, free)
		if err == nil {
			return free, f.root.Remove(temp)
		}
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		// No links on this file system: hold the name with an empty file.
		hold, err := f.root.OpenFile(free, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := hold.Close(); err != nil {
			return "", err
		}
		return free, f.root.Rename(temp, free)
	}
	return "", fmt.Errorf("%d files of this name exist", maxTries)
}

// replace writes name anew, whole or not at all: for Reel's own notes on the run,
// which grow as the run goes.
func (f *Folder) replace(name string, data []byte) error {
	temp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text()[:8]+".tmp")
	file, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, f.root.Remove(temp))
	}
	return nil
}
