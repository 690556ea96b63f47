package redact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reel/internal/rundir"
)

// member is a file of a folder that is known.
type member struct {
	rel  string
	form form
}

// folder redacts a run folder: each file that it knows; what one says of people and
// machines is removed from all. Files that it does not know are left out.
func folder(ctx context.Context, in, out string) (r *Report, err error) {
	if in, err = filepath.EvalSymlinks(in); err != nil { // the walk does not follow one
		return nil, plainError(err)
	}
	r = &Report{Path: out}
	list, err := members(in, r)
	if err != nil {
		return nil, plainError(err)
	}
	f := newFacts()
	for _, m := range list {
		path := filepath.Join(in, m.rel)
		if err := m.form.learn(ctx, path, f); err != nil {
			return nil, named(path, err)
		}
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		return nil, plainError(err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(out) // made above
		}
	}()
	t := tally{}
	taken := map[string]bool{}
	for _, m := range list {
		path, to := filepath.Join(in, m.rel), filepath.Join(out, f.name(m.rel, taken, t))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return nil, plainError(err)
		}
		own := tally{}
		if err := write(ctx, m.form, path, to, f, own, false); err != nil {
			return nil, named(path, err)
		}
		for k, n := range own {
			k.Place = m.rel + ": " + k.Place
			t[k] += n
		}
	}
	r.Removed = t.list()
	slices.Sort(r.LeftOut)
	return r, nil
}

// name is a file's name below the output: names of files tell of hosts and people as
// well, those of Nsight Systems' reports for one. They lose it by the words that stand in
// their place in run.json, so that what names a file there still does.
func (f *facts) name(rel string, taken map[string]bool, t tally) string {
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, p := range parts {
		if to, ok := f.scrub([]byte(p), func() string { return "names of files" }, t); ok {
			parts[i] = string(to)
		}
	}
	path := strings.Join(parts, "/")
	stem, suffix := rundir.Split(path)
	for n := 2; taken[path]; n++ {
		path = fmt.Sprintf("%s-%d%s", stem, n, suffix)
	}
	taken[path] = true
	return filepath.FromSlash(path)
}

// members lists the files of a folder that are known, and notes the others.
func members(in string, r *Report) (list []member, err error) {
	err = filepath.WalkDir(in, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(in, path)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			r.LeftOut = append(r.LeftOut, rel+": no regular file")
			return nil
		}
		form, err := formOf(path)
		switch {
		case errors.Is(err, ErrUnknown):
			r.LeftOut = append(r.LeftOut, rel+": cannot be redacted; make it anew from the redacted traces")
			return nil
		case err == nil:
			list = append(list, member{rel, form})
		}
		return err
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: %w: no file of this folder is one", in, ErrUnknown)
	}
	return list, err
}
