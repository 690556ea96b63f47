package rec

import (
	"context"
	"math"
	"runtime/trace"

	"reel/event"
	"reel/reelfile"
)

// frameMark is the event of frames that a model step made: each is a mark of its own.
const frameMark = "model.frame"

// maxFrameMarks bounds the marks of one event.
const maxFrameMarks = 4096

// Event writes a mark on the context's track, "present.frame [step 5]" when there
// is a step; a count other than 1 is the mark's value. Of model.frame it writes a mark
// for each of the count frames, with the count, the size of the chunk, as the value.
func (r *Recorder) Event(ctx context.Context, name string, count int, step StepID) {
	s := r.on()
	if s == nil {
		return
	}
	d := reelfile.Of(reelfile.Mark, s.w.Intern(name))
	if name == "present.frame" {
		d = d.Role(event.Frame)
	}
	h, now := s.handle(TrackOf(ctx)), s.clock.Now()
	for range marksOf(name, count) {
		writeMark(h, d, count, step, now)
	}
	if r.opt.RuntimeTrace && trace.IsEnabled() {
		trace.Log(ctx, name, step.Label(name))
	}
}

// marksOf is the number of marks that an event is.
func marksOf(name string, count int) int {
	if name == frameMark {
		return min(max(count, 1), maxFrameMarks)
	}
	return 1
}

// writeMark writes one mark of an event.
func writeMark(h *reelfile.Track, d reelfile.Desc, count int, step StepID, now uint64) {
	switch {
	case step.ok && count != 1:
		h.WriteArgs(d.With(reelfile.Step), reelfile.StepOf(step.gen, step.n), now, 0, reelfile.ValueArg(int64(count)))
	case step.ok:
		h.Mark(d.With(reelfile.Step), reelfile.StepOf(step.gen, step.n), now)
	case count != 1:
		h.Mark(d.With(reelfile.Value), int64(count), now)
	default:
		h.Mark(d, 0, now)
	}
}

// Mark writes a mark on the context's track.
func (r *Recorder) Mark(ctx context.Context, name string) { r.Event(ctx, name, 1, StepID{}) }

// Sample writes the value of a counter, such as a queue's length.
func (r *Recorder) Sample(ctx context.Context, name string, value int64) {
	if s := r.on(); s != nil {
		s.handle(TrackOf(ctx)).Write(reelfile.Of(reelfile.Counter, s.w.Intern(name)).With(reelfile.Value), value, s.clock.Now(), 0)
	}
}

// SampleFloat writes the value of a counter that has fractions.
func (r *Recorder) SampleFloat(ctx context.Context, name string, value float64) {
	if s := r.on(); s != nil {
		s.handle(TrackOf(ctx)).Write(reelfile.Of(reelfile.Counter, s.w.Intern(name)).With(reelfile.Float), int64(math.Float64bits(value)), s.clock.Now(), 0)
	}
}

// Async begins a range that may overlap others and end on another goroutine. It
// lies on a row of its name.
func (r *Recorder) Async(name string) Range { return r.asyncAt(name, -1) }

// asyncAt begins one at a time, or now when at is negative.
func (r *Recorder) asyncAt(name string, at Time) Range {
	s := r.on()
	if s == nil {
		return Range{}
	}
	ticks := s.clock.Now()
	if at >= 0 {
		ticks = min(s.ticks(at), ticks)
	}
	o, g := newRange()
	o.clock = s.clock
	s.main.BeginTo(&o.slot, reelfile.Of(reelfile.Async, s.w.Intern(name)), 0, ticks)
	return g
}
