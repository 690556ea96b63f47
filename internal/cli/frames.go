package cli

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/formats"
	"reel/internal/report"
	"reel/render/csv"
	"reel/timeline"
)

func (a *app) framesCmd() *cobra.Command {
	frame := -1
	var out *output
	c := &cobra.Command{
		Use:     "frames [PATH...]",
		Short:   "frames of an interactive session: pacing, rates, input latency",
		GroupID: "read",
		Long: `Measures the frames of an interactive session: intervals between frames shown,
frames dropped and repeated, four rates that are easily taken for one another,
and input latency, split into queue, step and present.

It reads marks present.frame and model.frame and ranges model.step[i], ui.step
and input.wait of any recording: Reel's own, or an Nsight Systems export.
--frame N follows one frame back: input, step, device work, publish, screen.
CSV has a row for every frame; JSON has them with --frames.`,
		Example: `  reel frames artifacts/profiles/play-20261130-120000-7
  reel frames run.reel --frame 120
  reel frames run.reel --format csv > frames.csv`,
	}
	list := c.Flags().Bool("frames", false, "list every frame in JSON")
	c.Flags().IntVar(&frame, "frame", -1, "follow frame `N`, counted from 0")
	out = formatFlags(c, report.FramesSchema)
	c.RunE = a.run(func(c *cobra.Command, args []string) error {
		form, err := out.form()
		if err != nil {
			return err
		}
		if c.Flags().Changed("frame") && frame < 0 {
			return misusef("--frame %d: frames are counted from 0", frame)
		}
		d, err := a.frames(c.Context(), args, frame, *list || form == asCSV)
		if err != nil {
			return err
		}
		return a.printFrames(d, form)
	})
	return c
}

func (a *app) frames(ctx context.Context, args []string, frame int, list bool) (*report.FramesDocument, error) {
	files, err := a.inputs(args)
	if err != nil {
		return nil, err
	}
	if frame >= 0 && len(files) > 1 {
		return nil, misusef("--frame follows a frame of one recording, not of %d", len(files))
	}
	d := &report.FramesDocument{Schema: report.FramesSchema}
	var mu sync.Mutex
	place := map[int]analyze.FrameReport{}
	err = a.load(ctx, files, loadOptions{read: formats.Options{NoPython: true}}, func(i int, tl *timeline.Timeline) error {
		r := analyze.Frames(tl, analyze.FrameOptions{List: list})
		var story *analyze.FrameStory
		if frame >= 0 {
			var err error
			if story, err = analyze.FollowFrame(tl, frame); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		place[i], d.Follow = r, story
		return nil
	})
	for i := range files {
		if r, ok := place[i]; ok {
			d.Ranks = append(d.Ranks, r)
		}
	}
	slices.SortStableFunc(d.Ranks, func(a, b analyze.FrameReport) int { return a.Rank - b.Rank })
	return d, err
}

func (a *app) printFrames(d *report.FramesDocument, form string) error {
	switch form {
	case asJSON:
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(d)
	case asCSV:
		return csv.Write(a.Out, report.FrameRows(d))
	case asMarkdown:
		return report.FramesMarkdown(a.Out, d)
	}
	return report.Frames(a.Out, d, a.layout())
}
