package analyze

import (
	"strings"

	"reel/event"
	"reel/timeline"
)

// opsEvaluate is what PyTorch names the range in which it runs one operator of a
// backward pass, before that operator's name.
const opsEvaluate = "autograd::engine::evaluate_function: "

// opsBackward finds the forward operator behind what a backward pass does: they
// have the same sequence number. Numbers are counted per thread, and traces do not
// say which thread "Fwd thread id" means: one's own thread is asked first (CPU),
// then the others of the process (CUDA, whose backward pass has its own).
type opsBackward struct {
	tl       *timeline.Timeline
	seq      []timeline.NameID           // the argument
	of       []timeline.RangeID          // by range: the backward operator that it is or lies in
	own      map[opsSeq]timeline.RangeID // by track: the first range outside backward operators
	any      map[opsSeq]timeline.RangeID // by process: the same without opsEvaluate ranges
	evaluate map[timeline.NameID]string  // names of opsEvaluate ranges: the operator's
}

// opsSeq is a sequence number on a track or in a process.
type opsSeq struct {
	place int64
	seq   timeline.NameID
}

// newOpsBackward returns nil when the trace has no backward pass, or no numbers.
func newOpsBackward(tl *timeline.Timeline) *opsBackward {
	b := &opsBackward{tl: tl, seq: tl.RangeArg(argSequence), evaluate: map[timeline.NameID]string{}}
	for id := range timeline.NameID(tl.Names()) {
		if op, ok := strings.CutPrefix(tl.Name(id), opsEvaluate); ok {
			b.evaluate[id] = op
		}
	}
	if b.seq == nil || len(b.evaluate) == 0 {
		return nil
	}
	b.of, b.own, b.any = make([]timeline.RangeID, tl.Ranges.Len()), map[opsSeq]timeline.RangeID{}, map[opsSeq]timeline.RangeID{}
	for _, id := range tl.HostTracks() {
		b.thread(id)
	}
	return b
}

// thread finds the backward operators of a thread, and numbers the others.
func (b *opsBackward) thread(id timeline.TrackID) {
	r, track := &b.tl.Ranges, b.tl.Tracks[id]
	for i := timeline.RangeID(track.Lo); i < timeline.RangeID(track.Hi); i++ {
		b.of[i] = timeline.NoRange
		if p := r.Parent[i]; p != timeline.NoRange {
			b.of[i] = b.of[p]
			op, ok := b.evaluate[r.Name[p]]
			if b.of[i] == timeline.NoRange && ok && r.Class[i] == event.Op && b.tl.Name(r.Name[i]) == op {
				b.of[i] = i
			}
		}
		if b.of[i] != timeline.NoRange || b.seq[i] == 0 {
			continue
		}
		b.put(b.own, opsSeq{int64(id), b.seq[i]}, i)
		if _, ok := b.evaluate[r.Name[i]]; !ok {
			b.put(b.any, opsSeq{track.A, b.seq[i]}, i)
		}
	}
}

// put keeps the range that starts first.
func (b *opsBackward) put(m map[opsSeq]timeline.RangeID, k opsSeq, i timeline.RangeID) {
	if was, ok := m[k]; !ok || b.tl.Ranges.Start[i] < b.tl.Ranges.Start[was] {
		m[k] = i
	}
}

// forward returns the range whose stack is range r's: r itself outside backward
// operators, NoRange when the trace does not hold it.
func (b *opsBackward) forward(r timeline.RangeID) timeline.RangeID {
	op := b.of[r]
	if op == timeline.NoRange {
		return r
	}
	if b.seq[op] == 0 {
		return timeline.NoRange
	}
	track := b.tl.RangeTrack(op)
	own, ok := b.own[opsSeq{int64(track), b.seq[op]}]
	if _, evaluates := b.evaluate[b.tl.Ranges.Name[own]]; ok && !evaluates {
		return own
	}
	if other, ok := b.any[opsSeq{b.tl.Tracks[track].A, b.seq[op]}]; ok {
		return other
	}
	if ok {
		return own
	}
	return timeline.NoRange
}
