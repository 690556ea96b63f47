package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reel/internal/compress"
)

// exportTarget is a file to write, and where.
type exportTarget struct {
	exportFile
	path   string // "-" is standard output
	viewer string
	packed bool
}

// targets decides where the files go, and refuses before anything is written what
// cannot be.
func (j *exportJob) targets() ([]exportTarget, error) {
	var list []exportTarget
	for _, name := range j.flags.to.formats {
		format := exportFormatOf(name)
		for _, f := range format.files(j) {
			list = append(list, exportTarget{f, "", format.viewer, format.packed})
		}
	}
	folder, err := j.folder(len(list), slices.Contains(j.flags.to.formats, "stacks"))
	if err != nil {
		return nil, err
	}
	for i := range list {
		t := &list[i]
		if t.path = j.flags.out; folder != "" {
			t.path = filepath.Join(folder, t.name)
		}
		if err := j.refuse(*t); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// folder returns the folder that n files go to, "" when the only one goes to -o
// itself. pair says that the only one has a twin where the trace has device work:
// -o then means a folder in any case.
func (j *exportJob) folder(n int, pair bool) (string, error) {
	out := j.flags.out
	st, err := os.Stat(out)
	switch {
	case out == "":
		return filepath.Dir(j.whole[0].Path), nil
	case out == "-":
		if n > 1 {
			return "", misusef("%d files do not fit standard output; -o names a folder", n)
		}
		return "", nil
	case err == nil && st.IsDir(), strings.HasSuffix(out, string(filepath.Separator)):
		return out, nil
	case (n > 1 || pair) && err == nil:
		return "", misusef("%s is a file; %s", out, goTo(n))
	case n > 1 || pair || len(j.ranks) > 1 && filepath.Ext(out) == "":
		return out, nil
	}
	return "", nil
}

func goTo(n int) string {
	if n == 1 {
		return "stacks go to a folder"
	}
	return fmt.Sprintf("%d files go to a folder", n)
}

// refuse says why a file must not be written.
func (j *exportJob) refuse(t exportTarget) error {
	if t.path == "-" {
		if (t.packed || strings.HasSuffix(t.name, ".pftrace")) && isTerminal(j.Out) {
			return misusef("this is no text for a terminal; -o names a file")
		}
		return nil
	}
	st, err := os.Stat(t.path)
	if err != nil {
		if _, err := os.Lstat(t.path); err == nil && !j.flags.force {
			return fmt.Errorf("%s exists; --force overwrites it", t.path) // a link to nowhere
		}
		return nil
	}
	for _, r := range j.whole {
		if in, err := os.Stat(r.Path); err == nil && os.SameFile(in, st) {
			return misusef("%s is what is being read; -o names another file", t.path)
		}
	}
	if st.IsDir() {
		return fmt.Errorf("%s is a folder", t.path)
	}
	if st.Mode().IsRegular() && !j.flags.force {
		return fmt.Errorf("%s exists; --force overwrites it", t.path)
	}
	return nil
}

// pack writes a file's contents, compressed as its name says.
func (j *exportJob) pack(t exportTarget, w io.Writer) error {
	kind := compress.None
	switch {
	case t.path == "-", t.packed && filepath.Ext(t.path) == filepath.Ext(t.name): // profile.pb.gz is gzip in itself
	case strings.HasSuffix(t.path, ".gz"):
		kind = compress.Gzip
	case strings.HasSuffix(t.path, ".zst"):
		kind = compress.Zstd
	}
	p, err := newPump(j.ctx, w, kind)
	if err != nil {
		return err
	}
	err = t.write(p)
	if closeErr := p.Close(); err == nil {
		err = closeErr
	}
	return err
}
