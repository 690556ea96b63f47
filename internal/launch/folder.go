package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reel/internal/rundir"
)

// reportSuffix ends the names of nsys's reports.
const reportSuffix = ".nsys-rep"

// makeFolder makes or joins the run folder: where --report-path says, where the
// environment of a launcher around this one says, or a new one below Root.
func (r *run) makeFolder(env *environ) (err error) {
	if r.opt.Stats, err = absolute(r.opt.Stats); err != nil {
		return fmt.Errorf("--stats-path: %w", err)
	}
	_, wantsFile := r.backend.(interface{ reportFile() })
	path := r.opt.Report
	if wantsFile && isReportFile(path) {
		path = ""
	}
	switch outer := env.get(rundir.EnvDir); {
	case path != "":
		r.folder, err = takeFolder(path, r.opt.Force)
	case outer != "":
		r.say("%s is set: this is part of the run in %s", rundir.EnvDir, outer)
		r.folder, err = rundir.Join(outer)
	default:
		r.folder, err = rundir.Create(r.opt.Root, rundir.Name(r.opt.App, time.Now(), os.Getpid()))
	}
	return err
}

// isReportFile tells a report file's name from a folder's: a folder exists, or
// ends in a slash.
func isReportFile(path string) bool {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return false
	}
	st, err := os.Stat(path)
	return err != nil || !st.IsDir()
}

// reportPath is the file that a report path means: the suffix is added when it is
// absent.
func reportPath(path string) string {
	if strings.HasSuffix(path, reportSuffix) {
		return path
	}
	return path + reportSuffix
}

// takeFolder makes the folder path, or takes an empty one. A run that lies there is
// replaced with force; what is no run never is.
func takeFolder(path string, force bool) (*rundir.Folder, error) {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return rundir.Join(path)
	case err != nil:
		return nil, fmt.Errorf("--report-path: %w", err)
	}
	if _, err := rundir.Read(path); err != nil {
		return nil, fmt.Errorf("--report-path %s: the folder is not empty and holds no run; name a new one, such as %s", path, filepath.Join(path, "run-1"))
	}
	if !force {
		return nil, fmt.Errorf("--report-path %s holds a run already; --force replaces it", path)
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, fmt.Errorf("--report-path: %w", err)
	}
	return rundir.Join(path)
}
