package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// track describes a track to the reader.
type track struct {
	parent      uint64 // 0 at the top
	name        string
	description string
	order       int
	counter     counter
}

// counter says that a track is one, and of what.
type counter uint8

const (
	noCounter counter = iota
	ofBytes
	ofPercent
	ofAnything
)

// tracks numbers tracks over the whole file.
type tracks struct {
	*encoder
	last uint64
}

// add writes a track's description and returns its number.
func (t *tracks) add(x track) uint64 {
	t.last++
	d := text(varint(nil, trackUUID, t.last), trackName, x.name)
	if x.parent != 0 {
		d = varint(d, trackParent, x.parent)
	}
	if x.description != "" {
		d = text(d, trackDescription, x.description)
	}
	switch x.counter {
	case noCounter:
		d = varint(d, trackOrdering, orderExplicit)
	case ofBytes:
		d = message(d, trackCounter, varint(nil, counterUnit, unitBytes))
	case ofPercent:
		d = message(d, trackCounter, text(nil, counterUnitName, "%"))
	case ofAnything:
		d = protowire.AppendBytes(protowire.AppendTag(d, trackCounter, protowire.BytesType), nil)
	}
	d = varint(d, trackOrder, uint64(x.order))
	d = varint(d, trackMerge, mergeNever) // threads may have one name
	t.packet = message(t.packet[:0], packetTrackDescriptor, d)
	t.write()
	return t.last
}
