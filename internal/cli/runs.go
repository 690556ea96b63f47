package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reel/formats"
	"reel/internal/rundir"
)

// runInfo is a run of a folder of runs, as JSON has it.
type runInfo struct {
	Path     string              `json:"path"`
	App      string              `json:"app,omitempty"`
	Backend  string              `json:"backend,omitempty"` // of 'reel profile'
	Started  time.Time           `json:"started"`           // or when the folder was last changed, when it does not say
	Duration int64               `json:"duration_ns,omitempty"`
	ExitCode *int                `json:"exit_code,omitempty"`
	Signal   string              `json:"signal,omitempty"`
	Ranks    int                 `json:"ranks,omitempty"`
	Size     int64               `json:"size_bytes"`
	Holds    map[rundir.Kind]int `json:"holds"` // number of files of each kind
	Readable bool                `json:"readable"`
	Warnings []string            `json:"warnings,omitempty"`
}

type runsDocument struct {
	Schema string    `json:"schema"`
	Folder string    `json:"folder"`
	Runs   []runInfo `json:"runs"`
}

const runsSchema = "reel.runs/1"

func (a *app) runsCmd() *cobra.Command {
	var out *output
	limit := 0
	c := &cobra.Command{
		Use:     "runs [DIR]",
		Short:   "the runs under a folder, newest first, with what each holds",
		GroupID: "read",
		Long: `Lists the run folders below DIR, artifacts/profiles when it is left out, the
newest first: when each began, how it ended, and what it holds. The first that
holds a trace is what other verbs mean without a PATH.`,
		Example: `  reel runs
  reel runs ./perf --limit 5
  reel runs --json`,
		Args: func(c *cobra.Command, args []string) error {
			a.verb = verbOf(c)
			if len(args) > 1 {
				return misusef("takes one folder, got %d", len(args))
			}
			return nil
		},
		RunE: a.run(func(_ *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			if limit < 0 {
				return misusef("--limit cannot be negative")
			}
			dir := runsFolder
			if len(args) == 1 {
				dir = args[0]
			}
			runs, err := listRuns(dir)
			if errors.Is(err, fs.ErrNotExist) && len(args) == 0 {
				runs, err = nil, nil
			}
			if err != nil {
				return err
			}
			if limit > 0 && len(runs) > limit {
				runs = runs[:limit]
			}
			return a.printRuns(dir, runs, form)
		}),
	}
	out = formatFlags(c, runsSchema)
	c.Flags().IntVar(&limit, "limit", 0, "show the newest `N` only; 0 shows all")
	return c
}

// listRuns returns the runs below dir, the newest first; dir may be a run itself.
func listRuns(dir string) ([]runInfo, error) {
	if _, err := os.Stat(filepath.Join(dir, rundir.RunFile)); err == nil {
		one, err := runOf(dir)
		return []runInfo{one}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var runs []runInfo
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		one, err := runOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		runs = append(runs, one)
	}
	slices.SortStableFunc(runs, func(a, b runInfo) int {
		return cmp.Or(b.Started.Compare(a.Started), formats.CompareNames(b.Path, a.Path))
	})
	return runs, nil
}

// runOf looks at one run folder.
func runOf(path string) (runInfo, error) {
	one := runInfo{Path: path, Holds: map[rundir.Kind]int{}}
	st, err := os.Stat(path)
	if err != nil {
		return one, err
	}
	one.Started = st.ModTime()
	if run, err := rundir.Read(path); err == nil {
		one.fromNote(run)
	}
	folder, err := rundir.Join(path)
	if err != nil {
		return one, err
	}
	defer folder.Close()
	files, _, err := formats.Files(path)
	one.Readable = err == nil
	for _, f := range folder.Scan() {
		one.Size += f.Size
		if f.Kind == rundir.Other && slices.Contains(files, filepath.Join(path, filepath.FromSlash(f.Path))) {
			f.Kind = rundir.Trace // whatever it is called
		}
		one.Holds[f.Kind]++
	}
	return one, nil
}

// fromNote takes what run.json says.
func (o *runInfo) fromNote(run rundir.Run) {
	o.App, o.Ranks, o.Warnings = run.App, len(run.Ranks), run.Warnings
	var began, ended time.Time
	for _, r := range run.Ranks {
		if !r.Started.IsZero() && (began.IsZero() || r.Started.Before(began)) {
			began = r.Started
		}
		if r.Ended.After(ended) {
			ended = r.Ended
		}
	}
	if l := run.Launch; l != nil {
		o.Backend, o.ExitCode, o.Signal = l.Backend, l.ExitCode, l.Signal
		began, ended = l.Started, l.Ended
	}
	if !began.IsZero() {
		o.Started = began
		o.Duration = max(0, ended.Sub(began).Nanoseconds())
	}
}
