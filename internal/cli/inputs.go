package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"reel/formats"
)

// runsFolder is where runs are left.
const runsFolder = "artifacts/profiles"

// inputs returns the files that the arguments stand for; without arguments,
// those of the latest run.
func (a *app) inputs(args []string) ([]input, error) {
	if len(args) == 0 {
		run, err := latestRun()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(a.Err, "reel %s: the latest run: %s\n", a.verb, run)
		args = []string{run}
	}
	var all []input
	seen := map[string]bool{}
	for _, arg := range args {
		files, folder, err := formats.Files(arg)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !seen[filepath.Clean(f)] {
				seen[filepath.Clean(f)] = true
				all = append(all, a.parts(input{path: f, inFolder: folder})...)
			}
		}
	}
	return all, nil
}

// parts returns the ranks of a file that holds several, each as an input of its own.
func (a *app) parts(in input) []input {
	list := formats.Parts(context.Background(), in.path)
	if len(list) == 0 {
		return []input{in}
	}
	all := make([]input, len(list))
	for i, p := range list {
		all[i] = in
		all[i].process = p.Process
	}
	return all
}

// latestRun returns the youngest folder of runsFolder that holds a trace.
func latestRun() (string, error) {
	runs, err := listRuns(runsFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, run := range runs {
		if run.Readable {
			return run.Path, nil
		}
	}
	return "", misusef("no PATH given, and no run with a trace under %s; name a trace file or a folder of them", runsFolder)
}
