package launch

import (
	"fmt"
	"os"
	"strings"
	"time"

	"reel/internal/rundir"
)

// reportSuffix ends the names of nsys's reports.
const reportSuffix = ".nsys-rep"

// makeFolder makes or joins the run folder: where --report-path says, where the
// environment of a launcher around this one says, or a new one below Root.
func (r *run) makeFolder(env *environ) (err error) {
	_, wantsFile := r.backend.(interface{ reportFile() })
	path := r.opt.Report
	if wantsFile && isReportFile(path) {
		path = ""
	}
	switch outer := env.get(rundir.EnvDir); {
	case path != "":
		r.folder, err = r.takeFolder(path)
	case outer != "":
		r.say("%s is set: this is part of the run in %s", rundir.EnvDir, outer)
		r.folder, err = rundir.Join(outer)
	default:
		r.folder, err = rundir.Create(r.opt.Root, rundir.Name(r.opt.App, time.Now(), os.Getpid()))
	}
	if err != nil {
		return err
	}
	if r.opt.Stats, err = absolute(r.opt.Stats); err == nil && r.opt.Force && isFile(r.opt.Stats) {
		err = r.putAside(r.opt.Stats) // so that what lies there afterwards is of this run
	}
	if err != nil {
		return fmt.Errorf("--stats-path: %w", err)
	}
	return nil
}

// checkStats refuses to have statistics written over a file.
func (r *run) checkStats() error {
	if isFile(r.opt.Stats) && !r.opt.Force {
		return fmt.Errorf("--stats-path %s exists; --force overwrites it", r.opt.Stats)
	}
	if st, err := os.Stat(r.opt.Stats); err == nil && st.IsDir() {
		return fmt.Errorf("--stats-path %s is a folder", r.opt.Stats)
	}
	return nil
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
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
