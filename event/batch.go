package event

import (
	"errors"
	"io"
	"math"
	"strconv"
)

// Str is the index of a string in a batch's own table; 0 is "".
type Str uint32

// TrackID is the index of a track in a batch's own table.
type TrackID uint32

// Batch is some thousands of events as columns, with their own string and track
// tables, so that parallel readers share nothing. Row i of every column belongs
// to event i. A batch is reused: Reset keeps its memory.
type Batch struct {
	Kind  []Kind
	Class []Class
	Role  []Role
	Track []TrackID
	Name  []Str
	Start []int64 // ns
	Dur   []int64 // ns
	Link  []int64
	Op    []int64
	Value []int64

	// ArgEnd[i] is where event i's arguments end in the three columns below;
	// they begin where those of event i-1 end.
	ArgEnd  []uint32
	ArgKey  []Str
	ArgKind []ArgKind
	ArgVal  []uint64

	Strings Strings
	Tracks  []Track

	Warnings []Warning
}

// ArgKind says how an argument's value is kept.
type ArgKind uint8

// The kinds of argument values.
const (
	ArgInt   ArgKind = iota // int64 in two's complement
	ArgFloat                // IEEE 754 bits
	ArgText                 // index of a string, decoded
	ArgRaw                  // index of a string: the JSON text of an array, object or literal
)

// Arg is one argument of an event.
type Arg struct {
	Key  string
	Kind ArgKind
	Num  uint64 // ArgInt, ArgFloat
	Text string // ArgText, ArgRaw
}

// Int returns the value of an integer argument.
func (a Arg) Int() (int64, bool) { return int64(a.Num), a.Kind == ArgInt }

// Float returns the value of a numeric argument.
func (a Arg) Float() (float64, bool) {
	switch a.Kind {
	case ArgInt:
		return float64(int64(a.Num)), true
	case ArgFloat:
		return math.Float64frombits(a.Num), true
	}
	return 0, false
}

// String returns the value as text.
func (a Arg) String() string {
	switch a.Kind {
	case ArgInt:
		return strconv.FormatInt(int64(a.Num), 10)
	case ArgFloat:
		return strconv.FormatFloat(math.Float64frombits(a.Num), 'g', -1, 64)
	}
	return a.Text
}

// Len returns the number of events.
func (b *Batch) Len() int { return len(b.Kind) }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	b.Kind, b.Class, b.Role = b.Kind[:0], b.Class[:0], b.Role[:0]
	b.Track, b.Name = b.Track[:0], b.Name[:0]
	b.Start, b.Dur, b.Link, b.Op, b.Value = b.Start[:0], b.Dur[:0], b.Link[:0], b.Op[:0], b.Value[:0]
	b.ArgEnd, b.ArgKey, b.ArgKind, b.ArgVal = b.ArgEnd[:0], b.ArgKey[:0], b.ArgKind[:0], b.ArgVal[:0]
	b.Strings.Reset()
	b.Tracks = b.Tracks[:0]
	b.Warnings = b.Warnings[:0]
}

// TrackID returns the batch's id of t, adding it when it is new.
func (b *Batch) TrackID(t Track) TrackID {
	for i := len(b.Tracks) - 1; i >= 0; i-- {
		if b.Tracks[i] == t {
			return TrackID(i)
		}
	}
	b.Tracks = append(b.Tracks, t)
	return TrackID(len(b.Tracks) - 1)
}

// Add appends e. It is for producers that do not need the speed of filling the
// columns themselves.
func (b *Batch) Add(e Event) {
	b.Kind, b.Class, b.Role = append(b.Kind, e.Kind), append(b.Class, e.Class), append(b.Role, e.Role)
	b.Track, b.Name = append(b.Track, b.TrackID(e.Track)), append(b.Name, b.Strings.Add(e.Name))
	b.Start, b.Dur = append(b.Start, e.Start), append(b.Dur, e.Dur)
	b.Link, b.Op, b.Value = append(b.Link, e.Link), append(b.Op, e.Op), append(b.Value, e.Value)
	for _, a := range e.Args {
		v := a.Num
		if a.Kind == ArgText || a.Kind == ArgRaw {
			v = uint64(b.Strings.Add(a.Text))
		}
		b.ArgKey = append(b.ArgKey, b.Strings.Add(a.Key))
		b.ArgKind, b.ArgVal = append(b.ArgKind, a.Kind), append(b.ArgVal, v)
	}
	b.ArgEnd = append(b.ArgEnd, uint32(len(b.ArgKey)))
}

// Event returns event i as a value; its strings are copies.
func (b *Batch) Event(i int) Event {
	e := Event{Kind: b.Kind[i], Class: b.Class[i], Role: b.Role[i], Name: b.Strings.Get(b.Name[i]),
		Start: b.Start[i], Dur: b.Dur[i], Link: b.Link[i], Op: b.Op[i], Value: b.Value[i]}
	if int(b.Track[i]) < len(b.Tracks) {
		e.Track = b.Tracks[b.Track[i]]
	}
	lo, hi := b.ArgRange(i)
	for j := lo; j < hi; j++ {
		a := Arg{Key: b.Strings.Get(b.ArgKey[j]), Kind: b.ArgKind[j], Num: b.ArgVal[j]}
		if a.Kind == ArgText || a.Kind == ArgRaw {
			a.Text, a.Num = b.Strings.Get(Str(a.Num)), 0
		}
		e.Args = append(e.Args, a)
	}
	return e
}

// ArgRange returns where the arguments of event i lie in the argument columns.
func (b *Batch) ArgRange(i int) (lo, hi uint32) {
	if i > 0 {
		lo = b.ArgEnd[i-1]
	}
	return lo, b.ArgEnd[i]
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
