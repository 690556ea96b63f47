// Package pprof writes call stacks with CPU time, device time and launches as a
// profile for `go tool pprof` and every other program that reads its format.
//
// A stack is that of a range: Python calls (a function with its file and line),
// annotations, operators and runtime calls; device time lies on the activity, as
// the innermost frame below the call that launched it. Samples carry labels:
// rank, and where they are known stage, step, stream and, of several, request.
//
//	go tool pprof -top -sample_index=device profile.pb.gz
//	go tool pprof -http=: -tagfocus=stage=decode profile.pb.gz
//
// The package keeps no times of day but the profile's beginning: what happened
// when is for other writers.
package pprof

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/pprof/profile"

	"reel/analyze"
	"reel/internal/walk"
	"reel/timeline"
)

// Options says how to write a profile.
type Options struct {
	// Show is what viewers show first: "cpu", "device" or "launches"; "" is
	// the device when it did any work, else the CPU.
	Show string
	// Samples is how many there may be before samples of different requests, then
	// also of different steps, are added up and lose that label; 0 is 100,000. A
	// comment in the profile says so.
	Samples int
}

// The values of a sample.
const (
	cpu      = iota // ns in which the innermost frame was innermost
	device          // ns of the activity
	launches        // calls that caused device work; a graph's is one
	values
)

// Write writes a gzipped profile of the ranks together. The CPU times are those
// of package stacks: stretches of time on each thread, none counted twice. Device
// times are plain sums, so that work that overlaps counts twice; activities whose
// times cannot be true are left out. Memory grows with the number of different
// stacks and Options.Samples, not with the length of the trace. The errors are those of w, and a
// Show that is none of the values.
func Write(w io.Writer, ranks []analyze.Rank, opt Options) error {
	if opt.Samples <= 0 {
		opt.Samples = 100_000
	}
	b := newBuilder(opt.Samples)
	for _, r := range ranks {
		b.rank(r)
	}
	p := b.profile(ranks)
	switch opt.Show {
	case "cpu", "device", "launches":
		p.DefaultSampleType = opt.Show
	case "":
	default:
		return fmt.Errorf("pprof: no value %q: want cpu, device or launches", opt.Show)
	}
	if err := p.Write(w); err != nil {
		return fmt.Errorf("pprof: %w", err)
	}
	return nil
}

// profile makes the profile of what was added.
func (b *builder) profile(ranks []analyze.Rank) *profile.Profile {
	clock := walk.NewClock(ranks)
	p := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}, {Type: "device", Unit: "nanoseconds"}, {Type: "launches", Unit: "count"}},
		DefaultSampleType: "cpu",
		DurationNanos:     max(0, clock.End-clock.Start),
		Mapping:           []*profile.Mapping{b.mapping},
		Location:          b.frames.locations,
		Function:          b.frames.functions,
	}
	if clock.Unix {
		p.TimeNanos = clock.Start
	}
	if len(ranks) == 1 {
		b.mapping.File = walk.Text(filepath.Base(ranks[0].Path))
	} else {
		b.mapping.File = fmt.Sprintf("%d ranks", len(ranks))
	}
	for _, r := range ranks {
		p.Comments = append(p.Comments, walk.Text(fmt.Sprintf("rank %d: %s, %s", r.Index, filepath.Base(r.Path), r.TL.Info.Producer)))
	}
	for _, label := range b.labels.dropped {
		p.Comments = append(p.Comments, fmt.Sprintf("no label %s: it would make more than %d samples", label, b.limit))
	}
	for i := range b.samples {
		s := &b.samples[i]
		if s.value[device] > 0 {
			p.DefaultSampleType = "device"
		}
		if s.value != [values]int64{} {
			p.Sample = append(p.Sample, &profile.Sample{Location: b.stack(s.node), Value: s.value[:], Label: b.labels.shared[s.label]})
		}
	}
	return p
}

// rank adds what one rank did.
func (b *builder) rank(r analyze.Rank) {
	b.begin(r)
	causes := walk.NewCauses(r.TL)
	if list := causes.Of(timeline.NoRange); len(list) > 0 {
		b.device(b.tree.Child(0, b.frames.plain(unattributed)), list)
	}
	for _, id := range r.TL.HostTracks() {
		v := &visitor{b, causes, id, walk.IsProgram(r.TL, id)}
		b.sweep.Run(walk.HostRow(r.TL, id), v)
	}
}

// visitor adds what lies on one host track.
type visitor struct {
	*builder
	causes *walk.Causes
	track  timeline.TrackID
	timed  bool // its time is the program's
}

// Enter finds the stack of a range and adds what it caused.
func (v *visitor) Enter(r timeline.RangeID, parent uint32) uint32 {
	node := v.tree.Child(parent, v.frame(r))
	if list := v.causes.Of(r); len(list) > 0 {
		if v.tl.Activities.Launch[list[0]] == r {
			v.sample(node, v.parts.At(v.track, v.tl.Ranges.Start[r]), timeline.NoTrack)[launches]++
		}
		v.device(node, list)
	}
	return node
}

// Spend adds the time of a range.
func (v *visitor) Spend(_ timeline.RangeID, node uint32, from, to int64) {
	if v.timed {
		v.sample(node, v.parts.At(v.track, from), timeline.NoTrack)[cpu] += to - from
	}
}
