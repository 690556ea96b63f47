package formats

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reel/internal/rundir"
)

// Files returns the trace files that path stands for: itself, or those of a
// folder, by the suffixes of their names, in the order of the numbers within
// their names. Of a run folder they are the sources: what run.json calls derived was
// made of them, and counts where they are gone. A folder without any is an error.
func Files(path string) (files []string, folder bool, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, false, plainError(err)
	}
	if !st.IsDir() {
		return []string{path}, false, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, true, plainError(err)
	}
	for _, e := range entries {
		if !e.IsDir() && hasSuffix(e.Name()) && !ours(e.Name()) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		files = deeper(path)
	}
	if len(files) == 0 {
		return nil, true, fmt.Errorf("%s: no trace file in this folder; Reel reads: %s", path, Known())
	}
	files = slices.DeleteFunc(files, func(f string) bool { return isReport(f) && slices.Contains(files, exportOf(f)) })
	files = sources(path, files)
	slices.SortFunc(files, CompareNames)
	return files, true, nil
}

// sources leaves out the files that a run's note calls derived, and statistics, which
// are no events; unless all are.
func sources(folder string, files []string) []string {
	run, err := rundir.Read(folder)
	if err != nil {
		return files // no run folder, or one without a note that can be read
	}
	derived := map[string]bool{}
	list := func(files []rundir.Artifact) {
		for _, f := range files {
			derived[f.Path] = f.Role == rundir.Derived
		}
	}
	for _, r := range run.Ranks {
		list(r.Files)
	}
	if run.Launch != nil {
		list(run.Launch.Files)
	}
	var kept []string
	for _, f := range files {
		if kind, _ := rundir.KindOf(f); !derived[filepath.Base(f)] && kind != rundir.Stats {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return files
	}
	return kept
}

// deeper returns the sources that a run's note lists in folders below it: those of
// sessions, and of profilers that make a folder of their own.
func deeper(folder string) (files []string) {
	run, err := rundir.Read(folder)
	if err != nil {
		return nil
	}
	noted := []rundir.Artifact{}
	for _, r := range run.Ranks {
		noted = append(noted, r.Files...)
	}
	if run.Launch != nil {
		noted = append(noted, run.Launch.Files...)
	}
	for _, f := range noted {
		path := filepath.Join(folder, filepath.FromSlash(f.Path))
		st, err := os.Lstat(path)
		if f.Role == rundir.Source && filepath.IsLocal(f.Path) && hasSuffix(f.Path) && err == nil && st.Mode().IsRegular() && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files
}

// ours reports whether a file of a run folder is Reel's own record of the run, or
// was made from its traces.
func ours(name string) bool {
	return name == "run.json" || strings.Contains(name, ".reel.json") || strings.Contains(name, ".speedscope.json")
}

func hasSuffix(name string) bool {
	name = strings.ToLower(name)
	for _, f := range List() {
		for _, s := range f.Suffixes {
			if strings.HasSuffix(name, s) {
				return true
			}
		}
	}
	return false
}

// CompareNames orders names so that numbers within them count as numbers:
// rank2.json before rank10.json.
func CompareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		dx, dy := digits(x), digits(y)
		if dx > 0 && dy > 0 {
			nx, ny := strings.TrimLeft(x[:dx], "0"), strings.TrimLeft(y[:dy], "0")
			if c := cmp.Or(cmp.Compare(len(nx), len(ny)), strings.Compare(nx, ny)); c != 0 {
				return c
			}
			x, y = x[dx:], y[dy:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func digits(s string) (n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
