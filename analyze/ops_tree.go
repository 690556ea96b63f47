package analyze

import (
	"cmp"
	"slices"

	"reel/event"
	"reel/timeline"
)

// opsTree nests the ranges of one thread by torch.profiler's rule and gives
// each, once it is finished, to the table. Ranges come by start, the longest first.
//
// The top of the stack is the parent of a range that lies wholly inside it;
// otherwise it is finished, and the next one is tried. So ranges that overlap in
// part are unrelated. The stack is always the chain of the top's ancestors.
//
// A range that has its parent's name and is its only child is dropped; the parent
// takes over its children and its device activities in place of its own.
type opsTree struct {
	o     *opsTable
	stack []opsFrame
}

// opsNode is a range with the sums over its direct children.
type opsNode struct {
	r                     timeline.RangeID
	name                  timeline.NameID
	start, end            int64
	childCPU, childDevice int64
	kernels               int64 // device time of its own activities
	memory, childMemory   opsBytes
}

// opsFrame is a range that may still get children. Its first child waits in
// only, when it has the same name, until it is clear whether it is dropped.
type opsFrame struct {
	opsNode
	children int
	waits    bool
	only     opsNode
}

func (t *opsTree) push(n opsNode) {
	for len(t.stack) > 0 {
		if top := &t.stack[len(t.stack)-1]; n.start < top.end && n.end <= top.end {
			break
		}
		t.pop()
	}
	if len(t.stack) > 0 {
		p := &t.stack[len(t.stack)-1]
		p.children++
		p.childCPU += n.end - n.start
		p.childMemory.add(n.memory, 1)
		if p.waits {
			t.o.emit(&p.only)
			p.waits = false
		}
	} else {
		t.o.memory.claim(n.start, n.end)
	}
	t.stack = append(t.stack, opsFrame{opsNode: n})
}

func (t *opsTree) pop() {
	f := t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	if f.waits {
		f.childCPU, f.childDevice, f.childMemory = f.only.childCPU, f.only.childDevice, f.only.childMemory
		f.kernels = f.only.kernels
	}
	if len(t.stack) == 0 {
		t.o.emit(&f.opsNode)
		return
	}
	p := &t.stack[len(t.stack)-1]
	p.childDevice += f.kernels + f.childDevice
	if p.children == 1 && p.name == f.name {
		p.waits, p.only = true, f.opsNode
		return
	}
	t.o.emit(&f.opsNode)
}

func (t *opsTree) finish() {
	for len(t.stack) > 0 {
		t.pop()
	}
}

// hostRows makes the rows of the host's ranges, thread by thread.
func (o *opsTable) hostRows() {
	overhead, home := o.overhead()
	t := opsTree{o: o}
	for _, id := range o.tl.HostTracks() {
		track := o.tl.Tracks[id]
		var more []timeline.RangeID
		if id == home {
			more = overhead
		}
		r := &o.tl.Ranges
		for i := timeline.RangeID(track.Lo); i < timeline.RangeID(track.Hi); i++ {
			if c := r.Class[i]; c == event.Python || !opsTakes(c, track) {
				continue
			}
			for len(more) > 0 && o.before(more[0], i) {
				o.pushRange(&t, more[0])
				more = more[1:]
			}
			o.pushRange(&t, i)
		}
		for _, i := range more {
			o.pushRange(&t, i)
		}
		t.finish()
	}
}

// opsTakes reports whether ranges of class c on a track are rows. The profiler's
// own spans (on rows that are no threads) are not; overhead is taken elsewhere.
func opsTakes(c event.Class, track timeline.Track) bool {
	return c != event.Overhead && (c != event.OtherRange || track.Place == event.Thread)
}

func (o *opsTable) before(x, y timeline.RangeID) bool {
	r := &o.tl.Ranges
	return cmp.Or(cmp.Compare(r.Start[x], r.Start[y]), cmp.Compare(r.Dur[y], r.Dur[x])) < 0
}

func (o *opsTable) pushRange(t *opsTree, i timeline.RangeID) {
	r := &o.tl.Ranges
	name := o.names[r.Name[i]]
	if name == opsDropped {
		return
	}
	n := opsNode{r: i, name: name, start: r.Start[i], end: r.End(i)}
	n.memory = o.memory.between(n.start, n.end)
	if r.Class[i] != event.Overhead {
		n.kernels = o.kernelTime(i)
	}
	t.push(n)
}

// overhead returns the ranges of the profiler's own overhead by start, and the
// track they nest in. Traces keep them on a row of their own, but torch counts
// them to the thread that stopped the profiler: the process' first thread, as a
// rule, else the one with the most ranges.
func (o *opsTable) overhead() ([]timeline.RangeID, timeline.TrackID) {
	var list []timeline.RangeID
	home, best := timeline.NoTrack, -1
	for _, id := range o.tl.HostTracks() {
		track, n := o.tl.Tracks[id], 0
		for i := track.Lo; i < track.Hi; i++ {
			switch c := o.tl.Ranges.Class[i]; {
			case c == event.Overhead:
				list = append(list, timeline.RangeID(i))
			case c != event.Python && opsTakes(c, track):
				n++
			}
		}
		if n > 0 && track.Place == event.Thread && track.A == track.B {
			n += o.tl.Ranges.Len()
		}
		if n > best || home == timeline.NoTrack {
			home, best = id, n
		}
	}
	slices.SortStableFunc(list, func(x, y timeline.RangeID) int {
		r := &o.tl.Ranges
		return cmp.Or(cmp.Compare(r.Start[x], r.Start[y]), cmp.Compare(r.Dur[y], r.Dur[x]))
	})
	return list, home
}
