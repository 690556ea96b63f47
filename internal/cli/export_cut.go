package cli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/internal/display"
	"reel/timeline"
	"reel/unit"
)

// cutFlags say which part of a trace to write.
type cutFlags struct {
	step, stage, from string
	request           int
	loop, index       int
	window            [2]*unit.Dur
}

func (f *cutFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.step, "step", "", "only step `N` of its loop, from 0 (loop1:N: of the second loop)")
	c.Flags().StringVar(&f.stage, "stage", "", "only the stage `NAME`: encode, diffuse, decode, …")
	c.Flags().StringVar(&f.from, "from", "", "only from the time `T` on, since the trace began: 1.5s, 250ms")
	c.Flags().IntVar(&f.request, "request", -1, "the request `N` to take --step or --stage of, from 0 (default the first that has it)")
	c.Flags().Lookup("request").DefValue = "0" // not to be shown
}

// check reads the flags.
func (f *cutFlags) check(until *unit.Dur) error {
	n := 0
	for _, on := range []bool{f.step != "", f.stage != "", f.from != "" || until != nil} {
		if on {
			n++
		}
	}
	if n > 1 {
		return misusef("--step, --stage and --from … --to exclude each other")
	}
	if f.request >= 0 && f.step == "" && f.stage == "" {
		return misusef("--request goes with --step or --stage")
	}
	f.window[1] = until
	if f.from != "" {
		d, err := unit.ParseDur(f.from)
		if err != nil {
			return misusef("--from: %w", err)
		}
		f.window[0] = &d
	}
	if w := f.window; w[0] != nil && w[1] != nil && *w[0] >= *w[1] {
		return misusef("--from %v is not before --to %v", *w[0], *w[1])
	}
	if f.step != "" {
		text, loop := f.step, "0"
		if l, rest, ok := strings.Cut(f.step, ":"); ok {
			loop, text = strings.TrimPrefix(l, "loop"), rest
		}
		var err, loopErr error
		f.index, err = strconv.Atoi(text)
		if f.loop, loopErr = strconv.Atoi(loop); err != nil || loopErr != nil || f.index < 0 || f.loop < 0 {
			return misusef("--step %q: want a number from 0 on, as in 2 or loop1:2", f.step)
		}
	}
	return nil
}

// cutRanks finds the part of each rank that the flags name, and cuts the timelines
// that writers are given.
func (j *exportJob) cutRanks() error {
	f := &j.flags.cut
	switch {
	case f.step != "":
		j.label = "step" + strings.NewReplacer(":", "-", " ", "").Replace(f.step)
	case f.stage != "":
		j.label = fileWord(f.stage)
	case f.window[0] != nil || f.window[1] != nil:
		j.label = "part"
		j.parts = j.timed(f.window)
	default:
		return nil
	}
	if j.parts == nil {
		if err := j.named(); err != nil {
			return err
		}
	}
	j.ranks = slices.Clone(j.ranks)
	for i := range j.ranks {
		r := &j.ranks[i]
		r.TL = timeline.Cut(r.TL, j.parts[i])
		r.Derived = analyze.Derive(r.TL, j.roles)
	}
	if !slices.ContainsFunc(j.ranks, func(r analyze.Rank) bool { return r.TL.Ranges.Len()+r.TL.Activities.Len() > 0 }) {
		return misusef("there is nothing in that part of the trace")
	}
	return nil
}

// named finds the step or stage that the flags name in each rank. Ranks may differ:
// often one alone decodes. It fails when no rank has it.
func (j *exportJob) named() error {
	var first error
	var lacking []string
	for _, r := range j.ranks {
		spans, err := j.flags.cut.spans(r)
		if err != nil {
			first, lacking = cmp.Or(first, err), append(lacking, err.Error())
		}
		var windows []timeline.Window
		for _, s := range spans {
			windows = append(windows, timeline.Window{From: s.Start, To: s.End})
		}
		sel := timeline.Select(windows...)
		if slices.ContainsFunc(spans, func(s analyze.Span) bool { return s.Track == timeline.NoTrack }) {
			sel = sel.Running() // found on the device alone
		}
		j.parts = append(j.parts, sel)
	}
	if len(lacking) == len(j.ranks) {
		return first
	}
	for _, text := range lacking {
		j.warn("%s: nothing of it is written", display.Clean(text))
	}
	return nil
}
