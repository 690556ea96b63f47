package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/formats"
	"reel/internal/report"
	"reel/render/csv"
	"reel/timeline"
)

// summaryFlags are the flags of verbs that read traces for a summary.
type summaryFlags struct {
	noPython bool
	roles    string
}

func (s *summaryFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&s.noPython, "no-python", false, "leave out Python calls: less memory, but stages that only they show are not found")
	c.Flags().StringVar(&s.roles, "roles", "", "a YAML `FILE` of rules that say what ranges mean, asked before the built-in ones")
	_ = c.MarkFlagFilename("roles", "yaml", "yml") // fails for unknown flags only
}

// table loads the rule table.
func (s *summaryFlags) table() (*analyze.Roles, error) {
	if s.roles == "" {
		return analyze.LoadRoles()
	}
	doc, err := os.ReadFile(s.roles)
	if err != nil {
		return nil, misusef("--roles: %w", err)
	}
	roles, err := analyze.LoadRoles(doc)
	if err != nil {
		return nil, misusef("--roles %s: %w", s.roles, err)
	}
	return roles, nil
}

func (a *app) summaryCmd() *cobra.Command {
	var flags summaryFlags
	var out *output
	c := &cobra.Command{
		Use:     "summary [PATH...]",
		Short:   "what happened: requests, stages, steps, how busy the device was",
		GroupID: "read",
		Long: `Says where the time of each request went: its stages and denoise steps, with
CPU and device time, how busy the device was, and what is wrong with the file.

PATH is a trace, or a folder of traces; several files are the ranks of one job.
Without PATH the latest run under artifacts/profiles is meant.`,
		Example: `  reel summary trace.json.gz
  reel summary rank0.json.gz rank1.json.gz
  reel summary artifacts/profiles/run-7 --json`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			p, err := a.partials(c.Context(), args, flags)
			if err != nil {
				return err
			}
			return a.printSummary(analyze.Finalize(p), form)
		}),
	}
	flags.add(c)
	out = formatFlags(c, "reel.summary/1")
	return c
}

// partials reads the traces that the arguments name and returns what a summary
// needs of them.
func (a *app) partials(ctx context.Context, args []string, flags summaryFlags) (*analyze.Partial, error) {
	return a.examine(ctx, args, flags, nil, analyze.Limits{})
}

// examine is partials with thresholds of findings, and with arguments of operators
// (keys of analyze.OpsArgs) that are read for the rates of kernels.
func (a *app) examine(ctx context.Context, args []string, flags summaryFlags, keep []string, limits analyze.Limits) (*analyze.Partial, error) {
	roles, err := flags.table()
	if err != nil {
		return nil, err
	}
	files, err := a.inputs(args)
	if err != nil {
		return nil, err
	}
	parts, covered := make([]*analyze.Partial, len(files)), coverage{}
	opt := loadOptions{read: formats.Options{NoPython: flags.noPython, Args: keep, MarkArgs: analyze.MemoryArgs},
		keep: timeline.Options{Args: keep, MarkArgs: analyze.MemoryArgs}}
	err = a.load(ctx, files, opt, func(i int, tl *timeline.Timeline) error {
		s, d := analyze.Examine(tl, roles, analyze.ExamineOptions{Limits: limits, Coverage: covered.of(files, i, tl.Info.Rank)})
		parts[i] = analyze.NewPartial(tl, s, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return analyze.MergeAll(parts...), nil
}

// printSummary prints a document in the form asked for.
func (a *app) printSummary(d *analyze.Document, form string) error {
	switch form {
	case asJSON:
		return d.Encode(a.Out)
	case asCSV:
		return csv.Write(a.Out, report.SummaryRows(d))
	case asMarkdown:
		return report.SummaryMarkdown(a.Out, d)
	}
	return report.Summary(a.Out, d, a.layout())
}

// layout is how reports for people are laid out here.
func (a *app) layout() report.Options {
	return report.Options{Width: a.width(), Color: a.color()}
}
