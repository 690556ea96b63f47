package cli

import (
	"path/filepath"
	"sync"

	"reel/analyze"
	"reel/internal/rundir"
)

// coverage reads what was asked for and seen out of the notes of run folders, each
// once. It is safe for concurrent use; the zero value is ready.
type coverage struct {
	mu   sync.Mutex
	runs map[string]*rundir.Run // by folder; nil for one without a note
}

// of returns the coverage of the rank whose trace is files[i]. Of several traces of a
// rank in one folder the first has it, so that it counts once.
func (c *coverage) of(files []input, i int, rank *int) []analyze.Coverage {
	if !files[i].inFolder {
		return nil
	}
	folder := filepath.Dir(files[i].path)
	run := c.run(folder)
	if run == nil {
		return nil
	}
	for _, r := range run.Ranks {
		if len(run.Ranks) > 1 && (rank == nil || *rank != r.Rank) {
			continue
		}
		if !firstOf(files, i, r) {
			return nil
		}
		var out []analyze.Coverage
		for _, x := range r.Coverage {
			out = append(out, analyze.Coverage(x))
		}
		return out
	}
	return nil
}

// firstOf says that files[i] is the first of a rank's own files among those read, or
// that the note names none of them.
func firstOf(files []input, i int, r rundir.Rank) bool {
	mine := map[string]bool{}
	for _, f := range r.Files {
		mine[f.Path] = true
	}
	folder := filepath.Dir(files[i].path)
	for k := range files[:i] {
		if filepath.Dir(files[k].path) == folder && (mine[filepath.Base(files[k].path)] || !mine[filepath.Base(files[i].path)] && len(mine) == 0) {
			return false
		}
	}
	return true
}

func (c *coverage) run(folder string) *rundir.Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = map[string]*rundir.Run{}
	}
	run, seen := c.runs[folder]
	if !seen {
		if r, err := rundir.Read(folder); err == nil {
			run = &r
		}
		c.runs[folder] = run
	}
	return run
}
