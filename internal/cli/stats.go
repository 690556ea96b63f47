package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reel/formats"
	"reel/internal/display"
	"reel/internal/nsysstats"
	"reel/render/markdown"
	"reel/timeline"
)

func (a *app) statsCmd() *cobra.Command {
	var names []string
	var opt nsysstats.Options
	var out *output
	c := &cobra.Command{
		Use:     "stats PATH... --report NAME[,NAME]",
		Short:   "the tables of nsys stats, for any trace",
		GroupID: "read",
		Long: `Prints the tables of 'nsys stats' without nsys: for its exports, and for every
other trace that has ranges, calls or work on a device. Several files are added up
as processes are.

Reports:
  ` + strings.Join(nsysstats.Names(), "\n  ") + `

cuda_gpu_kern_sum and nvtx_kern_sum take ":base" (plain kernel names),
cuda_gpu_kern_sum also ":nvtx-name" (the innermost range before the name).

Text is nsys' column layout, csv has its headings, and times are nanoseconds.
--native makes one row of ranges whose names differ by a number only
("aten::mm, op_id = 7", "model.step[3]"); nsys keeps them apart.`,
		Example: `  reel stats trace.json.gz --report cuda_gpu_kern_sum
  reel stats trace.json.gz --report nvtx_sum,nvtx_gpu_proj_sum --native
  reel stats trace.json.gz --report cuda_api_sum --format csv`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := statsForm(out)
			if err != nil {
				return err
			}
			if len(names) == 0 {
				names = nsysstats.Default()
			}
			for _, n := range names {
				if err := nsysstats.Check(n); err != nil {
					return misusef("--report: %w", err)
				}
			}
			if opt.Limit < 0 {
				return misusef("--limit cannot be negative")
			}
			reports, err := a.stats(c.Context(), args, names, opt)
			if err != nil {
				return err
			}
			return a.printStats(reports, form)
		}),
	}
	c.Flags().StringSliceVar(&names, "report", nil, "the reports, separated by commas (default "+strings.Join(nsysstats.Default(), ", ")+")")
	c.Flags().BoolVar(&opt.Native, "native", false, "one row for ranges whose names differ by a number only")
	c.Flags().IntVar(&opt.Limit, "limit", 0, "how many rows of each report to show; 0 is all")
	_ = c.RegisterFlagCompletionFunc("report", cobra.FixedCompletions(nsysstats.Names(), cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	out = formatFlags(c, nsysstats.Schema)
	return c
}

// statsForm is the form of the output; nsys calls text "column".
func statsForm(out *output) (string, error) {
	if out.format == "column" {
		out.format = asText
	}
	return out.form()
}

// stats reads the traces and makes the reports.
func (a *app) stats(ctx context.Context, args, names []string, opt nsysstats.Options) ([]*nsysstats.Report, error) {
	files, err := a.inputs(args)
	if err != nil {
		return nil, err
	}
	srcs := make([]nsysstats.Source, len(files))
	load := loadOptions{read: formats.Options{Args: nsysstats.Args, NoPython: true, RawNames: !opt.Native, Tables: nsysstats.Tables(names)}, keep: timeline.Options{Args: nsysstats.Args}}
	err = a.load(ctx, files, load, func(i int, tl *timeline.Timeline) error {
		srcs[i] = nsysstats.Source{TL: tl}
		return nil
	})
	if err != nil {
		return nil, err
	}
	srcs = slices.DeleteFunc(srcs, func(s nsysstats.Source) bool { return s.TL == nil }) // passed over
	var all []*nsysstats.Report
	for _, n := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := nsysstats.Run(srcs, n, opt)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// printStats prints reports. What CSV has no place for goes to stderr.
func (a *app) printStats(reports []*nsysstats.Report, form string) error {
	switch form {
	case asJSON:
		return nsysstats.WriteJSON(a.Out, reports)
	case asCSV:
		for _, r := range reports {
			if r.Skipped != "" {
				a.warn("SKIPPED: %s", display.Clean(r.Skipped))
			}
			for _, n := range r.Notes {
				a.warn("%s: %s", r.Name, display.Clean(n))
			}
		}
		return nsysstats.WriteCSV(a.Out, reports)
	case asMarkdown:
		for _, r := range reports {
			if err := markdown.Write(a.Out, r.Table()); err != nil {
				return err
			}
		}
		return nil
	}
	return nsysstats.WriteColumns(a.Out, reports, a.knownWidth())
}

// knownWidth is width where somebody told it, and 0, no limit, in a pipe or file:
// tables in a layout that programs read are not cut there.
func (a *app) knownWidth() int {
	if a.Getenv("COLUMNS") == "" && !isTerminal(a.Out) {
		return 0
	}
	return a.width()
}
