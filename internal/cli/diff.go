package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/formats"
	"reel/internal/report"
	"reel/render/csv"
	"reel/render/html"
	"reel/timeline"
	"reel/unit"
)

// diffFlags say what is compared, and what a regression is.
type diffFlags struct {
	summaryFlags
	threshold, minDelta string
	by                  []string
	limit, request      int
	exact, force        bool
	html, cache         string
}

func (f *diffFlags) add(c *cobra.Command) {
	f.summaryFlags.add(c)
	s := c.Flags()
	s.StringVar(&f.threshold, "threshold", "", "`PERCENT` that a request, stage or step must be slower to be a regression (default 8% for a request, 5% for the others)")
	s.StringVar(&f.minDelta, "min-delta", "", "`TIME` that it must be slower as well, a step times the steps of a request (default 500ms for a request, 250ms for the others)")
	s.StringSliceVar(&f.by, "by", nil, "`KINDS` of rows to show, with commas: request, stage, step, phase, op, kernel (default all)")
	s.IntVar(&f.limit, "limit", 15, "how many operators, and how many kernels, to show; 0 is all")
	s.IntVar(&f.request, "request", 0, "compare request `N` of each run alone, counted from 0 (default all)")
	s.BoolVar(&f.exact, "exact", false, "names must be equal: hashes, addresses, numbers and template arguments count")
	s.StringVar(&f.cache, "cache", "", "of start-up reports with both, compare the runs whose page cache was `cold` or warm")
	s.StringVar(&f.html, "html", "", "write the comparison as one page to `FILE` as well")
	s.BoolVar(&f.force, "force", false, "overwrite FILE when it exists")
	kinds := make([]string, len(analyze.DiffKinds))
	for i, k := range analyze.DiffKinds {
		kinds[i] = string(k)
	}
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	_ = c.RegisterFlagCompletionFunc("cache", cobra.FixedCompletions([]string{"cold", "warm"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.MarkFlagFilename("html", "html")
}

// options reads the flags; form is the form of the output.
func (f *diffFlags) options(c *cobra.Command, form string) (o analyze.DiffOptions, m analyze.MeasureOptions, err error) {
	if f.threshold != "" {
		p, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(f.threshold, "%")), 64)
		if err != nil || !(p >= 0 && p <= 1e6) {
			return o, m, misusef("--threshold %q: want a percentage, 0 or more", f.threshold)
		}
		o.Percent = &p
	}
	if f.minDelta != "" {
		d, err := unit.ParseDur(f.minDelta)
		if err != nil || d < 0 {
			return o, m, misusef("--min-delta %q: want a time such as 20ms, 0 or more", f.minDelta)
		}
		o.MinDelta = new(int64(d))
	}
	for _, k := range f.by {
		if !slices.Contains(analyze.DiffKinds, analyze.DiffKind(k)) {
			return o, m, misusef("--by %q: want request, stage, step, phase, op or kernel", k)
		}
		o.Kinds = append(o.Kinds, analyze.DiffKind(k))
	}
	if f.limit < 0 || f.request < 0 {
		return o, m, misusef("--limit and --request cannot be negative")
	}
	if o.Limit = f.limit; !c.Flags().Changed("limit") && (form == asJSON || form == asCSV) {
		o.Limit = 0
	}
	if c.Flags().Changed("request") {
		m.Request = &f.request
	}
	o.Exact, m.Exact = f.exact, f.exact
	return o, m, nil
}

func (a *app) diffCmd() *cobra.Command {
	var flags diffFlags
	var out *output
	c := &cobra.Command{
		Use:     "diff A B | diff A... -- B...",
		Short:   "what got slower or faster between two runs, or two sets of runs",
		GroupID: "read",
		Long: `Compares two sides by requests, stages, steps, operators and kernels, and exits 3
when B has a regression: a request, stage or step that is slower by more than a
percentage and by more than a time.

A run is a trace, a run folder (its ranks are taken together), or a start-up report,
whose phases are compared. With 8 runs a side or more, recorded by turns, a change
must also be significant: a Mann-Whitney test, corrected for the number of rows.
With fewer the thresholds alone decide. docs/diff.md says more.`,
		Example: `  reel diff before.json.gz after.json.gz
  reel diff --threshold 3% --min-delta 20ms runs/a-* -- runs/b-*
  reel diff before/ after/ --by kernel --limit 40
  reel diff main.startup.json branch.startup.json`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			opt, measure, err := flags.options(c, form)
			if err != nil {
				return err
			}
			sides, err := sidesOf(args, c.ArgsLenAtDash())
			if err != nil {
				return err
			}
			return a.diff(c.Context(), sides, &flags, opt, measure, form)
		}),
	}
	flags.add(c)
	out = formatFlags(c, analyze.DiffSchema)
	return c
}

// sidesOf parts the arguments; dash is how many stand before "--", -1 without.
func sidesOf(args []string, dash int) (sides [2][]string, err error) {
	for _, arg := range args[max(0, dash):] {
		if dash >= 0 && strings.HasPrefix(arg, "-") {
			return sides, misusef("%s stands behind --, where runs are named: flags go in front of the runs", arg)
		}
	}
	switch {
	case dash > 0 && dash < len(args):
		sides = [2][]string{args[:dash], args[dash:]}
		return sides, twice(sides)
	case dash < 0 && len(args) == 2:
		return [2][]string{args[:1], args[1:]}, nil
	case dash < 0 && len(args) > 2:
		return sides, misusef("%d runs: part the sides with --, as in 'reel diff A1 A2 -- B1 B2'", len(args))
	}
	return sides, misusef("two sides are needed: 'reel diff A B', or 'reel diff A... -- B...'")
}

// twice is the error of a run that is named twice on a side: it is one sample.
func twice(sides [2][]string) error {
	for _, side := range sides {
		seen := map[string]string{}
		for _, arg := range side {
			path := arg
			if real, err := filepath.EvalSymlinks(arg); err == nil {
				path = real
			}
			if path, err := filepath.Abs(path); err == nil && seen[path] != "" {
				return misusef("%s and %s are one run: a run counts once on its side", seen[path], arg)
			} else if err == nil {
				seen[path] = arg
			}
		}
	}
	return nil
}

func (a *app) diff(ctx context.Context, sides [2][]string, f *diffFlags, opt analyze.DiffOptions, m analyze.MeasureOptions, form string) error {
	if f.html != "" {
		if err := mayWrite(f.html, f.force); err != nil {
			return err
		}
	}
	runs, err := a.diffRuns(ctx, sides, f, m)
	if err != nil {
		return err
	}
	d := analyze.Compare(runs[0], runs[1], opt)
	if f.html != "" {
		err := a.writeFile(f.html, f.force, func(w io.Writer) error { return html.WriteDiff(w, d) })
		if err != nil {
			return err
		}
	}
	if err := a.printDiff(d, form); err != nil {
		return err
	}
	if d.Apart() {
		return errors.New("the sides have no request in common, or no stage, step or phase: nothing of B can be judged by A")
	}
	if d.Regressions > 0 {
		a.warn("%s", report.Gate(d))
		return errGate
	}
	return nil
}

func (a *app) printDiff(d *analyze.Diff, form string) error {
	switch form {
	case asJSON:
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(d)
	case asCSV:
		return csv.Write(a.Out, report.DiffRows(d))
	case asMarkdown:
		return report.DiffMarkdown(a.Out, d)
	}
	return report.Diff(a.Out, d, a.layout())
}

// diffRuns measures the runs of both sides.
func (a *app) diffRuns(ctx context.Context, sides [2][]string, f *diffFlags, m analyze.MeasureOptions) (runs [2][]*analyze.DiffRun, err error) {
	starts := 0
	for _, arg := range slices.Concat(sides[0], sides[1]) {
		if isStartup(arg) {
			starts++
		}
	}
	switch {
	case starts == 0:
		runs, err = a.diffTraces(ctx, sides, f, m)
	case starts < len(sides[0])+len(sides[1]):
		return runs, misusef("start-up reports compare with start-up reports alone")
	default:
		runs, err = diffStartups(sides, f.cache)
	}
	if err == nil {
		nameRuns(runs, sides)
	}
	return runs, err
}

// nameRuns names runs by the last part of their path, by two where both sides are
// called the same.
func nameRuns(runs [2][]*analyze.DiffRun, sides [2][]string) {
	parts := 1
	if filepath.Base(sides[0][0]) == filepath.Base(sides[1][0]) {
		parts = 2
	}
	for _, side := range runs {
		for _, r := range side {
			list := strings.Split(filepath.ToSlash(filepath.Clean(r.Path)), "/")
			r.Path = strings.Join(list[max(0, len(list)-parts):], "/")
		}
	}
}

// diffTraces reads the runs of both sides, several files at once.
func (a *app) diffTraces(ctx context.Context, sides [2][]string, f *diffFlags, m analyze.MeasureOptions) (runs [2][]*analyze.DiffRun, err error) {
	roles, err := f.table()
	if err != nil {
		return runs, err
	}
	var files []input
	type place struct{ side, run int }
	var of []place
	for side, args := range sides {
		for run, arg := range args {
			list, err := a.inputs([]string{arg})
			if err != nil {
				return runs, err
			}
			files = append(files, list...)
			of = append(of, slices.Repeat([]place{{side, run}}, len(list))...)
		}
	}
	ranks := make([]*analyze.DiffRun, len(files))
	err = a.load(ctx, files, loadOptions{read: formats.Options{NoPython: f.noPython}}, func(i int, tl *timeline.Timeline) error {
		if m.Request != nil {
			if n := len(analyze.Derive(tl, roles).Requests); *m.Request >= n {
				return misusef("--request %d: %s has %d", *m.Request, files[i].name(), n)
			}
		}
		ranks[i] = analyze.MeasureRun(tl, roles, m)
		return nil
	})
	if err != nil {
		return runs, err
	}
	for side, args := range sides {
		for run, arg := range args {
			var own []*analyze.DiffRun
			for i, p := range of {
				if p == (place{side, run}) && ranks[i] != nil {
					own = append(own, ranks[i])
				}
			}
			if len(own) == 0 {
				return runs, fmt.Errorf("%s: no trace in it", arg)
			}
			joined := analyze.JoinRanks(own)
			joined.Path = arg
			runs[side] = append(runs[side], joined)
		}
	}
	return runs, nil
}
