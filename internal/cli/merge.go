package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"reel/analyze"
)

func (a *app) summarizeCmd() *cobra.Command {
	var flags summaryFlags
	var out string
	var force bool
	c := &cobra.Command{
		Use:     "summarize PATH... -o FILE",
		Short:   "write a rank's mergeable summary",
		GroupID: "merge",
		Long: `Writes what a summary needs of one or several ranks into a small file, for
'reel merge'. Run it where the traces are, for every rank on its own machine.`,
		Example: `  reel summarize trace_rank7.json.gz -o rank7.partial.json
  reel merge rank*.partial.json`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			if out == "" {
				return misusef("-o FILE is needed: where the summary goes")
			}
			if err := mayWrite(out, force); err != nil {
				return err
			}
			p, err := a.partials(c.Context(), args, flags)
			if err != nil {
				return err
			}
			return a.writeFile(out, force, p.Encode)
		}),
	}
	flags.add(c)
	outFlags(c, &out, &force)
	return c
}

// outFlags adds -o and --force.
func outFlags(c *cobra.Command, out *string, force *bool) {
	c.Flags().StringVarP(out, "output", "o", "", "the `FILE` to write; - is standard output")
	c.Flags().BoolVar(force, "force", false, "overwrite it when it exists")
}

func (a *app) mergeCmd() *cobra.Command {
	var out string
	var force bool
	var form *output
	c := &cobra.Command{
		Use:     "merge FILE...",
		Short:   "the summary of many ranks from theirs",
		GroupID: "merge",
		Long: `Merges files that 'reel summarize' or 'reel merge -o' wrote, in any order and any
grouping, and prints the summary of all their ranks. With -o it writes the merged
file instead.`,
		Example: `  reel merge rank*.partial.json
  reel merge node1/*.partial.json -o node1.partial.json`,
		Args: func(c *cobra.Command, args []string) error {
			a.verb = verbOf(c)
			if len(args) == 0 {
				return misusef("name the files that 'reel summarize' wrote")
			}
			return nil
		},
		RunE: a.run(func(_ *cobra.Command, args []string) error {
			f, err := form.form()
			if err != nil {
				return err
			}
			if out != "" {
				if err := mayWrite(out, force); err != nil {
					return err
				}
			}
			p, err := readPartials(args)
			if err != nil {
				return err
			}
			if out != "" {
				return a.writeFile(out, force, p.Encode)
			}
			return a.printSummary(analyze.Finalize(p), f)
		}),
	}
	outFlags(c, &out, &force)
	form = formatFlags(c, "reel.summary/1")
	return c
}

// readPartials reads partial summaries and merges them.
func readPartials(paths []string) (*analyze.Partial, error) {
	all := make([]*analyze.Partial, len(paths))
	for i, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		all[i], err = analyze.DecodePartial(bufio.NewReaderSize(f, 64<<10))
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w (a trace goes through 'reel summarize' first)", path, err)
		}
	}
	return analyze.MergeAll(all...), nil
}

// writeFile writes an output file: it appears whole or not at all.
func (a *app) writeFile(path string, force bool, write func(io.Writer) error) error {
	if path == "-" {
		return write(a.Out)
	}
	return createFile(path, force, write)
}
