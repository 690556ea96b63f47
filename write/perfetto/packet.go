package perfetto

import (
	"bufio"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers, by message (source: trace_packet.proto, track_event.proto,
// track_descriptor.proto, interned_data.proto, clock_snapshot.proto).
const (
	tracePacket = 1 // of Trace

	packetClockSnapshot   = 6
	packetTimestamp       = 8
	packetSequence        = 10
	packetTrackEvent      = 11
	packetInterned        = 12
	packetSequenceFlags   = 13
	packetTrackDescriptor = 60

	eventCategoryIID  = 3
	eventDebug        = 4
	eventType         = 9
	eventNameIID      = 10
	eventTrack        = 11
	eventName         = 23
	eventCounter      = 30
	eventDoubleCount  = 44
	eventFlow         = 47
	eventTerminating  = 48
	internCategory    = 1
	internName        = 2
	internDebugName   = 3
	internDebugText   = 29
	debugNameIID      = 1
	debugInt          = 4
	debugText         = 6
	debugTextIID      = 17
	trackUUID         = 1
	trackName         = 2
	trackParent       = 5
	trackCounter      = 8
	trackOrdering     = 11
	trackOrder        = 12
	trackDescription  = 14
	trackMerge        = 15
	counterUnit       = 3
	counterUnitName   = 6
	snapshotClocks    = 1
	clockID, clockNow = 1, 2
)

// Values of enumerations.
const (
	typeBegin, typeEnd, typeInstant, typeCounter = 1, 2, 3, 4

	stateCleared, stateNeeded = 1, 2 // sequence flags
	orderExplicit             = 3
	mergeNever                = 2
	unitBytes                 = 3
	clockRealtime, clockBoot  = 1, 6
)

// encoder writes packets. Its buffers are reused; the first error stays.
type encoder struct {
	out      *bufio.Writer
	sequence uint64
	flags    uint64 // of the next packet
	packet   []byte
	event    []byte // the message in the packet
	interned []byte
	sub      []byte
	err      error
}

func newEncoder(w io.Writer) *encoder { return &encoder{out: bufio.NewWriterSize(w, 256<<10)} }

// begin turns to another packet sequence, with nothing interned.
func (e *encoder) begin(sequence int) { e.sequence, e.flags = uint64(sequence), stateCleared }

func varint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func fixed(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), v)
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func message(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}

// write writes e.packet, closed by what every packet of a sequence has.
func (e *encoder) write() {
	e.packet = varint(e.packet, packetSequence, e.sequence)
	e.packet = varint(e.packet, packetSequenceFlags, e.flags)
	e.flags = stateNeeded
	if e.err != nil {
		return
	}
	head := protowire.AppendTag(e.sub[:0], tracePacket, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(len(e.packet)))
	e.sub = head
	if _, e.err = e.out.Write(head); e.err == nil {
		_, e.err = e.out.Write(e.packet)
	}
}

// start begins a track event.
func (e *encoder) start(kind, track uint64) {
	e.event = varint(varint(e.event[:0], eventType, kind), eventTrack, track)
	e.interned = e.interned[:0]
}

// finish writes the event begun, at time t, ns.
func (e *encoder) finish(t int64) {
	e.packet = varint(e.packet[:0], packetTimestamp, uint64(max(t, 0)))
	e.packet = message(e.packet, packetTrackEvent, e.event)
	if len(e.interned) > 0 {
		e.packet = message(e.packet, packetInterned, e.interned)
	}
	e.write()
}

// end writes the end of the innermost slice of a track.
func (e *encoder) end(track uint64, t int64) {
	e.start(typeEnd, track)
	e.finish(t)
}

// count writes a counter's sample.
func (e *encoder) count(track uint64, t, v int64) {
	e.start(typeCounter, track)
	e.event = varint(e.event, eventCounter, uint64(v))
	e.finish(t)
}

// share writes a counter's sample that is no whole number.
func (e *encoder) share(track uint64, t int64, v float64) {
	e.start(typeCounter, track)
	e.event = fixed(e.event, eventDoubleCount, math.Float64bits(v))
	e.finish(t)
}

// intern adds a string to what the packet teaches the reader.
func (e *encoder) intern(table protowire.Number, iid uint64, s string) {
	e.sub = text(varint(e.sub[:0], 1, iid), 2, s)
	e.interned = message(e.interned, table, e.sub)
}

// clocks says that the trace's clock is Unix time.
func (e *encoder) clocks(now int64) {
	snapshot := []byte(nil)
	for _, id := range []uint64{clockBoot, clockRealtime} {
		snapshot = message(snapshot, snapshotClocks, varint(varint(nil, clockID, id), clockNow, uint64(now)))
	}
	e.packet = message(e.packet[:0], packetClockSnapshot, snapshot)
	e.write()
}
