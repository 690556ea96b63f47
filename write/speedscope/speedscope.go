// Package speedscope writes traces in the file format of speedscope, the flame
// graph viewer: a profile of the evented sort for each thread and each stream
// (source: file-format-schema.json in the speedscope package).
//
// Frames open and close strictly inside each other there. Where ranges overlap in
// part, the time belongs to the one that began last; the other closes and opens
// again. So a profile's times add up to the time in which anything was going on,
// and what takes no time, or lies wholly under others, does not show.
//
// The format has no arrows, no counters and no arguments.
package speedscope

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"

	"reel/analyze"
	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// Options says how to write the file.
type Options struct {
	Name string // the title that the viewer shows; "" is the name of the first rank's file
}

// Write writes the ranks as one file. Times count from the earliest event of all,
// nanoseconds. It streams: memory grows with the number of names alone. The error
// is that of w.
func Write(w io.Writer, ranks []analyze.Rank, opt Options) error {
	out := &writer{out: bufio.NewWriterSize(w, 256<<10), ids: map[string]uint32{}, many: len(ranks) > 1}
	if opt.Name == "" && len(ranks) > 0 {
		opt.Name = filepath.Base(ranks[0].Path)
	}
	out.raw(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"reel","name":`)
	out.text(opt.Name)
	out.raw(`,"activeProfileIndex":0,"profiles":[`)
	clock := walk.NewClock(ranks)
	for i, r := range ranks {
		out.rank(r, clock.Offset[i]-clock.Start, clock.End-clock.Start)
	}
	out.raw("],\n\"shared\":{\"frames\":[")
	out.raw(out.frames.String())
	out.raw("]}}\n")
	if out.err != nil {
		return out.err
	}
	return out.out.Flush()
}

// rank writes the profiles of one rank: threads, then streams.
func (w *writer) rank(r analyze.Rank, offset, end int64) {
	w.tl, w.offset, w.end = r.TL, offset, end
	w.names = [2][]uint32{make([]uint32, r.TL.Names()), make([]uint32, r.TL.Names())}
	prefix := ""
	if w.many {
		prefix = fmt.Sprintf("rank %d: ", r.Index)
	}
	for _, id := range r.TL.HostTracks() {
		if walk.IsProgram(r.TL, id) {
			w.profile(prefix+walk.TrackName(&r.TL.Tracks[id]), walk.HostRow(r.TL, id), w.hostFrame)
		}
	}
	for _, id := range r.TL.DeviceTracks() {
		t := &r.TL.Tracks[id]
		name := fmt.Sprintf("%sgpu %d, %s", prefix, t.A, walk.TrackName(t))
		if row := w.stream(t); row.Lo < row.Hi {
			w.profile(name, row, w.deviceFrame)
		}
	}
}

// stream returns the sound activities of a stream as a row, nested by time.
func (w *writer) stream(t *timeline.Track) walk.Row {
	a := &w.tl.Activities
	w.start, w.dur, w.parent, w.activity = w.start[:0], w.dur[:0], w.parent[:0], w.activity[:0]
	w.lasting = w.lasting[:0]
	for i := t.Lo; i < t.Hi; i++ {
		if a.Class[i] == event.Unsound {
			continue
		}
		w.parent = append(w.parent, w.holder(a.Start[i], a.End(i)))
		w.lasting = append(w.lasting, timeline.RangeID(len(w.start)))
		w.start, w.dur, w.activity = append(w.start, a.Start[i]), append(w.dur, a.Dur[i]), append(w.activity, int32(i))
	}
	return walk.Row{Lo: 0, Hi: len(w.start), Start: w.start, Dur: w.dur, Parent: w.parent}
}

// maxWalk bounds the search for what holds an activity.
const maxWalk = 64

// holder returns the innermost activity that holds [start, end).
func (w *writer) holder(start, end int64) timeline.RangeID {
	ends := func(k int) int64 { return w.start[w.lasting[k]] + w.dur[w.lasting[k]] }
	for len(w.lasting) > 0 && ends(len(w.lasting)-1) <= start {
		w.lasting = w.lasting[:len(w.lasting)-1]
	}
	for k, n := len(w.lasting)-1, 0; k >= 0 && n < maxWalk; k, n = k-1, n+1 {
		if e := ends(k); e > start && e >= end {
			return w.lasting[k]
		}
	}
	return timeline.NoRange
}
