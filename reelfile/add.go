package reelfile

import (
	"fmt"

	"reel/event"
)

// Adder writes events of package event into a recording: the way in for other
// sources, and for tests, which are written as text. It is used by one
// goroutine.
type Adder struct {
	w      *Writer
	tracks map[event.Track]*Track
	args   []Arg
}

// NewAdder returns an Adder. The writer must have a NanosecondClock, so that
// times are kept exactly; time 0 of the events is the start of the recording.
func NewAdder(w *Writer) (*Adder, error) {
	if w.clock.tsc {
		return nil, fmt.Errorf("record: events can be added to a recording with a nanosecond clock only")
	}
	return &Adder{w: w, tracks: map[event.Track]*Track{}}, nil
}

// Add writes e and reports whether there was room.
func (a *Adder) Add(e event.Event) (bool, error) {
	t := a.tracks[e.Track]
	if t == nil {
		t = a.w.Track(e.Track, "")
		a.tracks[e.Track] = t
	}
	if name, ok := threadName(e); ok {
		t.Rename(name)
		return true, nil
	}
	k := kindOf(e.Kind)
	if k == noKind || int(e.Class) >= len(classCode) || int(e.Role) >= len(roleCode) {
		return false, fmt.Errorf("record: event %q: %v %v %v has no place in a recording", e.Name, e.Kind, e.Class, e.Role)
	}
	d := Of(k, a.w.Intern(e.Name)).Role(e.Role)
	if e.Class != kinds[k].class {
		d = d.Class(e.Class)
	}
	arg := int64(0)
	a.args = a.args[:0]
	switch {
	case e.Link != 0:
		d, arg = d.With(Link), e.Link
		if e.Value != 0 {
			a.args = append(a.args, ValueArg(e.Value))
		}
	case e.Value != 0:
		d, arg = d.With(Value), e.Value
	}
	if e.Op != 0 {
		a.args = append(a.args, Arg{what: extOp, data: uint64(e.Op)})
	}
	if uint64(e.Dur) >= maxDur {
		a.args = append(a.args, Arg{what: extDur, data: uint64(e.Dur)})
	}
	for _, x := range e.Args {
		a.args = append(a.args, a.arg(x))
	}
	return t.WriteArgs(d, arg, uint64(a.w.start.mono+e.Start), uint64(e.Dur), a.args...), nil
}

func (a *Adder) arg(x event.Arg) Arg {
	key := a.w.Intern(x.Key)
	switch x.Kind {
	case event.ArgInt:
		return IntArg(key, int64(x.Num))
	case event.ArgFloat:
		return Arg{key, extFloat, x.Num}
	case event.ArgRaw:
		return Arg{key, extRaw, uint64(a.w.Intern(x.Text))}
	}
	return TextArg(key, a.w.Intern(x.Text))
}

// kindOf returns the kind of record for a kind of event.
func kindOf(k event.Kind) Kind {
	for i, v := range kinds {
		if v.kind == k && k != event.NoKind {
			return Kind(i)
		}
	}
	return noKind
}

// metaThreadName is the Meta event that names a track.
const metaThreadName = "thread_name"

// threadName returns the name that a Meta event gives its track.
func threadName(e event.Event) (string, bool) {
	if e.Kind != event.Meta || e.Name != metaThreadName || len(e.Args) != 1 || e.Args[0].Kind != event.ArgText || e.Args[0].Key != "name" {
		return "", false
	}
	return e.Args[0].Text, e.Start == 0 && e.Dur == 0 && e.Link == 0 && e.Op == 0 && e.Value == 0 && e.Class == 0 && e.Role == 0
}
