package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reel/internal/rundir"
)

// Collect finds the reports, exports them to SQLite, and gives them the name that
// was asked for.
func (n *Nsys) Collect(ctx context.Context, r *run) {
	reports, err := filepath.Glob(filepath.Join(escapeGlob(r.folder.Path()), "*"+reportSuffix))
	if err != nil {
		r.warn("look for reports: %v", err)
	}
	slices.SortFunc(reports, func(a, b string) int { // .2 before .10
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	if len(reports) == 0 {
		r.result.Nothing = n.noReport(r)
		return
	}
	for _, report := range reports {
		if err := n.export(ctx, r, report); err != nil {
			r.warn("%s is not exported: %v; later: %s export --type=sqlite --force-overwrite=true %s", filepath.Base(report), err, shellWord(n.Program), shellWord(r.relative(report)))
		}
	}
	if isReportFile(r.opt.Report) {
		n.place(r, reports)
	}
}

// escapeGlob makes a path's special characters mean themselves.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// exportTime bounds an export: of a report of some gigabytes it takes minutes.
const exportTime = 30 * time.Minute

// export makes the SQLite file that Reel reads. It appears whole or not at all.
func (n *Nsys) export(ctx context.Context, r *run, report string) error {
	out := strings.TrimSuffix(report, reportSuffix) + ".sqlite"
	if exists(out) { // nsys was told to export by itself
		return nil
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	dir, err := os.MkdirTemp(r.folder.Path(), ".export-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r.say("exporting %s to SQLite", filepath.Base(report))
	timed, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	part := filepath.Join(dir, "export.sqlite")
	text, err := n.says(timed, r.child.cmd.Env, "export", "--type=sqlite", "--output="+part, report)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case timed.Err() != nil:
		return fmt.Errorf("it took longer than %v", exportTime)
	case err != nil || !exists(part):
		return errors.New(firstLine(text))
	}
	return os.Rename(part, out)
}

var errInterrupted = errors.New("interrupted")

// shellWord quotes a word of a command line that people copy, where that is needed.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// place gives reports the name asked for: run.nsys-rep, or run.1.nsys-rep, … when
// there are several. They stay in the run folder as well.
func (n *Nsys) place(r *run, reports []string) {
	file := reportPath(r.opt.Report)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		r.warn("--report-path: %v; the reports lie in %s", err, r.relative(r.folder.Path()))
		return
	}
	for i, report := range reports {
		to := file
		if len(reports) > 1 {
			to = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(file, reportSuffix), i+1, reportSuffix)
		}
		if err := place(report, to, r.opt.Force); err != nil {
			r.warn("--report-path: %v; the report is %s", err, r.relative(report))
			continue
		}
		r.result.Placed = append(r.result.Placed, to)
	}
}

// noReport says why nsys left none.
func (n *Nsys) noReport(r *run) []string {
	var why []string
	stream, _ := filepath.Glob(filepath.Join(escapeGlob(r.folder.Path()), "*.qdstrm"))
	ranged := n.ranged(r)
	switch {
	case len(stream) > 0:
		why = append(why, fmt.Sprintf("nsys was ended before it made its report and left %s; QdstrmImporter, which comes with Nsight Systems, converts it when it is whole", filepath.Base(stream[0])))
	case r.result.Signal == "SIGKILL":
		why = append(why, "nsys left no report: it was ended by SIGKILL before it wrote one; a longer --grace, or an earlier Ctrl-C, lets it finish")
	case r.result.Code != 0:
		why = append(why, fmt.Sprintf("nsys left no report; it ended with exit code %d, and what it said stands above", r.result.Code))
	case ranged == "":
		why = append(why, "nsys left no report, and what it said stands above")
	}
	if ranged != "" {
		window := "start_profile was never called, or by no process that has CUDA"
		if r.opt.Window != "" {
			window = "window " + r.opt.Window + " was never entered, or the command does not drive cudaProfilerStart: Lantern, TensorRT-LLM VisualGen and Reel's Python client do"
		}
		if value, _ := n.given(captureRange); value == "nvtx" {
			window = "the range was never entered; nsys knows registered names alone, and PyTorch's are not, unless NSYS_NVTX_PROFILER_REGISTER_ONLY=0 is set"
		}
		why = append(why, "no capture range was opened: "+window)
	}
	return why
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return rundir.HideValue(line)
}
