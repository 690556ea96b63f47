package kineto

import (
	"bytes"

	"reel/event"
)

// status says how the reading of one event, or of a chunk, ended.
type status uint8

const (
	sound   status = iota // read, or the chunk ended between two events
	partial               // the data ended inside an event
	damaged               // this is no event by any rule we know
	closed                // the array of events was closed
)

// parser turns JSON text of events into batches. One parser serves one
// goroutine.
type parser struct {
	opt     Options
	wanted  []string // opt.Args
	lenient bool     // strings end only where JSON could go on: set for repairs
	wary    bool     // an event of this chunk ran on into the next: none may any more

	out     *event.Batch
	events  int64 // events seen in this chunk, flows and meta included
	skipped int64 // events read that nobody asked for
	lost    int64 // bytes of damaged events passed over
	tracks  map[event.Track]event.TrackID
	last    [2]trackMemo
	cat     []byte // the category of the previous event, and what it is
	catSort sort
	catRole event.Role
	scratch []byte
	flags   flags
	raw     *rawParser // of a reading of texts (OpenRaw), not of meanings
}

type trackMemo struct {
	track event.Track
	id    event.TrackID
	set   bool
}

// flags are repairs made inside the event at hand.
type flags struct{ trailingComma, literal, quote bool }

// row is the event being read.
type row struct {
	ph        byte
	hasCat    bool
	hasName   bool
	hasTS     bool
	hasDur    bool
	sort      sort
	name      event.Str
	pid, tid  ident
	ts, dur   int64
	id        int64
	link, op  int64
	value     int64
	devMemory bool
	argsAt    int
	args      int // rows of the argument columns before this event
}

func newParser(opt Options) *parser {
	p := &parser{opt: opt, wanted: opt.Args, tracks: map[event.Track]event.TrackID{}}
	if opt.raw {
		p.raw = &rawParser{}
	}
	return p
}

// chunk reads the events in b[i:end] into out. It returns where it stopped: at
// end (sound), at the start of an unfinished event (partial), or behind the
// bracket that closes the array (closed). b goes on for padding bytes of pad.
func (p *parser) chunk(b []byte, i, end int, out *event.Batch) (int, status) {
	out.Reset()
	p.out, p.events, p.skipped, p.lost, p.wary = out, 0, 0, 0, false
	clear(p.tracks)
	p.last = [2]trackMemo{}
	for {
		for b[i] <= ' ' || b[i] == ',' {
			i++
		}
		switch {
		case i >= end:
			return end, sound
		case b[i] == ']':
			return i + 1, closed
		}
		next, st := p.event(b, i)
		if st == partial {
			return i, partial
		}
		i = next
		p.events++
	}
}

// event reads the event at b[i], repaired where it must be.
func (p *parser) event(b []byte, i int) (int, status) {
	if p.raw != nil {
		return p.rawEvent(b, i)
	}
	if p.wary {
		if next, st := p.within(b, i, nextLike(b, i, len(b)-padding), false); st == sound {
			return next, sound
		}
		return p.repair(b, i)
	}
	next, st := p.one(b, i)
	if st == damaged || st == partial && p.runsOn(b, i) {
		next, st = p.repair(b, i)
	}
	return next, st
}

// one reads the event at b[i], if there is one.
func (p *parser) one(b []byte, i int) (int, status) {
	if b[i] != '{' {
		return i, damaged
	}
	r := row{argsAt: -1, args: len(p.out.ArgKey)}
	p.flags = flags{}
	end, st := p.fields(b, i+1, &r)
	if st == sound && r.argsAt >= 0 { // args stood before ph or cat
		_, st = p.args(b, r.argsAt+1, &r)
	}
	if st == sound && end-i > longEvent && swallows(b, i, end) {
		st = damaged
	}
	if st != sound {
		p.out.ArgKey, p.out.ArgKind, p.out.ArgVal = p.out.ArgKey[:r.args], p.out.ArgKind[:r.args], p.out.ArgVal[:r.args]
		return i, st
	}
	p.emit(&r)
	return end, sound
}

// longEvent is the length from which an event is suspected to have swallowed those
// behind it: a bracket that is never closed makes them part of its arguments.
const longEvent = 2 << 10

// runsOn says that the event at b[i], which does not end in b, is followed by
// another all the same, and makes the parser wary if so.
func (p *parser) runsOn(b []byte, i int) bool {
	p.wary = p.wary || swallows(b, i, len(b)-padding)
	return p.wary
}

// swallows says that another event seems to start in the event b[i:end], and that the
// text up to there or further on is not JSON: arguments may hold what looks like events.
func swallows(b []byte, i, end int) bool {
	if nextLike(b, i, end) == end {
		return false
	}
	var s strict
	e := s.value(b, i)
	return e < 0 && fault(b, e) == damaged
}

// fault tells an event that is cut off by the end of the data from a bad one;
// i is where reading failed, or its complement.
func fault(b []byte, i int) status {
	if max(i, ^i) >= len(b)-padding {
		return partial
	}
	return damaged
}

// fields reads the members of an event up to its closing brace.
func (p *parser) fields(b []byte, i int, r *row) (int, status) {
	comma := true
	for {
		c := b[i]
		for c <= ' ' {
			i++
			c = b[i]
		}
		switch c {
		case '"':
			if !comma {
				return i, fault(b, i)
			}
			comma = false
		case ',':
			if comma {
				p.flags.trailingComma = true
			}
			comma = true
			i++
			continue
		case '}':
			if comma && b[i-1] != '{' {
				p.flags.trailingComma = true
			}
			return i + 1, sound
		default:
			return i, fault(b, i)
		}
		f, v := field(b, i+1)
		if v < 0 {
			return i, fault(b, v)
		}
		var st status
		if i, st = p.member(b, v, f, r); st != sound {
			return i, st
		}
		if (f == fPh || f == fCat) && p.skips(r) {
			e := skipNested(b, i, 1)
			if e < 0 {
				return i, partial
			}
			return e, sound
		}
	}
}

// skips says that nothing more of this event is wanted.
func (p *parser) skips(r *row) bool {
	switch r.ph {
	case 's', 't', 'f':
		return !p.opt.Flows
	case 'X':
		return p.opt.NoPython && r.hasCat && r.sort.class == event.Python
	}
	return false
}

// member reads the value at b[v] of one field and returns where it ends.
func (p *parser) member(b []byte, v int, f fieldID, r *row) (int, status) {
	var ok bool
	e := v
	switch f {
	case fPh:
		if b[v] == '"' && b[v+2] == '"' {
			r.ph = b[v+1]
			return v + 3, sound
		}
		e = p.value(b, v)
	case fCat, fName:
		s, end, st := p.text(b, v)
		if st != sound {
			return v, st
		}
		if f == fName {
			r.name, r.hasName = p.intern(s), true
		} else {
			r.sort, r.hasCat = p.category(s), true
		}
		return end, sound
	case fPid:
		r.pid, e = p.ident(b, v)
	case fTid:
		r.tid, e = p.ident(b, v)
	case fTs:
		if r.ts, e, ok = scanMicros(b, v); !ok {
			e = p.value(b, v)
		}
		r.hasTS = ok
	case fDur:
		if r.dur, e, ok = scanMicros(b, v); !ok {
			e = p.value(b, v)
		}
		r.hasDur = ok
	case fID:
		if r.id, e, ok = scanInt(b, v); !ok {
			e = p.value(b, v)
		}
	case fArgs:
		if b[v] != '{' {
			e = p.value(b, v)
			break
		}
		if r.ph == 0 || r.ph == 'X' && !r.hasCat { // what is wanted of them is not known yet
			r.argsAt = v
			e = skipNested(b, v+1, 1)
			break
		}
		return p.args(b, v+1, r)
	default:
		e = p.value(b, v)
	}
	if e < 0 {
		return v, fault(b, e)
	}
	return e, sound
}

// value skips a value that nobody asked for.
func (p *parser) value(b []byte, v int) int {
	if b[v] == '"' {
		_, e, _ := p.text(b, v)
		return e
	}
	e := skipValue(b, v)
	if e > 0 && isLiteral(b[v:e]) {
		p.flags.literal = true
	}
	return e
}

// isLiteral says that a bare value is none that JSON knows: inf, -nan, Infinity.
func isLiteral(v []byte) bool {
	c := v[0]
	if c == '-' && len(v) > 1 {
		c = v[1]
	}
	if c-'0' <= 9 || c == '{' || c == '[' || c == '"' {
		return false
	}
	return !bytes.Equal(v, []byte("null")) && !bytes.Equal(v, []byte("true")) && !bytes.Equal(v, []byte("false"))
}
