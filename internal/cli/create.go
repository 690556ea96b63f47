package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
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
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if force {
		return os.Rename(f.Name(), path)
	}
	// Link fails when another program made the file meanwhile; where links are not
	// possible, renaming must do.
	err = os.Link(f.Name(), path)
	if err == nil {
		return os.Remove(f.Name())
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; --force overwrites it", path)
	}
	return os.Rename(f.Name(), path)
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
