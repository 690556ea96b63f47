package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reel/internal/report"
	"reel/rec/startup"
	"reel/render/csv"
)

func (a *app) startupCmd() *cobra.Command {
	c := &cobra.Command{
		Use:     "startup",
		Short:   "where a cold start goes: measure it, show it, compare outputs",
		GroupID: "read",
		Long: `A start-up report says where the time from starting a process to the first result
went: imports, device set-up, the load of each component in its parts, the first
decode.`,
		Args: noVerb,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.startupShowCmd(), a.startupVAECmd(), a.startupCompareCmd(), a.startupWorkerCmd())
	return c
}

func (a *app) startupShowCmd() *cobra.Command {
	var out *output
	c := &cobra.Command{
		Use:   "show PATH...",
		Short: "a start-up report as a tree and a waterfall",
		Long: `Shows the phases of a start-up: total times, which hold those of the phases within,
own times, which add up to the whole, page faults, and when each phase ran. Of
several runs medians and extremes are shown; runs with a cold and with a warm page
cache are never mixed. Several reports are the ranks of one job.`,
		Example: `  reel startup show vae-startup.json
  reel startup show startup_rank*.json --format csv`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return misusef("which report? give its path")
			}
			r, err := readStartups(args)
			if err != nil {
				return err
			}
			switch form {
			case asJSON:
				e := json.NewEncoder(a.Out)
				e.SetEscapeHTML(false)
				return e.Encode(r)
			case asCSV:
				return csv.Write(a.Out, report.StartupRows(r))
			case asMarkdown:
				return report.StartupMarkdown(a.Out, r)
			}
			return report.Startup(a.Out, r, a.layout())
		}),
	}
	out = formatFlags(c, "startup")
	return c
}

// readStartups reads reports; several are ranks and become one.
func readStartups(paths []string) (*startup.Report, error) {
	var all []startup.Report
	for _, path := range paths {
		files := []string{path}
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			if files = startupFiles(path); len(files) == 0 {
				return nil, fmt.Errorf("%s: no startup*.json in this folder, nor in its folder startup", path)
			}
		}
		for _, file := range files {
			r, err := readStartup(file)
			if err != nil {
				return nil, err
			}
			all = append(all, *r)
		}
	}
	if len(all) == 1 {
		return &all[0], nil
	}
	m := startup.Merge(all...)
	return &m, nil
}

// startupFiles lists the start-up reports of a folder, and of a run's: the Python client
// leaves a rank's in the folder startup.
func startupFiles(dir string) (files []string) {
	for _, d := range []string{dir, filepath.Join(dir, "startup")} {
		files = append(files, filesIn(d, "startup", ".json")...)
	}
	return files
}

// filesIn lists the files of a folder by how their names begin and end, sorted; none when
// it cannot be read. A folder's name is no pattern.
func filesIn(dir, prefix, suffix string) (files []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if n := e.Name(); !e.IsDir() && strings.HasPrefix(n, prefix) && strings.HasSuffix(n, suffix) {
			files = append(files, filepath.Join(dir, n))
		}
	}
	return files
}

func readStartup(path string) (*startup.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	r, err := startup.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &r, nil
}
