package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"reel/internal/display"
	"reel/internal/lint"
	"reel/render/csv"
	"reel/render/markdown"
	"reel/table"
)

// lintSchema names the form of what reel lint --json prints.
const lintSchema = "reel.lint/1"

func (a *app) lintCmd() *cobra.Command {
	var o lint.Options
	var all bool
	var out *output
	c := &cobra.Command{
		Use:     "lint PATH...",
		Short:   "denoise loops that no profiler would see",
		GroupID: "more",
		Long: `Reads Go and Python sources and finds loops that step a transformer, UNet or
scheduler without a step iterator (rec.Steps, reel's denoise_steps) and without a
range named after steps: a profile of them would have no steps. The exit code is 3 when
there are some. Python parses its own sources; nothing of them is run.

A comment "reel: uninstrumented REASON" on the loop's line, or the one above,
silences one place.`,
		Example: `  reel lint src/
  reel lint --all . --format csv
  reel lint $(git diff --cached --name-only -- '*.py' '*.go')   # in a pre-commit hook`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return misusef("which sources? give files or folders")
			}
			r, err := lint.Run(c.Context(), args, o)
			if err != nil {
				return err
			}
			return a.printLint(r, form, all)
		}),
	}
	c.Flags().StringVar(&o.Python, "python", "", "the interpreter that parses Python sources (default python3)")
	c.Flags().BoolVar(&o.Tests, "tests", false, "read test sources, too")
	c.Flags().BoolVar(&all, "all", false, "list every denoise loop, also those that a profiler sees")
	out = formatFlags(c, lintSchema)
	return c
}

func (a *app) printLint(r *lint.Report, form string, all bool) error {
	shown, hits := []lint.Loop{}, 0
	for _, l := range r.Loops {
		if l.Finding() {
			hits++
		}
		if l.Finding() || all {
			shown = append(shown, l)
		}
	}
	for _, s := range r.Skipped {
		a.warn("not read: %s", display.Clean(s))
	}
	if err := a.writeLint(r, shown, hits, form); err != nil {
		return err
	}
	if hits > 0 {
		return errGate
	}
	return nil
}

func (a *app) writeLint(r *lint.Report, shown []lint.Loop, hits int, form string) error {
	switch form {
	case asJSON:
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(map[string]any{"schema": lintSchema, "files": r.Files, "loops": len(r.Loops), "findings": hits, "places": shown, "skipped": len(r.Skipped)})
	case asCSV, asMarkdown:
		t := table.New("lint", table.Col{Name: "file", Unit: table.Text}, table.Col{Name: "line"}, table.Col{Name: "evidence", Unit: table.Text},
			table.Col{Name: "seen", Unit: table.Text}, table.Col{Name: "silenced", Unit: table.Text})
		for _, l := range shown {
			t.Add(l.File, l.Line, l.Evidence, l.Seen, l.Silenced)
		}
		if form == asCSV {
			return csv.Write(a.Out, t)
		}
		return markdown.Write(a.Out, t)
	}
	for _, l := range shown {
		state := "no profiler sees its steps"
		switch {
		case l.Seen != "":
			state = "seen by " + l.Seen
		case l.Silenced != "":
			state = "silenced: " + l.Silenced
		}
		if _, err := fmt.Fprintf(a.Out, "%s:%d: %s: %s\n", display.Clean(l.File), l.Line, display.Shorten(display.Clean(l.Evidence), 100), display.Clean(state)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.Out, "%d denoise loops in %d files, %d without a step iterator or range\n", len(r.Loops), r.Files, hits)
	return err
}
