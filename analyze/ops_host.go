package analyze

import (
	"cmp"
	"slices"

	"reel/event"
	"reel/timeline"
)

// hostRows makes the rows of the host's ranges, thread by thread.
func (o *opsTable) hostRows() {
	guests := o.guests()
	t := opsTree{o: o}
	for _, id := range o.tl.HostTracks() {
		track, more := o.tl.Tracks[id], guests[id]
		delete(guests, id)
		r := &o.tl.Ranges
		for i := timeline.RangeID(track.Lo); i < timeline.RangeID(track.Hi); i++ {
			if c := r.Class[i]; c == event.Python && !o.pythonNests || !opsTakes(c, track) {
				continue
			}
			for len(more) > 0 && cmp.Or(cmp.Compare(more[0].start, r.Start[i]), cmp.Compare(r.End(i), more[0].end)) < 0 {
				t.push(more[0])
				more = more[1:]
			}
			o.pushRange(&t, i)
		}
		t.pushAll(more)
		t.finish()
	}
	for _, more := range guests { // of threads that have nothing else
		t.pushAll(more)
		t.finish()
	}
}

// opsTakes reports whether ranges of class c on a track take part. The profiler's
// own spans (on rows that are no threads) do not; overhead is a guest elsewhere.
func opsTakes(c event.Class, track timeline.Track) bool {
	return c != event.Overhead && (c != event.OtherRange || track.Place == event.Thread)
}

func (o *opsTable) pushRange(t *opsTree, i timeline.RangeID) {
	r := &o.tl.Ranges
	n := opsNode{r: i, name: o.names.row(r.Name[i], r.Class[i]), class: r.Class[i], start: r.Start[i], end: r.End(i)}
	if n.name == opsDropped {
		return
	}
	n.memory = o.memory.between(n.start, n.end)
	if o.unfinished != nil && o.unfinished[i] != 0 && o.tl.Name(o.unfinished[i]) == "false" {
		n.alone = true
		o.memory.claim(n.start, n.end)
		o.emit(&n)
		return
	}
	if len(o.kernels) > 0 && n.class != event.Python {
		n.kernels = o.kernelTime(i)
	}
	t.push(n)
}

// guests returns, by thread and in the order of nesting, what takes part in a
// thread's nesting but lies elsewhere in the timeline.
func (o *opsTable) guests() map[timeline.TrackID][]opsNode {
	guests := map[timeline.TrackID][]opsNode{}
	if list, home := o.overhead(); len(list) > 0 {
		guests[home] = list
	}
	failure := opsDropped
	for i, name := range o.tl.Marks.Name {
		if o.tl.Marks.Class[i] != event.OtherMark || o.tl.Name(name) != opsFailureName {
			continue
		}
		if failure == opsDropped {
			failure = o.names.add(opsFailureName)
		}
		at, track := o.tl.Marks.At[i], o.tl.Marks.Track[i]
		guests[track] = append(guests[track], opsNode{r: timeline.NoRange, name: failure, start: at, end: at})
	}
	for _, list := range guests {
		slices.SortStableFunc(list, func(x, y opsNode) int {
			return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end))
		})
	}
	return guests
}

// overhead returns the ranges of the profiler's own overhead, and the track they
// nest in. Traces keep them on a row of their own, but torch counts them to the
// thread that stopped the profiler: the process' first thread, as a rule, else the
// one with the most ranges.
func (o *opsTable) overhead() ([]opsNode, timeline.TrackID) {
	var list []opsNode
	r := &o.tl.Ranges
	home, best := timeline.NoTrack, -1
	for _, id := range o.tl.HostTracks() {
		track, n := o.tl.Tracks[id], 0
		for i := track.Lo; i < track.Hi; i++ {
			switch c := r.Class[i]; {
			case c == event.Overhead:
				id := timeline.RangeID(i)
				if name := o.names.row(r.Name[i], c); name != opsDropped {
					list = append(list, opsNode{r: id, name: name, class: c, start: r.Start[i], end: r.End(id),
						memory: o.memory.between(r.Start[i], r.End(id))})
				}
			case c != event.Python && opsTakes(c, track):
				n++
			}
		}
		if n > 0 && track.Place == event.Thread && track.A == track.B {
			n += r.Len()
		}
		if n > best || home == timeline.NoTrack {
			home, best = id, n
		}
	}
	return list, home
}
