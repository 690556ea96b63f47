package stacks

import (
	"fmt"
	"io"

	"reel/analyze"
	"reel/internal/walk"
	"reel/timeline"
)

// Options says how to write stacks. The zero value is what torch.profiler's
// users expect.
type Options struct {
	Ranks bool // begin each stack with its rank: "rank_0"
}

// argCallStack is the argument in which traces of 2021 and 2022 keep the Python
// calls around an operator, innermost first. It is used when the timeline kept it.
const argCallStack = "Call stack"

// unattributed is the frame that holds device work of unknown cause.
const unattributed = "[unattributed]"

// WriteCPU writes the self CPU time of every stack of every thread of the
// ranks: the time in which its last frame was innermost. Ranges that overlap in
// part are not counted twice: the time belongs to the one that began last. The
// times add up to those in which threads were in any range. Rows of the profiler's
// own are left out. The error is that of w.
func WriteCPU(w io.Writer, ranks []analyze.Rank, opt Options) error {
	f := newFolder()
	for _, r := range ranks {
		f.begin(r, opt)
		for _, id := range r.TL.HostTracks() {
			if walk.IsProgram(r.TL, id) {
				f.sweep.Run(walk.HostRow(r.TL, id), &cpuVisitor{f})
			}
		}
	}
	return f.write(w)
}

// WriteDevice writes the device time of every stack: that of the kernels, copies
// and sets launched from it. The last frame is the activity, the one before it the
// call that launched it, where the trace holds it, else the operator. Work of
// unknown cause stands under "[unattributed]". Times are plain sums, so that work
// that overlaps counts twice; activities whose times cannot be true are left out.
// Without device work nothing is written. The error is that of w.
func WriteDevice(w io.Writer, ranks []analyze.Rank, opt Options) error {
	f := newFolder()
	for _, r := range ranks {
		f.begin(r, opt)
		v := &deviceVisitor{f, walk.NewCauses(r.TL)}
		if list := v.causes.Of(timeline.NoRange); len(list) > 0 {
			v.spend(f.tree.Child(f.root, f.frame(unattributed)), list)
		}
		for _, id := range r.TL.HostTracks() {
			f.sweep.Run(walk.HostRow(r.TL, id), v)
		}
	}
	return f.write(w)
}

// cpuVisitor adds up the time in which ranges were innermost.
type cpuVisitor struct{ *folder }

func (v *cpuVisitor) Spend(_ timeline.RangeID, node uint32, from, to int64) { v.add(node, to-from) }

// deviceVisitor adds up the device time that ranges caused.
type deviceVisitor struct {
	*folder
	causes *walk.Causes
}

func (v *deviceVisitor) Enter(r timeline.RangeID, parent uint32) uint32 {
	node := v.folder.Enter(r, parent)
	v.spend(node, v.causes.Of(r))
	return node
}

func (v *deviceVisitor) Spend(timeline.RangeID, uint32, int64, int64) {}

func (v *deviceVisitor) spend(node uint32, activities []int32) {
	a := &v.tl.Activities
	for _, i := range activities {
		v.add(v.tree.Child(node, v.name(a.Name[i])), a.Dur[i])
	}
}

// begin turns to the next rank.
func (f *folder) begin(r analyze.Rank, opt Options) {
	f.tl, f.calls = r.TL, r.TL.RangeArg(argCallStack)
	f.names = make([]uint32, r.TL.Names())
	f.root = 0
	if opt.Ranks {
		f.root = f.tree.Child(0, f.frame(fmt.Sprintf("rank %d", r.Index)))
	}
}
