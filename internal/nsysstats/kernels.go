package nsysstats

import (
	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// kernels summarises kernels by name.
func (b *build) kernels() {
	if b.unmangled() {
		return
	}
	s, n := newGrouped(), noted{}
	for _, in := range b.ins {
		a := &in.tl.Activities
		groups := newGroups(in.tl)
		for i, c := range a.Class {
			if c != event.Kernel {
				continue
			}
			if b.has(argNVTXName) {
				s.add(s.id(b.within(in, i)+b.kernel(in.tl.Name(a.Name[i]))), a.Dur[i])
				continue
			}
			s.add(groups.of(a.Name[i], func(text string) int32 { return s.id(b.kernel(text)) }), a.Dur[i])
		}
		if b.has(argNVTXName) {
			n.unlaunched(in)
		}
	}
	if len(s.value) == 0 {
		b.skip("CUDA kernel")
		return
	}
	b.Cols = sumCols("Instances", "Name")
	b.sumRows(s)
	b.tell(n)
}

// kernel is what a kernel is called in a report.
func (b *build) kernel(name string) string {
	if b.has(argBase) {
		return baseName(name)
	}
	return name
}

// unmangled skips the reports that timelines cannot give.
func (b *build) unmangled() bool {
	if b.has(argMangled) {
		b.Skipped = "Reel keeps no mangled names; the report without :mangled has the demangled ones."
	}
	return b.has(argMangled)
}

// within is the innermost named range around an activity's launch, as what stands
// before a kernel's name.
func (b *build) within(in *input, i int) string {
	for r := walk.Cause(in.tl, i); r != timeline.NoRange; r = in.parent[r] {
		if track := in.tl.RangeTrack(r); in.isNamed(r, track) && !in.isOpen(r) {
			return in.name(r) + ": "
		}
	}
	return ""
}

// unlaunched counts the activities that no launch in the file explains.
func (n *noted) unlaunched(in *input) {
	for i, c := range in.tl.Activities.Class {
		if c.IsWork() {
			n.activities++
			if walk.Cause(in.tl, i) == timeline.NoRange {
				n.unattributed++
			}
		}
	}
}

// memTime summarises copies and sets by time.
func (b *build) memTime() {
	s := b.memory(func(in *input, i int) (int64, bool) { return in.tl.Activities.Dur[i], true })
	if b.Skipped == "" {
		b.Cols = sumCols("Count", "Operation")
		b.sumRows(s)
	}
}
