package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, n/64+1) }

// add reports whether i is new.
func (b bits) add(i int) bool {
	w, bit := &b[i/64], uint64(1)<<(i%64)
	had := *w&bit != 0
	*w |= bit
	return !had
}

// key is an argument that Reel adds; those of Options.Args follow.
type key int

const (
	keyBytes key = iota
	keyDuration
	keyName
	keyEvidence
	keyRequest
	keyLoop
	numKeys int = iota
)

var keyNames = [...]string{"bytes", "true duration (ns)", "name", "evidence", "request", "loop"}

// host writes the ranges of a host track.
func (w *rank) host(id timeline.TrackID) {
	w.lanes.reset(w.track(id))
	t, r := &w.tl.Tracks[id], &w.tl.Ranges
	for i := timeline.RangeID(t.Lo); i < timeline.RangeID(t.Hi) && w.err == nil; i++ {
		start := r.Start[i] + w.offset
		on, cut := w.lanes.place(start, slice{i, start + r.Dur[i], true}, r.Parent[i])
		w.begin(typeBegin, on, r.Class[i], r.Name[i])
		for _, a := range w.causes.Of(i) {
			w.event = fixed(w.event, eventFlow, w.flows+uint64(a)+1)
		}
		for k, col := range w.args {
			if col != nil && col[i] != 0 {
				w.argument(key(numKeys+k), col[i])
			}
		}
		if cut {
			w.number(keyDuration, r.Dur[i])
		}
		w.finish(start)
	}
	w.lanes.finish()
}

// device writes the activities of a stream. Only annotations and waits can have
// work inside: two kernels at once are two rows.
func (w *rank) device(id timeline.TrackID) {
	w.lanes.reset(w.track(id))
	t, a := &w.tl.Tracks[id], &w.tl.Activities
	for i := t.Lo; i < t.Hi && w.err == nil; i++ {
		class := a.Class[i]
		if class == event.Unsound && !w.opt.Unsound {
			continue
		}
		start := a.Start[i] + w.offset
		on, cut := w.lanes.place(start, slice{timeline.NoRange, start + a.Dur[i], class == event.GPUAnnotation || class == event.Sync}, timeline.NoRange)
		w.begin(typeBegin, on, class, a.Name[i])
		w.arrow(i)
		if a.Bytes[i] != 0 {
			w.number(keyBytes, a.Bytes[i])
		}
		if cut {
			w.number(keyDuration, a.Dur[i])
		}
		w.finish(start)
	}
	w.lanes.finish()
}

// arrow ends the arrow to an activity. One that seems to begin before its launch,
// for the clocks of host and device differ, gets an arrow without a direction of
// its own: readers would lose one that ends before it begins.
func (w *rank) arrow(i int) {
	c := walk.Cause(w.tl, i)
	if c == timeline.NoRange || !w.tl.Activities.Class[i].IsWork() {
		return
	}
	field := protowire.Number(eventTerminating)
	if w.tl.Activities.Start[i] < w.tl.Ranges.Start[c] {
		field = eventFlow
	}
	w.event = fixed(w.event, field, w.flows+uint64(i)+1)
}

// begin starts an event of a class and a name, which it interns.
func (w *rank) begin(kind, on uint64, class event.Class, name timeline.NameID) {
	w.start(kind, on)
	w.category(class)
	w.event = varint(w.event, eventNameIID, uint64(name)+1)
	if w.names.add(int(name)) {
		w.intern(internName, uint64(name)+1, shown(w.tl.Name(name)))
	}
}

func (w *rank) category(class event.Class) {
	w.event = varint(w.event, eventCategoryIID, uint64(class)+1)
	if w.classes.add(int(class)) {
		s := class.String()
		if s == "" {
			s = "none"
		}
		w.intern(internCategory, uint64(class)+1, s)
	}
}

// key interns the name of an argument.
func (w *rank) key(k key) uint64 {
	if w.keys.add(int(k)) {
		name := ""
		if int(k) < numKeys {
			name = keyNames[k]
		} else {
			name = walk.Text(w.opt.Args[int(k)-numKeys])
		}
		w.intern(internDebugName, uint64(k)+1, name)
	}
	return uint64(k) + 1
}

// plainName names the event begun without interning.
func (w *rank) plainName(s string) {
	w.event = text(w.event, eventName, shown(s))
}

// shown is a name as the reader shows it: an event without one has no text at all.
func shown(name string) string {
	if name == "" {
		return "(no name)"
	}
	return walk.Text(name)
}

func (w *rank) number(k key, v int64) {
	iid := w.key(k)
	w.sub = varint(varint(w.sub[:0], debugNameIID, iid), debugInt, uint64(v))
	w.event = message(w.event, eventDebug, w.sub)
}

func (w *rank) words(k key, s string) {
	iid := w.key(k)
	w.sub = text(varint(w.sub[:0], debugNameIID, iid), debugText, walk.Text(s))
	w.event = message(w.event, eventDebug, w.sub)
}

func (w *rank) argument(k key, v timeline.NameID) {
	iid := w.key(k)
	if w.texts.add(int(v)) {
		w.intern(internDebugText, uint64(v)+1, walk.Text(w.tl.Name(v)))
	}
	w.sub = varint(varint(w.sub[:0], debugNameIID, iid), debugTextIID, uint64(v)+1)
	w.event = message(w.event, eventDebug, w.sub)
}
