package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reel/analyze"
	"reel/internal/display"
	"reel/internal/launch"
	"reel/internal/report"
	"reel/internal/rundir"
	"reel/render/text"
	"reel/table"
	"reel/unit"
)

// tellRun says, on stderr, what a run left: its summary, who was lost, what was not
// recorded, and each file with what opens it.
func (a *app) tellRun(r *launch.Result, opt launch.Options, f profileFlags) {
	folder := relative(r.Folder)
	fmt.Fprintf(a.Err, "\n%s after %v%s · %s\n", ending(r), unit.Dur(r.Ended.Sub(r.Started)), processCount(r), display.Clean(folder))
	for _, line := range r.Nothing {
		a.warn("%s", display.Clean(line))
	}
	for _, line := range r.Lost {
		a.warn("%s; what it had recorded is kept", display.Clean(line))
	}
	if len(r.Nothing) == 0 && !f.plain && !f.noSummary {
		a.runSummary(r)
	}
	if len(r.Missing) > 0 && len(r.Nothing) == 0 && !f.plain {
		fmt.Fprintf(a.Err, "not recorded: %s\n  with Nsight Systems installed, 'reel profile --nsys' records them%s\n", launch.SourceNames(r.Missing), cudaHint(r.Missing))
	}
	a.listFiles(r)
	if len(r.Nothing) == 0 && !f.plain {
		fmt.Fprintf(a.Err, "look again: reel summary %s\nas a page:  reel export %[1]s --to html\n", display.Clean(folder))
	}
}

func cudaHint(missing []string) string {
	for _, s := range missing {
		if s == "cuda" {
			return ";\n  PyTorch's profiler has its device work too (a profiler_config with profiler: torch)"
		}
	}
	return ""
}

// ending is how the command ended: "exit code 0", "ended by SIGKILL (exit code 137)".
func ending(r *launch.Result) string {
	if r.Signal != "" {
		return fmt.Sprintf("ended by %s (exit code %d)", r.Signal, r.Code)
	}
	return fmt.Sprintf("exit code %d", r.Code)
}

func processCount(r *launch.Result) string {
	n := len(r.Processes)
	switch n {
	case 0:
		return ""
	case 1:
		return ", 1 process recorded"
	}
	return fmt.Sprintf(", %d processes recorded", n)
}

// runSummary prints the summary of what the run recorded. Ctrl-C leaves it out;
// what is recorded stays.
func (a *app) runSummary(r *launch.Result) {
	ctx, stop := interruptible()
	defer stop()
	err := a.summarizeRun(ctx, r)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		a.warn("the summary was interrupted; 'reel summary %s' gives it", relative(r.Folder))
	default:
		a.warn("no summary: %v", err)
	}
}

func (a *app) summarizeRun(ctx context.Context, r *launch.Result) error {
	inputs := summaryInputs(r)
	if len(inputs) == 0 {
		return errors.New("there is no export of a report to read")
	}
	p, err := a.partials(ctx, inputs, summaryFlags{})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Err)
	return report.Summary(a.Err, analyze.Finalize(p), a.layout())
}

// summaryInputs are what the summary reads: the run folder, or, where the export of a
// report failed or was cut short, the other exports. To read such a report would convert
// it once more, by whatever nsys is on the path.
func summaryInputs(r *launch.Result) (paths []string) {
	exports := map[string]bool{}
	for _, f := range r.Files {
		if f.Kind == rundir.NsysExport {
			exports[f.Path] = true
			paths = append(paths, filepath.Join(relative(r.Folder), filepath.FromSlash(f.Path)))
		}
	}
	for _, f := range r.Files {
		if stem, isReport := strings.CutSuffix(f.Path, ".nsys-rep"); isReport && !exports[stem+".sqlite"] {
			return paths
		}
	}
	return []string{relative(r.Folder)}
}

// listFiles lists what lies in the run folder and what opens each.
func (a *app) listFiles(r *launch.Result) {
	const most = 24
	t := table.New("artefacts", table.Col{Name: "file", Unit: table.Text}, table.Col{Name: "size", Unit: table.Bytes}, table.Col{Name: "opens in", Unit: table.Text})
	for i, f := range r.Files {
		if i == most {
			t.Note("and %d more", len(r.Files)-most)
			break
		}
		t.Add(display.Clean(f.Path), f.Size, f.Viewer)
	}
	for _, path := range r.Placed {
		if st, err := os.Stat(path); err == nil {
			t.Add(display.Clean(path), st.Size(), rundir.NsysReport.Viewer())
		}
	}
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintln(a.Err)
	_ = text.Write(a.Err, t, text.Options{Width: a.width(), Indent: 2}) // stderr's faults cannot be told
}

// relative makes a path below the working folder relative.
func relative(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
