package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"reel/internal/redact"
	"reel/render/text"
	"reel/table"
)

func (a *app) redactCmd() *cobra.Command {
	var out string
	var opt redact.Options
	c := &cobra.Command{
		Use:     "redact IN -o OUT",
		Short:   "the same file without what tells of people and machines",
		GroupID: "more",
		Long: `Writes a trace, recording, run.json or run folder anew without environment
variables, host and user names, names in home paths, captured output, and the
secrets of command lines, and prints what it removed. Events and their times stay.

After writing it searches the output for every secret that was in the input's
environment, and removes the output when one is left. It cannot know what a
program wrote into the name of a range: look at what you publish.`,
		Example: `  reel redact profile.sqlite -o public.sqlite
  reel redact artifacts/profiles/run-7 -o run-7-public`,
		Args: func(c *cobra.Command, args []string) error {
			a.verb = verbOf(c)
			if len(args) != 1 {
				return misusef("takes one file or folder, got %d", len(args))
			}
			return nil
		},
		RunE: a.run(func(c *cobra.Command, args []string) error {
			if out == "" || out == "-" {
				return misusef("-o OUT is needed: the file or folder to write")
			}
			r, err := redact.Run(c.Context(), args[0], out, opt)
			if err != nil {
				return err
			}
			return a.printRedacted(r)
		}),
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the `FILE` or folder to write")
	c.Flags().BoolVar(&opt.Force, "force", false, "overwrite a file that exists")
	return c
}

// printRedacted says what was removed.
func (a *app) printRedacted(r *redact.Report) error {
	t := table.New("redact", table.Col{Name: "removed", Unit: table.Text}, table.Col{Name: "times", Unit: table.Count}, table.Col{Name: "from", Unit: table.Text})
	for _, x := range r.Removed {
		t.Add(string(x.Kind), x.Count, x.Place)
	}
	if len(r.Removed) == 0 {
		t.Cols = nil
		t.Note("nothing was found that had to be removed")
	}
	for _, l := range r.LeftOut {
		t.Note("left out: %s", l)
	}
	t.Note("wrote %s", r.Path)
	if err := text.Write(a.Out, t, text.Options{Width: a.width(), Color: a.color()}); err != nil {
		return fmt.Errorf("print what was removed: %w", err)
	}
	return nil
}
