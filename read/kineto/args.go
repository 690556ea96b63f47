package kineto

import (
	"math"
	"strconv"
	"unsafe"

	"reel/event"
)

// argID names an argument that every reading takes.
type argID uint8

const (
	aOther argID = iota
	aExternalID
	aCorrelation
	aBytes
	aDeviceType
	aName // of metadata events
)

func argOf(key []byte) argID {
	switch string(key) {
	case "External id", "external id":
		return aExternalID
	case "correlation":
		return aCorrelation
	case "bytes", "Bytes", "size":
		return aBytes
	case "Device Type":
		return aDeviceType
	case "name", "labels":
		return aName
	}
	return aOther
}

// need is the set of arguments that an event of some sort is searched for; when
// all are found, the rest is passed over quickly.
type need uint8

const (
	needExternalID need = 1 << aExternalID
	needLink       need = 1 << aCorrelation
	needBytes      need = 1 << aBytes
	needDeviceType need = 1 << aDeviceType
	needName       need = 1 << aName
	needAll        need = 1 << 7
)

// needs returns what an event's arguments are read for, and how many of the
// caller's wanted arguments it may have.
func (p *parser) needs(r *row) (need, int) {
	if p.opt.AllArgs {
		return needAll, 0
	}
	switch r.ph {
	case 'X':
		switch r.sort.class {
		case event.Python, event.OtherRange, event.Overhead:
			return 0, 0
		case event.Op, event.Annotation:
			return needExternalID, len(p.wanted)
		case event.Runtime, event.Driver:
			return needLink, 0
		case event.Copy, event.Set:
			return needExternalID | needLink | needBytes, 0
		}
		return needExternalID | needLink, 0
	case 'i', 'I', 'R':
		return needBytes | needDeviceType, len(p.opt.MarkArgs)
	case 'M':
		return needName, 0
	case 'C':
		return needAll, 0
	}
	return 0, 0
}

// args reads the arguments from b[i], behind their opening brace.
func (p *parser) args(b []byte, i int, r *row) (int, status) {
	missing, wanted := p.needs(r)
	comma, any := true, false
	for {
		if missing == 0 && wanted == 0 && !p.lenient {
			e := skipNested(b, i, 1)
			if e < 0 {
				return i, fault(b, e)
			}
			return e, sound
		}
		c := b[i]
		for c <= ' ' {
			i++
			c = b[i]
		}
		switch {
		case c == '"' && comma:
			comma, any = false, true
		case c == ',':
			p.flags.trailingComma = p.flags.trailingComma || comma
			comma = true
			i++
			continue
		case c == '}':
			p.flags.trailingComma = p.flags.trailingComma || comma && any
			return i + 1, sound
		default:
			return i, fault(b, i)
		}
		ke, _ := stringEnd(b, i+1)
		if ke < 0 {
			return i, fault(b, ke)
		}
		key := b[i+1 : ke]
		v := colon(b, ke)
		if v < 0 {
			return i, fault(b, v)
		}
		id, want := argOf(key), wanted > 0 && p.isWanted(key, r)
		e, st := p.arg(b, key, v, r, id, want || missing == needAll || id == aName && r.ph == 'M')
		if st != sound {
			return v, st
		}
		if missing &^= 1 << id; want {
			wanted--
		}
		i = e
	}
}

// arg reads one argument into the row, and into the argument columns when it is
// to be kept.
func (p *parser) arg(b []byte, key []byte, v int, r *row, id argID, keep bool) (end int, st status) {
	if id == aOther && !keep {
		e := p.value(b, v)
		if e < 0 {
			return v, fault(b, e)
		}
		return e, sound
	}
	n, e, ok := scanInt(b, v)
	whole := ok
	if !ok && id != aOther {
		n, e, ok = scanID(b, v)
	}
	if !ok {
		if keep {
			return p.keepArg(b, key, v)
		}
		if e = p.value(b, v); e < 0 {
			return v, fault(b, e)
		}
		return e, sound
	}
	switch id {
	case aExternalID:
		r.op = n
	case aCorrelation:
		r.link = n
	case aBytes:
		r.value = n
	case aDeviceType:
		r.devMemory = n != 0 && n != 2 && n != 5 // c10::DeviceType: CPU, MKLDNN, IDEEP
	case aOther:
		if r.ph == 'C' {
			r.value = n
		}
	}
	if keep && (b[v] == '"' || !whole) { // a number in quotes is a text that its reader understands
		return p.keepArg(b, key, v)
	}
	if keep {
		p.addArg(key, event.ArgInt, uint64(n))
	}
	return e, sound
}

func (p *parser) isWanted(key []byte, r *row) bool {
	list := p.wanted
	if r.ph != 'X' {
		list = p.opt.MarkArgs
	}
	for _, w := range list {
		if w == string(key) {
			return true
		}
	}
	return false
}

// keepArg stores the value at b[v] whatever it is.
func (p *parser) keepArg(b []byte, key []byte, v int) (int, status) {
	if b[v] == '"' {
		s, e, st := p.text(b, v)
		if st == sound {
			p.addArg(key, event.ArgText, uint64(p.internText(s)))
		}
		return e, st
	}
	e := skipValue(b, v)
	if e < 0 {
		return v, fault(b, e)
	}
	raw := b[v:e]
	if c := raw[0]; c-'0' <= 9 || c == '-' {
		// The string is not kept: ParseFloat copies what it needs for an error.
		if f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(raw), len(raw)), 64); err == nil {
			p.addArg(key, event.ArgFloat, math.Float64bits(f))
			return e, sound
		}
	}
	if isLiteral(raw) {
		p.flags.literal = true
	}
	p.addArg(key, event.ArgRaw, uint64(p.intern(raw)))
	return e, sound
}

func (p *parser) addArg(key []byte, k event.ArgKind, v uint64) {
	o := p.out
	o.ArgKey, o.ArgKind, o.ArgVal = append(o.ArgKey, p.intern(key)), append(o.ArgKind, k), append(o.ArgVal, v)
}
