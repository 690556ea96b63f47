package nsysstats

import (
	"slices"
	"sort"
	"strconv"

	"reel/event"
	"reel/internal/walk"
	"reel/table"
	"reel/timeline"
)

// rangeKernels summarises the kernels of each named range: a kernel counts in
// every range around its launch.
func (b *build) rangeKernels() {
	if b.unmangled() {
		return
	}
	k := &kernelsOf{grouped: newGrouped()}
	n, kernels, named := noted{}, false, false
	for _, in := range b.ins {
		n.unlaunched(in)
		kernels = slices.Contains(in.tl.Activities.Class, event.Kernel) || kernels
		named = k.addAll(b, in, &n) || named
	}
	switch {
	case !named:
		b.skip(noRanges[both])
		return
	case !kernels:
		b.skip("CUDA kernel")
		return
	}
	b.Cols = []Col{{"NVTX Range", text}, {"Style", text}, {"PID", 0}, {"TID", 0}, {"NVTX Inst", 0}, {"Kern Inst", 0}, {"Total Time (ns)", 0},
		{"Avg (ns)", 1}, {"Med (ns)", 1}, {"Min (ns)", 0}, {"Max (ns)", 0}, {"StdDev (ns)", 1}, {"Kernel Name", text}}
	for m := range k.measure().all() {
		key := k.key(m.key)
		pid, _ := strconv.ParseInt(key[2], 10, 64) // written below
		tid, _ := strconv.ParseInt(key[3], 10, 64)
		b.rows = append(b.rows, []table.Cell{table.Str(key[0]), table.Str(key[1]), table.Int(pid), table.Int(tid), table.Int(k.instances[m.key]),
			table.Int(int64(m.n)), table.Int(m.total), table.Float(m.avg), table.Float(m.med), table.Int(m.min), table.Int(m.max), table.Float(m.dev), table.Str(key[4])})
	}
	b.note("A kernel counts in every range around its launch.")
	b.tell(n)
}

// kernelsOf gathers kernels by range and name.
type kernelsOf struct {
	*grouped
	instances []int64 // of ranges, by group
	recent    [][8]timeline.RangeID
}

// launched is a call with the activities that it launched.
type launched struct {
	call timeline.RangeID
	list []int32
}

// addAll adds the kernels of a source; it reports whether it has named ranges.
func (k *kernelsOf) addAll(b *build, in *input, n *noted) (named bool) {
	tl := in.tl
	causes := walk.NewCauses(tl)
	calls := map[timeline.TrackID][]launched{}
	for i := range k.recent { // range numbers of another source
		k.recent[i] = none
	}
	var free []timeline.RangeID
	for _, track := range tl.HostTracks() {
		t := &tl.Tracks[track]
		for i := t.Lo; i < t.Hi; i++ {
			r := timeline.RangeID(i)
			is := in.isNamed(r, track)
			named = named || is
			if is && in.styleOf(r, track) == startEnd && !in.isOpen(r) {
				free = append(free, r)
			}
			list := causes.Of(r)
			if len(list) == 0 {
				continue
			}
			calls[track] = append(calls[track], launched{r, list})
			for up := r; up != timeline.NoRange; up = in.parent[up] {
				if in.isNamed(up, track) && in.styleOf(up, track) == pushPop && !in.isOpen(up) {
					k.add(b, in, up, track, list)
				}
			}
		}
	}
	for _, r := range free {
		track := tl.RangeTrack(r)
		if thread, ok := in.thread(r, track); ok {
			k.addFree(b, in, r, track, calls[thread])
		} else {
			n.elsewhere++
		}
	}
	return named
}

// addFree adds the kernels of the calls within a start/end range.
func (k *kernelsOf) addFree(b *build, in *input, r timeline.RangeID, track timeline.TrackID, calls []launched) {
	tl := in.tl
	from := sort.Search(len(calls), func(i int) bool { return tl.Ranges.Start[calls[i].call] >= tl.Ranges.Start[r] })
	for _, c := range calls[from:] {
		if tl.Ranges.Start[c.call] > tl.Ranges.End(r) {
			break
		}
		if tl.Ranges.End(c.call) <= tl.Ranges.End(r) {
			k.add(b, in, r, track, c.list)
		}
	}
}

var none = [8]timeline.RangeID{-1, -1, -1, -1, -1, -1, -1, -1}

// add adds the kernels among activities to range r.
func (k *kernelsOf) add(b *build, in *input, r timeline.RangeID, track timeline.TrackID, list []int32) {
	a, t := &in.tl.Activities, &in.tl.Tracks[track]
	for _, i := range list {
		if a.Class[i] != event.Kernel {
			continue
		}
		g := k.id(in.name(r), in.styleOf(r, track).String(), strconv.FormatInt(t.A, 10), strconv.FormatInt(t.B, 10), b.kernel(in.tl.Name(a.Name[i])))
		if int(g) == len(k.instances) {
			k.instances, k.recent = append(k.instances, 0), append(k.recent, none)
		}
		// Launches come in order, so that a range that was counted is among the
		// last ones; ranges of one name may lie within each other.
		if last := &k.recent[g]; !slices.Contains(last[:], r) {
			copy(last[1:], last[:7])
			last[0] = r
			k.instances[g]++
		}
		k.grouped.add(g, a.Dur[i])
	}
}
