// Package lint finds denoise loops in Go and Python sources that no profiler would
// see: loops that step a transformer, UNet or scheduler and use no step iterator and no
// range. It reads sources and runs none of them.
//
// A comment "reel: uninstrumented REASON" on the loop's line or the one above it
// silences one place. The reason is wanted.
package lint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Loop is a denoise loop.
type Loop struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Evidence is what makes it one: "steps scheduler.step", …
	Evidence string `json:"evidence"`
	// Seen says by what a profiler sees it: "rec.Steps", "denoise_steps", a range; ""
	// when nothing does.
	Seen string `json:"seen,omitempty"`
	// Silenced is the reason of the comment that silences the place.
	Silenced string `json:"silenced,omitempty"`
}

// Finding reports whether the loop is to be complained of.
func (l Loop) Finding() bool { return l.Seen == "" && l.Silenced == "" }

// Options say what to read.
type Options struct {
	Python string // the interpreter for Python sources; python3 when empty
	Tests  bool   // read test sources, too: *_test.go, test_*.py, *_test.py
}

// Report is what was found.
type Report struct {
	Files int // read
	Loops []Loop
	// Skipped are files that could not be parsed, with the reason.
	Skipped []string
}

// marker silences a place.
const marker = "reel: uninstrumented"

// maxSource bounds a source file.
const maxSource = 16 << 20

// ErrNoPython says that Python sources were found and no interpreter.
var ErrNoPython = errors.New("lint: Python sources are parsed by Python itself, and there is no interpreter; install python3, or name one with --python")

// Run reads the sources under the paths: files, or folders with all below them but
// hidden folders, vendored modules and environments.
func Run(ctx context.Context, paths []string, o Options) (*Report, error) {
	goFiles, pyFiles, err := sources(paths, o)
	if err != nil {
		return nil, err
	}
	r := &Report{Files: len(goFiles) + len(pyFiles), Loops: []Loop{}}
	for _, path := range goFiles {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		loops, err := goFile(path)
		if err != nil {
			r.Skipped = append(r.Skipped, err.Error())
			continue
		}
		r.Loops = append(r.Loops, loops...)
	}
	if len(pyFiles) > 0 {
		if err := pythonFiles(ctx, pyFiles, o, r); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.Loops, func(a, b Loop) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return r, nil
}

// sources lists the files to read.
func sources(paths []string, o Options) (goFiles, pyFiles []string, err error) {
	add := func(path string, named bool) {
		base := filepath.Base(path)
		switch filepath.Ext(base) {
		case ".go":
			if named || o.Tests || !strings.HasSuffix(base, "_test.go") {
				goFiles = append(goFiles, path)
			}
		case ".py":
			if named || o.Tests || !strings.HasPrefix(base, "test_") && !strings.HasSuffix(base, "_test.py") {
				pyFiles = append(pyFiles, path)
			}
		}
	}
	for _, root := range paths {
		st, err := os.Stat(root)
		if err != nil {
			return nil, nil, fmt.Errorf("lint: %w", err)
		}
		if !st.IsDir() {
			if ext := filepath.Ext(root); ext != ".go" && ext != ".py" {
				return nil, nil, fmt.Errorf("lint: %s: Go and Python sources are read, .go and .py", root)
			}
			if !st.Mode().IsRegular() { // reading a pipe may never end
				return nil, nil, fmt.Errorf("lint: %s is no regular file", root)
			}
			add(root, true)
			continue
		}
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if path != root && skipped(path, d.Name()) {
					return filepath.SkipDir
				}
				return nil
			}
			if d.Type().IsRegular() {
				add(path, false)
			}
			return nil
		})
		if err != nil {
			return nil, nil, fmt.Errorf("lint: %w", err)
		}
	}
	return goFiles, pyFiles, nil
}

// skipped reports whether a folder holds nothing of the project's own.
func skipped(path, name string) bool {
	switch {
	case strings.HasPrefix(name, "."), name == "vendor", name == "node_modules", name == "__pycache__", name == "testdata", name == "site-packages":
		return true
	}
	_, err := os.Stat(filepath.Join(path, "pyvenv.cfg"))
	return err == nil
}
