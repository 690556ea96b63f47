package reelfile

import "reel/event"

// record is one slot of a chunk.
type record struct {
	word  uint64 // state, tag and duration; stored last
	start uint64 // ticks
	what  uint64 // a Desc and the number of extensions
	arg   uint64
}

// States of a slot.
const (
	slotFree = 0
	slotOpen = 1
	slotDone = 2
	slotVoid = 3
)

const (
	tagMask = 1<<14 - 1
	maxDur  = 1<<48 - 1 // ticks; stands for "at least that"
	maxExt  = 1<<7 - 1
)

// recordWord is the word that publishes a record.
func recordWord(state uint64, gen uint32, dur uint64) uint64 {
	return state | uint64(gen&tagMask)<<2 | dur<<16
}

// Str is the id of a name that Writer.Intern gave; 0 is "".
type Str uint32

// Timing says how the time of a record was taken.
type Timing uint8

// The ways. Usual is Host, and Device for activities.
const (
	Usual  Timing = iota
	Host          // the host's clock, whatever a device was doing
	Synced        // the host's clock, with the device idle at both ends
	Device        // the device's own clock
)

// Kind says what a record is.
type Kind uint8

// The kinds of records.
const (
	noKind   Kind = iota
	Range         // a range on its track, properly nested
	Activity      // work of a device
	Mark          // an instant
	Counter       // a sample
	Async         // a range that may overlap others and end on another thread
	flow
	meta
	ext
)

// Payload says what a record's argument is.
type Payload uint8

// The payloads.
const (
	None  Payload = iota
	Link          // a launch and the activities that it caused carry the same
	Value         // bytes, or a counter's sample
	Step          // StepOf: shown as "name [step N]" or "name [gen G, step N]"
	Index         // shown as "name[i]"
	Float         // a sample as math.Float64bits
)

// StepOf packs a generation and a step for payload Step.
func StepOf(generation, step uint32) int64 { return int64(pair(step, generation)) }

// Desc is what a record says beside its times and its argument, packed. Make it
// with Of and the methods, which return changed copies and cost a few
// instructions.
type Desc uint64

const (
	descKind    = 32
	descTiming  = 36
	descPayload = 38
	descExt     = 41
	descClass   = 48
	descRole    = 56
)

// Of returns the description of a record of that kind, of the kind's own class:
// annotation for ranges, kernel for activities.
func Of(k Kind, name Str) Desc { return Desc(name) | Desc(k&15)<<descKind }

// Role adds what the range is.
func (d Desc) Role(r event.Role) Desc { return d | Desc(roleCode[r&15])<<descRole }

// Class adds the class, where it is not the kind's own.
func (d Desc) Class(c event.Class) Desc { return d | Desc(classCode[c&31])<<descClass }

// Timed adds how the time was taken.
func (d Desc) Timed(t Timing) Desc { return d | Desc(t&3)<<descTiming }

// With says what the argument is.
func (d Desc) With(p Payload) Desc { return d | Desc(p&7)<<descPayload }

func (d Desc) name() Str        { return Str(d) }
func (d Desc) kind() Kind       { return Kind(d >> descKind & 15) }
func (d Desc) timing() Timing   { return Timing(d >> descTiming & 3) }
func (d Desc) payload() Payload { return Payload(d >> descPayload & 7) }
func (d Desc) ext() int         { return int(d >> descExt & maxExt) }
func (d Desc) class() uint8     { return uint8(d >> descClass) }
func (d Desc) role() uint8      { return uint8(d >> descRole) }
