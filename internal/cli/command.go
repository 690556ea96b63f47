package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// run wraps a verb so that messages carry its name.
func (a *app) run(verb func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		a.verb = verbOf(c)
		return verb(c, args)
	}
}

// noArgs refuses arguments.
func (a *app) noArgs(c *cobra.Command, args []string) error {
	a.verb = verbOf(c)
	if len(args) > 0 {
		return misusef("takes no arguments, got %q", args[0])
	}
	return nil
}

// The forms of output.
const (
	asText     = "text"
	asJSON     = "json"
	asCSV      = "csv"
	asMarkdown = "markdown"
)

// output is the choice of an output's form.
type output struct {
	format string
	json   bool
	forms  []string
}

// formatFlags adds --format and --json.
func formatFlags(c *cobra.Command, schema string) *output {
	o := &output{forms: []string{asText, asJSON, asCSV, asMarkdown}}
	c.Flags().StringVar(&o.format, "format", "", "what to print: "+strings.Join(o.forms, ", ")+" (default text)")
	c.Flags().BoolVar(&o.json, "json", false, "short for --format json: one document, "+schema)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(o.forms, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	return o
}

// form returns the form chosen.
func (o *output) form() (string, error) {
	if o.json {
		if o.format != "" && o.format != asJSON {
			return "", misusef("--json and --format %s contradict each other", o.format)
		}
		return asJSON, nil
	}
	f := cmp.Or(o.format, asText)
	if !slices.Contains(o.forms, f) {
		return "", misusef("--format %q: want %s", f, strings.Join(o.forms, ", "))
	}
	return f, nil
}

// warn prints a warning to stderr.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.Err, "reel %s: "+format+"\n", append([]any{a.verb}, args...)...)
}
