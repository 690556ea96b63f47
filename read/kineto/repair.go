package kineto

import "bytes"

// repair deals with what one could not read at b[i]: it tries again with
// strings that may hold stray quotes, and otherwise passes on to where the next
// event seems to start. It returns where to go on.
func (p *parser) repair(b []byte, i int) (int, status) {
	p.lenient = true
	next, st := p.one(b, i)
	p.lenient = false
	if st == sound {
		return next, sound
	}
	end := len(b) - padding
	next = -1
	if b[i] != '{' {
		next = skipValue(b, i) // a list may hold anything
	}
	if next < 0 {
		next = boundaryAfter(b, i+1, end)
	}
	if next < 0 {
		next = end // the next chunk starts where an event seems to start
	}
	p.lost += int64(next - i)
	p.warn("damaged-event", "not readable as an event; passed over")
	return next, sound
}

// boundaryAfter returns the first place in b[i:end] where an event seems to
// start: a brace that opens one of its keys and follows another's end. -1 when
// there is none.
func boundaryAfter(b []byte, i, end int) int {
	for i < end {
		k := bytes.IndexByte(b[i:end], '{')
		if k < 0 {
			return -1
		}
		if i += k; startsEvent(b, i, false) {
			return i
		}
		i++
	}
	return -1
}

// boundaryBefore returns the last such place in b[from:end], or -1.
func boundaryBefore(b []byte, from, end int) int {
	for end > from {
		k := bytes.LastIndexByte(b[from:end], '{')
		if k < 0 {
			return -1
		}
		end = from + k
		if startsEvent(b, end, true) {
			return end
		}
	}
	return -1
}

// startsEvent says whether the brace at b[i] looks like an event's first: it
// opens one of an event's keys, and stands behind a comma; sure wants the end of
// another event before that. This is a guess; chunks prove it by ending there.
func startsEvent(b []byte, i int, sure bool) bool {
	j := i - 1
	for j >= 0 && b[j] <= ' ' {
		j--
	}
	if j < 0 || b[j] != ',' {
		return false
	}
	for j--; sure && j >= 0 && b[j] <= ' '; j-- {
	}
	if sure && (j < 0 || b[j] != '}') {
		return false
	}
	k := skipSpace(b, i+1)
	if b[k] != '"' || k+9 > len(b) {
		return false
	}
	f, _ := field(b, k+1)
	return f != fSkip
}
