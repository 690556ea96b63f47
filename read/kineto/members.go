package kineto

import (
	"bytes"

	"reel/event"
)

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
			r.name, r.hasName = p.internText(s), true
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
