package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/internal/report"
	"reel/render/csv"
)

// doctorFlags say when findings fail the verb, and what counts as one.
type doctorFlags struct {
	failOn string
	limits []string
}

func (f *doctorFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.failOn, "fail-on", "", "exit 3 when there is a finding as bad as `SEVERITY`: warn or error")
	c.Flags().StringArrayVar(&f.limits, "limit", nil, "another threshold, `NAME=VALUE` (gpu-idle=20%); may be given several times, --limits lists them")
	_ = c.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"warn", "error"}, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
}

// read checks the flags. Without --fail-on, gate is "".
func (f *doctorFlags) read() (gate analyze.Severity, limits analyze.Limits, err error) {
	switch gate = analyze.Severity(f.failOn); gate {
	case "", analyze.SeverityWarn, analyze.SeverityError:
	default:
		return "", limits, misusef("--fail-on %q: want warn or error", f.failOn)
	}
	for _, l := range f.limits {
		if err := limits.Set(l); err != nil {
			return "", limits, misusef("--limit %w", err)
		}
	}
	return gate, limits, nil
}

func (a *app) doctorCmd() *cobra.Command {
	var summary summaryFlags
	var flags doctorFlags
	var out *output
	var list bool
	c := &cobra.Command{
		Use:     "doctor [PATH...]",
		Short:   "what is slow and why: findings with evidence, cost and remedy",
		GroupID: "read",
		Long: `Looks for the faults that an engineer would look for in a timeline, and says for
each what it costs at most, where it is, the numbers that show it, and what helps.
Then comes what is well, and what the trace does not tell.

Costs are upper bounds, and may overlap: two findings can be two sides of one fault.
docs/findings.md describes every finding and its thresholds.`,
		Example: `  reel doctor trace.json.gz
  reel doctor rank*.json.gz --fail-on error
  reel doctor trace.json.gz --limit gpu-idle=25% --json`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			if list {
				return a.printLimits(form)
			}
			gate, limits, err := flags.read()
			if err != nil {
				return err
			}
			p, err := a.examine(c.Context(), args, summary, analyze.OpsOptions{}.Args(), limits)
			if err != nil {
				return err
			}
			d := analyze.FinalizeLimits(p, limits)
			if err := a.printDoctor(d, form); err != nil {
				return err
			}
			return a.gate(d.Findings, gate)
		}),
	}
	summary.add(c)
	flags.add(c)
	c.Flags().BoolVar(&list, "limits", false, "list the thresholds and what they bound, and read nothing")
	out = formatFlags(c, analyze.DoctorSchema)
	return c
}

// gate fails when a finding is as bad as severity; "" never does.
func (a *app) gate(findings []analyze.Finding, severity analyze.Severity) error {
	n := 0
	for _, f := range findings {
		if severity != "" && f.Severity.AtLeast(severity) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	what := "findings are"
	if n == 1 {
		what = "finding is"
	}
	a.warn("%d %s as bad as %q or worse", n, what, severity)
	return errGate
}

func (a *app) printDoctor(d *analyze.Document, form string) error {
	switch form {
	case asJSON:
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(d.Doctor())
	case asCSV:
		return csv.Write(a.Out, report.FindingRows(d))
	case asMarkdown:
		return report.DoctorMarkdown(a.Out, d)
	}
	return report.Doctor(a.Out, d, a.layout())
}

// printLimits lists the thresholds.
func (a *app) printLimits(form string) error {
	switch form {
	case asText:
		return report.Limits(a.Out, a.layout())
	case asCSV:
		return csv.Write(a.Out, report.LimitRows())
	}
	return misusef("--limits is printed as text or csv, not as %s", form)
}
