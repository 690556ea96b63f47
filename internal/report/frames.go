package report

import (
	"io"
	"strconv"

	"reel/analyze"
	"reel/internal/display"
	"reel/render/markdown"
	"reel/table"
	"reel/unit"
)

// FramesDocument is what `reel frames --json` prints, reel.frames/1: the totals of
// each rank and, when one frame was asked for, its way to the screen.
type FramesDocument struct {
	Schema string                `json:"schema"`
	Ranks  []analyze.FrameReport `json:"ranks"`
	Follow *analyze.FrameStory   `json:"follow,omitempty"`
}

// FramesSchema names the form of a FramesDocument.
const FramesSchema = "reel.frames/1"

// Frames writes frame pacing, rates and input latency for people, or the way of
// the one frame that was asked for. The error is that of w.
func Frames(w io.Writer, d *FramesDocument, o Options) error {
	p := &page{Options: o}
	if d.Follow != nil {
		p.story(d.Follow)
	} else {
		for i := range d.Ranks {
			p.gap()
			p.frames(&d.Ranks[i])
		}
	}
	_, err := w.Write(p.Bytes())
	return err
}

// FramesMarkdown writes the totals as Markdown. The error is that of w.
func FramesMarkdown(w io.Writer, d *FramesDocument) error {
	for i := range d.Ranks {
		if err := markdown.Write(w, frameTimes(&d.Ranks[i])); err != nil {
			return err
		}
	}
	return nil
}

// FrameRows is a row for every frame shown, for programs.
func FrameRows(d *FramesDocument) *table.Table {
	t := table.New("frames", table.Col{Name: "rank"}, table.Col{Name: "frame"}, table.Col{Name: "generation"}, table.Col{Name: "step"},
		table.Col{Name: "at", Unit: table.Nanoseconds}, table.Col{Name: "interval", Unit: table.Nanoseconds})
	for i := range d.Ranks {
		for _, f := range d.Ranks[i].Frames {
			t.Add(d.Ranks[i].Rank, f.Frame, f.Generation, orAbsent(f.Step), f.At, orAbsent(f.Interval))
		}
	}
	return t
}

// orAbsent is a cell of what may be missing.
func orAbsent[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

func (p *page) frames(r *analyze.FrameReport) {
	parts := []string{"frames", "rank " + unit.Count(r.Rank).String(), count(r.Shown, "frame shown", "frames shown")}
	for _, x := range []struct {
		n    *int
		word string
	}{{r.Generated, "made"}, {r.Dropped, "dropped"}, {r.Waiting, "not shown at the end"}, {r.Repeated, "repeated"}} {
		if x.n != nil && (*x.n > 0 || x.word != "not shown at the end") {
			parts = append(parts, unit.Count(*x.n).String()+" "+x.word)
		}
	}
	if r.Steps > 0 {
		parts = append(parts, count(r.Steps, "model step", "model steps"))
	}
	if r.Resets > 0 {
		parts = append(parts, count(r.Resets, "reset", "resets"))
	}
	p.title(parts...)
	if r.Interval.Count > 0 {
		p.gap()
		p.table(frameTimes(r))
	}
	p.frameRates(r)
	for _, n := range r.Notes {
		p.note(margin, n)
	}
}

// frameTimes is the table of intervals and latencies.
func frameTimes(r *analyze.FrameReport) *table.Table {
	t := table.New("frames", table.Col{Name: "", Unit: table.Text}, table.Col{Name: "count"})
	for _, name := range []string{"mean", "p50", "p90", "p99", "max"} {
		t.Cols = append(t.Cols, table.Col{Name: name, Unit: table.Nanoseconds})
	}
	add := func(name string, d analyze.FrameDist) {
		if d.Count > 0 {
			t.Add(name, d.Count, int64(d.Mean+0.5), d.P50, d.P90, d.P99, d.Max)
		}
	}
	add("frame interval", r.Interval)
	if in := r.Latency; in != nil {
		add("input latency", in.Total)
		add("  queue", in.Queue)
		add("  step", in.Step)
		add("  present", in.Present)
	}
	return t
}

func (p *page) frameRates(r *analyze.FrameReport) {
	var parts []string
	for _, x := range []struct {
		name string
		v    *float64
	}{{"shown", r.Rates.Present}, {"1 % low", r.Low}, {"made", r.Rates.Model}, {"shown over the whole recording", r.Rates.EndToEnd}, {"generate calls", r.Rates.Generate}} {
		if x.v != nil {
			parts = append(parts, x.name+" "+strconv.FormatFloat(*x.v, 'f', 1, 64)+"/s")
		}
	}
	if len(parts) > 0 {
		p.gap()
		p.joined("", indent, append([]string{"rates: " + parts[0]}, parts[1:]...))
	}
	if in := r.Latency; in != nil {
		p.joined("", indent, []string{"input: " + count(in.Batches, "batch", "batches"), unit.Count(in.Shown).String() + " shown",
			unit.Count(in.Unshown).String() + " dropped, overtaken or still waiting"})
	}
}

// story writes one frame's way: what happened, in the order of time.
func (p *page) story(f *analyze.FrameStory) {
	parts := []string{"frame " + unit.Count(f.Frame.Frame).String()}
	if f.Step != nil {
		parts = append(parts, "generation "+unit.Count(f.Generation).String()+", step "+unit.Count(*f.Step).String(), "picture "+unit.Count(f.OfStep).String()+" of its chunk")
	}
	p.title(append(parts, "shown at "+dur(f.At))...)
	t := table.New("follow", table.Col{Name: "at", Unit: table.Nanoseconds}, table.Col{Name: "took", Unit: table.Nanoseconds}, table.Col{Name: "what", Unit: table.Text})
	for _, in := range f.Inputs {
		t.Add(in.Arrived, in.Queue, "input, queued (its picture after "+dur(in.Total)+")")
	}
	if s := f.ModelStep; s != nil {
		t.Add(s.Start, s.Dur, s.Name)
	}
	for _, s := range f.Inside {
		t.Add(s.Start, s.Dur, "  "+display.Clean(s.Name))
	}
	if d := f.Device; d != nil {
		t.Add(d.Start, d.End-d.Start, "  device: "+count(d.Activities, "activity", "activities")+", busy "+dur(d.Busy))
	}
	if f.Made != nil {
		t.Add(*f.Made, nil, "frame made")
	}
	if s := f.Publish; s != nil {
		t.Add(s.Start, s.Dur, s.Name)
	}
	t.Add(f.At, orAbsent(f.Held), "shown, after so long in the queue")
	p.gap()
	p.table(t)
	if f.Interval != nil {
		p.joined("", indent, []string{dur(*f.Interval) + " after the frame before"})
	}
	for _, m := range f.Missing {
		p.note(margin, "not known: "+m)
	}
}
