package event

import (
	"fmt"
	"iter"
)

// Kind says what shape an event has.
type Kind uint8

// The kinds of events.
const (
	NoKind   Kind = iota
	Range         // a named interval on a host track
	Activity      // an interval of work on a device
	Mark          // a named instant
	Counter       // a sampled value
	Meta          // names a track or process; carries no time
	Flow          // one end of an arrow; both ends carry the same Link
)

var kindNames = [...]string{"none", "range", "activity", "mark", "counter", "meta", "flow"}

// String returns the word of the text form.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Class says which sort of range, activity or mark the producer wrote. It is
// the producer's own distinction; what a range means is its Role.
type Class uint8

// Classes of host ranges, then of device activities, then of marks.
const (
	NoClass    Class = iota
	Op               // an operator of the framework (Kineto: cpu_op)
	Annotation       // a range the program named itself (user_annotation)
	Runtime          // a call into the device's runtime (cuda_runtime, HIP, …)
	Driver           // a call into the device's driver
	Python           // a Python call
	Overhead         // time the profiler took for itself
	OtherRange       // a range of none of these classes

	Kernel        // a kernel
	Copy          // a copy to, from or within a device
	Set           // a memory set
	GPUAnnotation // a program's range as it covered the device; no work of its own
	Sync          // a device-side wait (cuda_sync); no work of its own
	OtherActivity // device work of none of these classes
	Unsound       // an activity whose times cannot be true; kept and counted, never measured

	HostMemory   // mark: an allocation (Value > 0) or release (Value < 0) on the host, bytes
	DeviceMemory // mark: the same on a device
	OtherMark
	numClasses
)

var classNames = [numClasses]string{"", "op", "annotation", "runtime", "driver", "python", "overhead", "other",
	"kernel", "copy", "set", "gpuannotation", "sync", "work", "unsound", "hostmem", "devmem", "mark"}

// String returns the word of the text form, "" for NoClass.
func (c Class) String() string {
	if c < numClasses {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// IsWork reports whether an activity of this class is work the device did:
// kernels, copies and sets count, annotations and waits do not.
func (c Class) IsWork() bool { return c == Kernel || c == Copy || c == Set || c == OtherActivity }

// IsHost reports whether the class is one of a host range.
func (c Class) IsHost() bool { return c >= Op && c <= OtherRange }

// Role says what a range is. Producers set it, or a rule table does, so that
// no analysis matches names.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	Request
	Loop
	Step
	Stage
	Forward
	Scheduler
	Frame
	WarmUp
	numRoles
)

var roleNames = [numRoles]string{"", "request", "loop", "step", "stage", "forward", "scheduler", "frame", "warmup"}

// String returns the word of the text form, "" for NoRole.
func (r Role) String() string {
	if r < numRoles {
		return roleNames[r]
	}
	return fmt.Sprintf("role(%d)", uint8(r))
}

// Place says where a track is.
type Place uint8

// The places.
const (
	NoPlace Place = iota
	Thread        // a thread of a process
	Stream        // a stream (queue) of a device
	Logical       // a row that is neither: model, UI, profiler spans
)

// Track identifies where an event lies. A and B are the process and thread id,
// or the device and stream id; ids that are not numbers are in Label.
// The zero Track is no track.
type Track struct {
	Place Place
	A, B  int64
	Label string // name of a logical row, or text ids as "pid/tid"
}

// Event is one event, flat. Times are nanoseconds on the producer's time line;
// Batch.Base places that line on the Unix clock.
type Event struct {
	Kind  Kind
	Class Class
	Role  Role
	Track Track
	Name  string
	Start int64 // ns
	Dur   int64 // ns; 0 for marks
	Link  int64 // correlation: a launch and what it launched carry the same; 0 is none
	Op    int64 // the producer's id of an operator (on an Op), or of the operator it says caused this; 0 is none
	Value int64 // bytes of a copy, set or allocation; a counter's sample
	Args  []Arg
}

// GPU returns the device and stream ids of an activity.
func (e Event) GPU() (device, stream int64, ok bool) {
	if e.Kind != Activity || e.Track.Place != Stream {
		return 0, 0, false
	}
	return e.Track.A, e.Track.B, true
}

// End returns the event's end, ns.
func (e Event) End() int64 { return e.Start + e.Dur }

// Reader is a source of events. Next fills b (whose old contents it may reuse
// or replace) and returns io.EOF, with an empty batch, after the last event.
type Reader interface {
	Next(b *Batch) error
}

// All ranges over single events. It is the comfortable way to read; the
// timeline takes whole batches. The error, if any, comes last.
func All(r Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var b Batch
		for {
			err := r.Next(&b)
			for i := range b.Len() {
				if !yield(b.Event(i), nil) {
					return
				}
			}
			if err != nil {
				if !isEOF(err) {
					yield(Event{}, err)
				}
				return
			}
		}
	}
}
