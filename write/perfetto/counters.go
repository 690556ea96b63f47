package perfetto

import (
	"cmp"
	"container/heap"

	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// marks writes instants on their tracks, samples of counters, and the memory
// that was allocated since the trace began.
func (w *rank) marks() {
	var total [2]int64 // host, device
	var memory [2]uint64
	counters := map[counterKey]uint64{}
	m := &w.tl.Marks
	for i, at := range m.At {
		if w.err != nil {
			return
		}
		t := at + w.offset
		switch m.Class[i] {
		case event.HostMemory, event.DeviceMemory:
			k := int(m.Class[i] - event.HostMemory)
			if memory[k] == 0 {
				memory[k] = w.memory(k)
			}
			total[k] += m.Value[i]
			w.count(memory[k], t, total[k])
		case event.NoClass:
			key := counterKey{m.Track[i], m.Name[i]}
			if counters[key] == 0 {
				counters[key] = w.add(track{parent: w.track(key.track), name: walk.Text(w.tl.Name(key.name)), counter: ofAnything})
			}
			w.count(counters[key], t, m.Value[i])
		default:
			w.begin(typeInstant, w.track(m.Track[i]), m.Class[i], m.Name[i])
			w.finish(t)
		}
	}
}

type counterKey struct {
	track timeline.TrackID
	name  timeline.NameID
}

func (w *rank) memory(k int) uint64 {
	name := [...]string{"host memory", "device memory"}[k]
	return w.add(track{parent: w.root, name: name, counter: ofBytes, order: orderHostMemory + k,
		description: "bytes allocated minus released since the trace began"})
}

// busy writes for each device the share of time in which it worked.
func (w *rank) busy() {
	var devices []int64
	streams := map[int64][]stretch{}
	for _, id := range w.tl.DeviceTracks() {
		t := &w.tl.Tracks[id]
		if streams[t.A] == nil {
			devices = append(devices, t.A)
		}
		streams[t.A] = append(streams[t.A], stretch{t.Lo, t.Hi})
	}
	for _, d := range devices {
		var b bins
		merge(w.tl, streams[d], b.span)
		if !b.lay() {
			continue
		}
		merge(w.tl, streams[d], b.spend)
		parent := cmp.Or(w.groups[group{event.Stream, d}], w.root)
		on := w.add(track{parent: parent, name: "busy", counter: ofPercent,
			description: "share of time in which the device worked"})
		b.each(func(t int64, percent float64) { w.share(on, t+w.offset, percent) })
	}
}

// stretch is a part of the activities.
type stretch struct{ lo, hi int }

// merge tells of the work of several streams by start.
func merge(tl *timeline.Timeline, list []stretch, work func(start, end int64)) {
	h := &byStart{tl: tl, list: append([]stretch(nil), list...)}
	heap.Init(h)
	for len(h.list) > 0 {
		s := &h.list[0]
		if i := s.lo; tl.Activities.Class[i].IsWork() {
			work(tl.Activities.Start[i], tl.Activities.End(i))
		}
		if s.lo++; s.lo == s.hi {
			heap.Pop(h)
		} else {
			heap.Fix(h, 0)
		}
	}
}

// byStart is a heap of stretches, none empty, by the start of their first
// activity.
type byStart struct {
	tl   *timeline.Timeline
	list []stretch
}

func (h *byStart) Len() int { return len(h.list) }
func (h *byStart) Less(i, j int) bool {
	return h.tl.Activities.Start[h.list[i].lo] < h.tl.Activities.Start[h.list[j].lo]
}
func (h *byStart) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *byStart) Push(x any)    { h.list = append(h.list, x.(stretch)) }
func (h *byStart) Pop() any {
	n := len(h.list) - 1
	x := h.list[n]
	h.list = h.list[:n]
	return x
}
