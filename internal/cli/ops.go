package cli

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/formats"
	"reel/internal/report"
	"reel/render/csv"
	"reel/timeline"
)

// opsFlags are the flags of the operator table.
type opsFlags struct {
	by, sort string
	limit    int
	calls    int
}

// options reads the flags; form is the form of the output.
func (f *opsFlags) options(c *cobra.Command, form string) (o analyze.OpsOptions, err error) {
	switch by := analyze.OpsBy(f.by); by {
	case analyze.OpsByName, analyze.OpsByShape, analyze.OpsByStack:
		o.By = by
	default:
		return o, misusef("--by %q: want name, shape or stack", f.by)
	}
	if f.sort != "" {
		if o.Sort, err = analyze.ParseOpsSort(f.sort); err != nil {
			return o, misusef("--sort: %w", err)
		}
	}
	if f.limit < 0 || f.calls < 0 {
		return o, misusef("--limit and --calls cannot be negative")
	}
	o.Limit, o.Calls = f.limit, f.calls
	if !c.Flags().Changed("limit") && (form == asJSON || form == asCSV) {
		o.Limit = 0
	}
	return o, nil
}

func (a *app) opsCmd() *cobra.Command {
	var flags opsFlags
	var out *output
	c := &cobra.Command{
		Use:     "ops [PATH...]",
		Short:   "operator table: what each operator and kernel cost",
		GroupID: "read",
		Long: `Adds up operators, runtime calls and kernels as torch.profiler's key_averages
does: CPU and device time, with and without what they call. Several files are the
ranks of one job, and their rows are added up.

Text and Markdown show the first 30 rows, JSON and CSV all of them; --limit says
otherwise.`,
		Example: `  reel ops trace.json.gz
  reel ops trace.json.gz --by shape --sort self_cpu --limit 0
  reel ops trace.json.gz --by stack --format csv`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			opt, err := flags.options(c, form)
			if err != nil {
				return err
			}
			r, err := a.ops(c.Context(), args, opt)
			if err != nil {
				return err
			}
			return a.printOps(r, form)
		}),
	}
	c.Flags().StringVar(&flags.by, "by", "name", "what shares a row: name, shape or stack")
	c.Flags().StringVar(&flags.sort, "sort", "", "the `COLUMN` to sort by, largest first (default self_device, or self_cpu without a device)")
	c.Flags().IntVar(&flags.limit, "limit", 30, "how many rows to show; 0 is all")
	c.Flags().IntVar(&flags.calls, "calls", 8, "how many calls of a stack tell rows apart, with --by stack")
	completeOps(c)
	out = formatFlags(c, "reel.ops/1")
	return c
}

func completeOps(c *cobra.Command) {
	var sorts []string
	for _, s := range analyze.OpsSorts {
		sorts = append(sorts, string(s))
	}
	by := []string{string(analyze.OpsByName), string(analyze.OpsByShape), string(analyze.OpsByStack)}
	_ = c.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sorts, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(by, cobra.ShellCompDirectiveNoFileComp))
}

// ops reads the traces and adds up their operators.
func (a *app) ops(ctx context.Context, args []string, opt analyze.OpsOptions) (*analyze.OpsReport, error) {
	files, err := a.inputs(args)
	if err != nil {
		return nil, err
	}
	load := loadOptions{read: formats.Options{Args: opt.Args(), NoPython: opt.By != analyze.OpsByStack},
		keep: timeline.Options{Args: opt.Args()}, python: analyze.OpsCountsPython}
	limit := opt.Limit
	if len(files) > 1 {
		opt.Limit = 0 // rows of all ranks are needed for the sums
	}
	all := make([]*analyze.OpsReport, len(files))
	err = a.load(ctx, files, load, func(i int, tl *timeline.Timeline) error {
		r := analyze.Ops(tl, opt)
		for k := range r.Notes {
			if len(files) > 1 {
				r.Notes[k] = files[i].name() + ": " + r.Notes[k]
			}
		}
		all[i] = &r
		return nil
	})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r *analyze.OpsReport) bool { return r == nil }) // passed over
	if len(all) == 1 && len(files) == 1 {
		return all[0], nil
	}
	return report.MergeOps(all, limit), nil
}

func (a *app) printOps(r *analyze.OpsReport, form string) error {
	switch form {
	case asJSON:
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(r)
	case asCSV:
		return csv.Write(a.Out, report.OpsRows(r))
	case asMarkdown:
		return report.OpsMarkdown(a.Out, r)
	}
	return report.Ops(a.Out, r, a.layout())
}
