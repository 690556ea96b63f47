package redact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Options say how to redact. The zero never overwrites.
type Options struct {
	Force bool // replace an output that exists
}

// Run writes the file or folder in anew as out. Nothing is left behind when it
// fails. Its errors name the file; ErrUnknown and ErrLeft tell two of them.
func Run(ctx context.Context, in, out string, opt Options) (*Report, error) {
	st, err := os.Stat(in)
	if err != nil {
		return nil, plainError(err)
	}
	if same(in, out) {
		return nil, fmt.Errorf("%s is both what to read and what to write", in)
	}
	if _, err := os.Lstat(out); err == nil && (!opt.Force || st.IsDir()) {
		return nil, fmt.Errorf("%s exists%s", out, map[bool]string{false: "; --force overwrites it", true: "; name a folder that does not"}[st.IsDir()])
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, plainError(err)
	}
	if st.IsDir() {
		return folder(ctx, in, out)
	}
	f := newFacts()
	form, err := formOf(in)
	if err != nil {
		return nil, plainError(err)
	}
	if err := form.learn(ctx, in, f); err != nil {
		return nil, named(in, err)
	}
	t := tally{}
	if err := write(ctx, form, in, out, f, t, opt.Force); err != nil {
		return nil, named(in, err)
	}
	return &Report{Path: out, Removed: t.list()}, nil
}

// same reports whether two names are those of one file.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// named makes an error name its file.
func named(path string, err error) error {
	if strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func plainError(err error) error {
	if pe := new(os.PathError); errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// write writes one file beside its place, searches it, and moves it there.
func write(ctx context.Context, form form, in, out string, f *facts, t tally, force bool) (err error) {
	temp, mode, err := makeTemp(out)
	if err != nil {
		return plainError(err)
	}
	defer os.Remove(temp)
	if err := form.write(ctx, in, temp, f, t); err != nil {
		return err
	}
	if err := form.check(temp, f); err != nil {
		return err
	}
	if err := os.Chmod(temp, mode); err != nil {
		return err
	}
	if force {
		return os.Rename(temp, out)
	}
	// A link fails when another program made the file meanwhile; where links are not
	// possible, renaming must do.
	if err := os.Link(temp, out); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; --force overwrites it", out)
	} else if err == nil {
		return nil
	}
	return os.Rename(temp, out)
}

// makeTemp makes an empty file beside path that others cannot read: until it is
// searched it may hold anything. mode is what any new file has.
func makeTemp(path string) (name string, mode fs.FileMode, err error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", 0, err
		}
		st, err := f.Stat()
		if err == nil {
			err = f.Chmod(0o600)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(name)
			return "", 0, err
		}
		return name, st.Mode().Perm(), nil
	}
}
