package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reel/internal/rundir"
)

// replaced is what lay in a place that a run takes: it lies beside it until the command
// has started.
type replaced struct{ path, old string }

// putAside makes a place free.
func (r *run) putAside(path string) error {
	old := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.replaced", filepath.Base(path), os.Getpid()))
	if err := os.Rename(path, old); err != nil {
		return err
	}
	r.replaced = append(r.replaced, replaced{path, old})
	return nil
}

// dropReplaced removes what was put aside: the command runs.
func (r *run) dropReplaced() {
	for _, p := range r.replaced {
		if err := os.RemoveAll(p.old); err != nil {
			r.warn("what %s held before is not removed: %v", r.relative(p.path), err)
		}
	}
}

// restoreReplaced puts everything back: the command did not start, and what lies in the
// place was made for it.
func (r *run) restoreReplaced() (err error) {
	for _, p := range r.replaced {
		err = errors.Join(err, os.RemoveAll(p.path), os.Rename(p.old, p.path))
	}
	return err
}

// takeFolder makes the folder path, or takes an empty one. A run that lies there is
// replaced with force; what is no run never is.
func (r *run) takeFolder(path string) (*rundir.Folder, error) {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return rundir.Join(path)
	case err != nil:
		return nil, fmt.Errorf("--report-path: %w", err)
	}
	old, err := rundir.Read(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--report-path %s: the folder is not empty and holds no run; name a new one, such as %s", path, filepath.Join(path, "run-1"))
	case !r.opt.Force:
		return nil, fmt.Errorf("--report-path %s holds a run already; --force replaces it", path)
	}
	if path, err = filepath.EvalSymlinks(path); err == nil { // the folder itself is replaced, not a link to it
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("--report-path: %w", err)
	}
	if err := onlyOwn(path, &old); err != nil {
		return nil, err
	}
	if wd, err := os.Getwd(); err == nil && (wd == path || strings.HasPrefix(wd, path+string(filepath.Separator))) {
		return nil, fmt.Errorf("--report-path %s holds the working folder, which --force does not replace", path)
	}
	if err := r.putAside(path); err != nil {
		return nil, fmt.Errorf("--report-path: %w", err)
	}
	return rundir.Join(path)
}

// onlyOwn refuses a folder that holds files of others.
func onlyOwn(path string, run *rundir.Run) error {
	strange, err := foreign(path, run)
	if err != nil {
		return fmt.Errorf("--report-path: %w", err)
	}
	if len(strange) > 0 {
		const most = 5
		names := strings.Join(strange[:min(len(strange), most)], ", ")
		if len(strange) > most {
			names += fmt.Sprintf(" and %d more", len(strange)-most)
		}
		return fmt.Errorf("--report-path %s: --force replaces a run, and these are not of it: %s; move them away, or name another folder", path, names)
	}
	return nil
}

// foreign lists the files of a run folder that are not of its run. A run that ended has
// listed its own; of one that did not, names tell.
func foreign(path string, run *rundir.Run) (names []string, err error) {
	own := map[string]bool{rundir.RunFile: true}
	for _, k := range run.Ranks {
		for _, f := range k.Files {
			own[f.Path] = true
		}
	}
	ended := run.Launch != nil && !run.Launch.Ended.IsZero()
	if run.Launch != nil {
		for _, f := range run.Launch.Files {
			own[f.Path] = true
		}
	}
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, at)
		if rel = filepath.ToSlash(rel); err != nil || d.IsDir() {
			return err
		}
		kind, _ := rundir.KindOf(rel)
		dir, name := filepath.Split(rel)
		stem, isExport := strings.CutSuffix(rel, ".sqlite")
		switch {
		case !d.Type().IsRegular():
		case own[rel], isExport && own[stem+reportSuffix], // which is made later too
			owner(rel) >= 0 && dir == "", // a recording of a process that ended later
			!ended && kind != rundir.Other && dir == "",
			strings.HasPrefix(rel, ".ranks/"), strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp"): // Reel's notes, and what it did not finish
			return nil
		}
		names = append(names, rel)
		return nil
	})
	return names, err
}
