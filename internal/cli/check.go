package cli

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/formats"
	"reel/internal/report"
	"reel/timeline"
)

func (a *app) checkCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "check [PATH...]",
		Short:   "is this file sound? what is damaged, missing, repaired",
		GroupID: "read",
		Long: `Reads everything in a file, whether an analysis needs it or not, and says whether
it is sound: complete or cut, what share is missing, what was repaired on reading,
launches without activities and the reverse, times that contradict each other.

The verdicts are sound, repaired, damaged, cut, empty and unreadable; only the
last one fails (exit 1).`,
		Example: "  reel check trace.json.gz\n  reel check rank*.json.gz --json",
		RunE: a.run(func(c *cobra.Command, args []string) error {
			files, absent, err := a.checkInputs(args)
			if err != nil {
				return err
			}
			d, err := a.check(c.Context(), files)
			if err == nil {
				d.Files = append(d.Files, absent...)
			}
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(a.Out)
				e.SetEscapeHTML(false)
				err = e.Encode(d)
			} else {
				err = report.Check(a.Out, d, a.layout())
			}
			if err == nil && d.Unreadable() > 0 {
				err = errSaid
			}
			return err
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON document (reel.check/1)")
	return c
}

// checkInputs is inputs with what is not there as files that cannot be read: one
// wrong name among many says nothing of the others.
func (a *app) checkInputs(args []string) (files []input, absent []report.CheckedFile, err error) {
	if len(args) < 2 {
		files, err = a.inputs(args)
		return files, nil, err
	}
	for _, arg := range args {
		some, err := a.inputs([]string{arg})
		if err != nil {
			absent = append(absent, report.Unreadable(filepath.Base(arg), err))
		}
		for _, f := range some {
			if !slices.ContainsFunc(files, func(g input) bool { return filepath.Clean(g.path) == filepath.Clean(f.path) && g.process == f.process }) {
				files = append(files, f)
			}
		}
	}
	return files, absent, nil
}

// check examines the files, each for itself; an unreadable one is part of the
// result.
func (a *app) check(ctx context.Context, files []input) (*report.CheckDocument, error) {
	d := &report.CheckDocument{Schema: analyze.CheckSchema, Files: make([]report.CheckedFile, len(files))}
	opt := loadOptions{read: formats.Options{AllArgs: true}, each: true}
	if len(files) == 0 {
		return d, nil
	}
	err := a.load(ctx, files, opt, func(i int, tl *timeline.Timeline) error {
		d.Files[i].CheckReport = analyze.Check(tl)
		return nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var failed loadErrors
	if errors.As(err, &failed) {
		for i, e := range failed {
			if e != nil {
				d.Files[i] = report.Unreadable(files[i].name(), e)
			}
		}
		err = nil
	}
	d.Files = slices.DeleteFunc(d.Files, func(f report.CheckedFile) bool { return f.CheckReport == nil }) // passed over
	return d, err
}
