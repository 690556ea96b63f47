package kineto

import (
	"strconv"

	"reel/event"
)

// rawParser is what a parser of texts has beside a parser of meanings.
type rawParser struct {
	events []RawEvent
	strict strict
}

// rawEvent notes the text of the event at b[i]. What is not valid JSON is left to
// the reader, which says where the event ends, and mended.
func (p *parser) rawEvent(b []byte, i int) (int, status) {
	var r RawEvent
	if end := p.strictEvent(b, i, &r); end > 0 {
		r.Span = RawSpan{int32(i), int32(end)}
		p.raw.events = append(p.raw.events, r)
		return end, sound
	} else if fault(b, end) == partial && !p.runsOn(b, i) {
		return i, partial
	}
	lost := p.lost
	next, st := i, damaged
	if !p.wary {
		next, st = p.one(b, i)
	}
	if st == damaged || st == partial && p.runsOn(b, i) {
		next, st = p.repair(b, i)
	}
	if st != sound {
		return next, st
	}
	r = RawEvent{Lost: true}
	if p.lost == lost {
		r = p.mend(b[i:next])
	}
	r.Span = RawSpan{int32(i), int32(next)}
	p.raw.events = append(p.raw.events, r)
	return next, sound
}

// mend makes valid JSON of the text of an event that the reader understood.
func (p *parser) mend(text []byte) RawEvent {
	b := padCopy(text)
	for _, lenient := range []bool{false, true} {
		m := mender{p: p, lenient: lenient}
		out, end := m.value(nil, b, 0, 0)
		if end != len(text) {
			continue
		}
		var r RawEvent
		if p.strictEvent(padCopy(out), 0, &r) == len(out) {
			r.Mended = out
			return r
		}
	}
	return RawEvent{Lost: true}
}

// strictEvent reads the event at b[i] as JSON has it, and where its members
// stand. It returns the position behind it, or the complement of where it is
// not valid.
func (p *parser) strictEvent(b []byte, i int, r *RawEvent) int {
	if b[i] != '{' {
		return p.raw.strict.value(b, i) // no event, but valid
	}
	start := i
	hasCat := false
	for i = strictSpace(b, i+1); b[i] == '"'; {
		f, _ := field(b, i+1)
		v := strictKey(b, i)
		if v < 0 {
			return v
		}
		e := p.raw.strict.value(b, v)
		if e < 0 {
			return e
		}
		if f != fSkip {
			p.note(r, f, b, RawSpan{int32(v), int32(e)}, start)
			hasCat = hasCat || f == fCat
		}
		switch i = strictSpace(b, e); b[i] {
		case ',':
			if i = strictSpace(b, i+1); b[i] != '"' {
				return ^i
			}
		case '}':
			p.rawSort(r, hasCat)
			return i + 1
		default:
			return ^i
		}
	}
	if b[i] == '}' { // an empty object
		return i + 1
	}
	return ^i
}

// note takes a member of an event whose text begins at b[start].
func (p *parser) note(r *RawEvent, f fieldID, b []byte, at RawSpan, start int) {
	v := int(at.Lo)
	here := RawSpan{at.Lo - int32(start), at.Hi - int32(start)}
	switch f {
	case fPh:
		if r.Ph = 0; b[v] == '"' && b[v+2] == '"' {
			r.Ph = b[v+1]
		}
	case fCat:
		if s, _, st := p.text(b, v); st == sound {
			s := p.category(s)
			r.Kind, r.Class, r.Own = s.kind, s.class, string(p.cat) == "reel"
		}
	case fName:
		r.Name = here
	case fPid:
		r.Pid, r.A = here, p.number(b, v)
	case fTid:
		r.Tid, r.B = here, p.number(b, v)
	case fTs:
		r.Ts = here
		r.Start, _, r.Timed = scanMicros(b, v)
	case fDur:
		if ns, _, ok := scanMicros(b, v); ok {
			r.Dur = max(ns, 0)
		}
	case fID:
		r.ID = here
	case fArgs:
		r.Args = here
	}
}

// rawSort sets what an event is by its phase, as emit does.
func (p *parser) rawSort(r *RawEvent, hasCat bool) {
	switch r.Ph {
	case 'X':
		if !hasCat {
			s := sortOf(nil)
			r.Kind, r.Class = s.kind, s.class
		}
	case 'i', 'I', 'R':
		r.Kind = event.Mark
	case 'C':
		r.Kind = event.Counter
	case 'M':
		r.Kind = event.Meta
	case 's', 't', 'f':
		r.Kind = event.Flow
	default:
		r.Kind = event.NoKind
	}
	if r.Ph != 'X' {
		r.Class = event.NoClass
	}
}

// number is the number of a pid or tid, as ident has it.
func (p *parser) number(b []byte, v int) int64 {
	if n, _, ok := scanID(b, v); ok {
		return n
	}
	s, _, st := p.text(b, v)
	if st != sound {
		return 0
	}
	k := len(s)
	for k > 0 && s[k-1]-'0' <= 9 {
		k--
	}
	n, err := strconv.ParseInt(string(s[k:]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
