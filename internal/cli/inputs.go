package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
				all = append(all, input{f, folder})
			}
		}
	}
	return all, nil
}

// latestRun returns the youngest folder of runsFolder that holds a trace.
func latestRun() (string, error) {
	entries, err := os.ReadDir(runsFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	best, bestTime := "", int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		path := filepath.Join(runsFolder, e.Name())
		if files, _, err := formats.Files(path); err != nil || len(files) == 0 {
			continue
		}
		if t := info.ModTime().UnixNano(); best == "" || t >= bestTime {
			best, bestTime = path, t
		}
	}
	if best == "" {
		return "", misusef("no PATH given, and no run with a trace under %s; name a trace file or a folder of them", runsFolder)
	}
	return best, nil
}
