package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// mayWrite refuses, before any work is done, to overwrite a file without being
// told to.
func mayWrite(path string, force bool) error {
	if path == "-" || force {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists; --force overwrites it", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// createFile writes a file beside its place and moves it there when it is whole.
func createFile(path string, force bool, write func(io.Writer) error) (err error) {
	if st, err := os.Stat(path); err == nil && force && !st.Mode().IsRegular() {
		return writeTo(path, write) // a device or a pipe
	}
	f, err := makeTemp(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 64<<10)
	if err = write(b); err != nil {
		return err
	}
	if err = b.Flush(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return settle(f.Name(), path, force)
}

// makeTemp makes a file beside path, with the permissions of any new file.
func makeTemp(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, atPlace(err, name, path)
		}
	}
}

// atPlace makes an error about the file temp one about path: the other name says
// nothing to anybody.
func atPlace(err error, temp, path string) error {
	if pe := new(fs.PathError); errors.As(err, &pe) && pe.Path == temp {
		pe.Path = path
	}
	return err
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

// writeTo writes to what exists and is no file.
func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = write(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
