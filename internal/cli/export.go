package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/formats"
	"reel/internal/display"
	"reel/timeline"
	"reel/unit"
)

// exportFlags are the flags of export.
type exportFlags struct {
	summaryFlags
	to    exportTo
	cut   cutFlags
	out   string
	force bool
	plain bool
}

func (a *app) exportCmd() *cobra.Command {
	var flags exportFlags
	c := &cobra.Command{
		Use:     "export [PATH...] --to FORMAT [-o OUT]",
		Short:   "write a trace as what other tools open",
		GroupID: "read",
		Long: `Writes traces in other forms. Several files are the ranks of one job: they become
one trace on one clock, one profile, one page; of xlsx, stacks and profiler-out
each rank gets its own file.

` + exportList() + `
A cut makes a small trace of the part that matters: --step, --stage, or --from
and --to with times since the trace began. It holds what the host did in that
part, and the device's work that was launched there, with its launches.

Without -o, files go beside the first input under their standard names. OUT is a
file, or a folder where there are several files, and for stacks; a name that ends
in .gz or .zst is compressed. Nothing is overwritten without --force, and nothing
is left behind when writing fails.`,
		Example: `  reel export trace.json.gz --to chrome --step 2 -o step2.json.gz
  reel export rank*.json.gz --to perfetto -o job.pftrace
  reel export trace.json.gz --to xlsx --to stacks -o artefacts/
  reel export trace.json.gz --to chrome --from 1.2s --to 1.4s`,
		RunE: a.run(func(c *cobra.Command, args []string) error { return a.export(c.Context(), args, &flags) }),
	}
	flags.add(c)
	flags.cut.add(c)
	outFlags(c, &flags.out, &flags.force)
	c.Flags().Lookup("output").Usage = "the file or folder `OUT` to write; - is standard output"
	c.Flags().Lookup("force").Usage = "overwrite files that exist"
	c.Flags().Var(&flags.to, "to", "what to write; several times for several; a `FORMAT`, or a time: where a cut ends")
	c.Flags().BoolVar(&flags.plain, "plain", false, "chrome: leave out the tracks of what Reel found")
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(exportNames(), cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	return c
}

// export reads the traces and writes what was asked for.
func (a *app) export(ctx context.Context, args []string, flags *exportFlags) error {
	if len(flags.to.formats) == 0 {
		return misusef("--to FORMAT is needed: %s", strings.Join(exportNames(), ", "))
	}
	if err := flags.cut.check(flags.to.until); err != nil {
		return err
	}
	j := &exportJob{app: a, ctx: ctx, flags: flags}
	var err error
	if j.roles, err = flags.table(); err != nil {
		return err
	}
	files, err := a.inputs(args)
	if err != nil {
		return err
	}
	if err := j.read(files); err != nil {
		return err
	}
	if err := j.cutRanks(); err != nil {
		return err
	}
	targets, err := j.targets()
	if err != nil {
		return err
	}
	return j.write(targets)
}

// exportJob is one run of export.
type exportJob struct {
	*app
	ctx   context.Context
	flags *exportFlags
	roles *analyze.Roles
	ranks []analyze.Rank
	parts []timeline.Selection // of a cut, one per rank
	label string               // of a cut, for names of files

	whole []analyze.Rank // the ranks before the cut
	doc   *analyze.Document
	ops   map[analyze.OpsBy][]*analyze.OpsReport // per rank
}

// read builds the timelines of all ranks.
func (j *exportJob) read(files []input) error {
	opt := loadOptions{read: formats.Options{NoPython: j.flags.noPython}}
	args := slices.ContainsFunc(j.flags.to.formats, func(f string) bool { return exportFormatOf(f).args })
	if args || slices.ContainsFunc(files, func(f input) bool { return !regular(f.path) || !strings.Contains(filepath.Base(f.path), ".json") }) { // to be written from timelines
		opt.read.Args, opt.keep.Args = analyze.OpsArgs, analyze.OpsArgs
	}
	all := make([]analyze.Rank, len(files))
	err := j.load(j.ctx, files, opt, func(i int, tl *timeline.Timeline) error {
		all[i] = analyze.Rank{TL: tl, Derived: analyze.Derive(tl, j.roles), Path: files[i].path}
		return nil
	})
	if err != nil {
		return err
	}
	j.ranks = slices.DeleteFunc(all, func(r analyze.Rank) bool { return r.TL == nil }) // passed over
	j.number()
	j.whole = j.ranks
	for _, r := range j.ranks {
		for _, w := range r.TL.Warnings {
			j.warn("%s: %s", display.Clean(filepath.Base(r.Path)), display.Clean(w.String()))
		}
	}
	return nil
}

// number gives the ranks the numbers that their traces tell, if these differ, else
// their positions.
func (j *exportJob) number() {
	seen := map[int]bool{}
	for i := range j.ranks {
		n := j.ranks[i].TL.Info.Rank
		if n == nil && len(j.ranks) == 1 {
			n = new(int)
		}
		if n == nil || *n < 0 || seen[*n] {
			for k := range j.ranks {
				j.ranks[k].Index = k
			}
			return
		}
		j.ranks[i].Index = *n
		seen[*n] = true
	}
}

// write writes the files and says what they are.
func (j *exportJob) write(targets []exportTarget) error {
	out := newOutputs(j.ctx, j.flags.force)
	defer out.end()
	for _, t := range targets {
		if t.path == "-" {
			if err := j.pack(t, j.Out); err != nil {
				return err
			}
			continue
		}
		bar := j.startWriting(t.path)
		err := out.write(t.path, func(f *countingFile) error {
			f.told = bar.add
			return j.pack(t, f)
		})
		bar.stop()
		if err != nil {
			return err
		}
	}
	if err := out.commit(); err != nil {
		return err
	}
	for i, t := range targets {
		if t.path == "-" {
			continue
		}
		told := j.Out
		if out.inPlace[i] {
			told = j.Err // the place may be standard output: /dev/stdout
		}
		fmt.Fprintf(told, "%s  %v, for %s\n", display.Clean(filepath.Clean(t.path)), unit.Bytes(out.sizes[i]), t.viewer)
	}
	return nil
}
