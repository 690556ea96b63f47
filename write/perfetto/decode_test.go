package perfetto_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message, undecoded.
type field struct {
	number protowire.Number
	v      uint64
	b      []byte
}

func fields(t testing.TB, msg []byte) (list []field) {
	t.Helper()
	for len(msg) > 0 {
		number, typ, n := protowire.ConsumeTag(msg)
		if n < 0 {
			t.Fatalf("a bad tag: %v", protowire.ParseError(n))
		}
		msg = msg[n:]
		f := field{number: number}
		switch typ {
		case protowire.VarintType:
			f.v, n = protowire.ConsumeVarint(msg)
		case protowire.Fixed64Type:
			f.v, n = protowire.ConsumeFixed64(msg)
		case protowire.BytesType:
			f.b, n = protowire.ConsumeBytes(msg)
		default:
			t.Fatalf("field %d: wire type %d", number, typ)
		}
		if n < 0 {
			t.Fatalf("field %d: %v", number, protowire.ParseError(n))
		}
		list, msg = append(list, f), msg[n:]
	}
	return list
}

// get returns the first field of a number.
func get(list []field, number protowire.Number) field {
	for _, f := range list {
		if f.number == number {
			return f
		}
	}
	return field{}
}

// event is a decoded track event.
type event struct {
	at, kind, track uint64
	name, category  string
	notes           []string
	out, in         []uint64 // arrows: begun (or gone through), ended
}

// trace is a decoded file.
type trace struct {
	t      testing.TB
	tracks map[uint64][]field
	order  []uint64
	events []event
	clock  string
	seqs   map[uint64]map[protowire.Number]map[uint64]string // interned strings
}

func decode(t testing.TB, data []byte) *trace {
	t.Helper()
	d := &trace{t: t, tracks: map[uint64][]field{}, seqs: map[uint64]map[protowire.Number]map[uint64]string{}}
	for _, p := range fields(t, data) {
		if p.number != 1 {
			t.Fatalf("field %d of the trace", p.number)
		}
		d.packet(fields(t, p.b))
	}
	return d
}

func (d *trace) packet(p []field) {
	seq := get(p, 10).v
	switch flags := get(p, 13).v; {
	case seq == 0:
		d.t.Fatal("a packet without a sequence")
	case d.seqs[seq] == nil && flags != 1:
		d.t.Fatalf("sequence %d begins with flags %d", seq, flags)
	case flags == 1:
		d.seqs[seq] = map[protowire.Number]map[uint64]string{1: {}, 2: {}, 3: {}, 29: {}}
	}
	interned := d.seqs[seq]
	for _, f := range fields(d.t, get(p, 12).b) {
		e := fields(d.t, f.b)
		if id := get(e, 1).v; interned[f.number][id] != "" {
			d.t.Errorf("interned %d of table %d twice", id, f.number)
		} else {
			interned[f.number][id] = string(get(e, 2).b)
		}
	}
	if s := get(p, 6).b; s != nil {
		for _, c := range fields(d.t, s) {
			d.clock += fmt.Sprintf(" %d=%d", get(fields(d.t, c.b), 1).v, get(fields(d.t, c.b), 2).v)
		}
	}
	if b := get(p, 60).b; b != nil {
		x := fields(d.t, b)
		id := get(x, 1).v
		if parent := get(x, 5).v; d.tracks[id] != nil || parent != 0 && d.tracks[parent] == nil {
			d.t.Errorf("track %d beneath %d", id, parent)
		}
		d.tracks[id], d.order = x, append(d.order, id)
	}
	if b := get(p, 11).b; b != nil {
		d.event(get(p, 8).v, fields(d.t, b), interned)
	}
}

func (d *trace) event(at uint64, e []field, interned map[protowire.Number]map[uint64]string) {
	x := event{at: at, kind: get(e, 9).v, track: get(e, 11).v, name: string(get(e, 23).b)}
	for _, f := range e {
		switch f.number {
		case 3:
			x.category = interned[1][f.v]
		case 10:
			x.name = interned[2][f.v]
		case 30:
			x.notes = append(x.notes, fmt.Sprint(int64(f.v)))
		case 44:
			x.notes = append(x.notes, fmt.Sprintf("%.2f", math.Float64frombits(f.v)))
		case 47:
			x.out = append(x.out, f.v)
		case 48:
			x.in = append(x.in, f.v)
		case 4:
			a := fields(d.t, f.b)
			value := fmt.Sprint(int64(get(a, 4).v))
			if id := get(a, 17).v; id != 0 {
				value = interned[29][id]
			} else if s := get(a, 6).b; s != nil {
				value = string(s)
			}
			x.notes = append(x.notes, interned[3][get(a, 1).v]+"="+value)
		}
	}
	if d.tracks[x.track] == nil {
		d.t.Errorf("an event on track %d, which nothing describes", x.track)
	}
	d.events = append(d.events, x)
}

// slice is a pair of events; depth is that within its track.
type slice struct {
	event
	end   uint64
	depth int
}

// slices pairs the events of each track, sorted by time as a reader does it.
func (d *trace) slices() (list []slice) {
	tracks := map[uint64][]event{}
	for _, e := range d.events {
		tracks[e.track] = append(tracks[e.track], e)
	}
	for _, id := range d.order {
		var open []event
		events := tracks[id]
		slices.SortStableFunc(events, func(a, b event) int { return int(int64(a.at) - int64(b.at)) })
		for _, e := range events {
			switch e.kind {
			case 1:
				open = append(open, e)
			case 2:
				if len(open) == 0 {
					d.t.Fatalf("%s: an end without a beginning at %d", d.path(id), e.at)
				}
				b := open[len(open)-1]
				open = open[:len(open)-1]
				list = append(list, slice{b, e.at, len(open)})
			}
		}
		if len(open) > 0 {
			d.t.Errorf("%s: %q never ends", d.path(id), open[0].name)
		}
	}
	return list
}

func (d *trace) path(id uint64) string {
	var names []string
	for ; id != 0; id = get(d.tracks[id], 5).v {
		names = append(names, string(get(d.tracks[id], 2).b))
	}
	slices.Reverse(names)
	return strings.Join(names, " / ")
}

// dump writes a trace for people: tracks, then what lies on each.
func (d *trace) dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "clocks%s\n", d.clock)
	all := d.slices()
	for _, id := range d.order {
		x := d.tracks[id]
		fmt.Fprintf(&b, "%s (order %d)", d.path(id), get(x, 12).v)
		if s := get(x, 14).b; s != nil {
			fmt.Fprintf(&b, ": %s", s)
		}
		for _, f := range x {
			if f.number == 8 {
				c := fields(d.t, f.b)
				fmt.Fprintf(&b, " counter of %d %q", get(c, 3).v, get(c, 6).b)
			}
		}
		b.WriteString("\n")
		d.dumpTrack(&b, id, all)
	}
	return b.String()
}

func (d *trace) dumpTrack(b *strings.Builder, id uint64, all []slice) {
	var lines []slice
	for _, s := range all {
		if s.track == id {
			lines = append(lines, s)
		}
	}
	for _, e := range d.events {
		if e.track == id && e.kind > 2 {
			lines = append(lines, slice{event: e, end: e.at})
		}
	}
	slices.SortStableFunc(lines, func(x, y slice) int {
		if x.at != y.at {
			return int(int64(x.at) - int64(y.at))
		}
		return x.depth - y.depth
	})
	for _, s := range lines {
		fmt.Fprintf(b, "  %s%d +%d %s %q", strings.Repeat("  ", s.depth), s.at, s.end-s.at, s.category, s.name)
		if len(s.out) > 0 {
			fmt.Fprintf(b, " out %v", s.out)
		}
		if len(s.in) > 0 {
			fmt.Fprintf(b, " in %v", s.in)
		}
		fmt.Fprintf(b, " %s\n", strings.Join(s.notes, ", "))
	}
}
