package kineto

import "bytes"

// repair deals with what one could not read at b[i]: it tries again with
// strings that may hold stray quotes, and otherwise passes on to where the next
// event seems to start. It returns where to go on.
func (p *parser) repair(b []byte, i int) (int, status) {
	end := len(b) - padding
	next, st := p.within(b, i, nextLike(b, i, end), true)
	if st == sound {
		return next, sound
	}
	if next < 0 {
		next = boundaryAfter(b, i+1, end)
	}
	if next < 0 && p.final {
		next = listEnd(b, i+1, end)
	}
	if next < 0 {
		next = end // the next chunk starts where an event seems to start
	}
	p.lost += int64(next - i - bytes.Count(b[i:next], []byte{0})) // noteNULs counts those
	p.warn("damaged-event", "not readable as an event; passed over")
	return next, sound
}

// listEnd returns where the list of events seems to be closed in b[i:end], behind
// its last event, which could not be read: a bracket behind an object, with another
// key of the root or its end behind. -1 when there is none.
func listEnd(b []byte, i, end int) int {
	for ; i < end; i++ {
		k := bytes.IndexByte(b[i:end], ']')
		if k < 0 {
			return -1
		}
		i += k
		j := i - 1
		for j > 0 && b[j] <= ' ' {
			j--
		}
		if b[j] != '}' && b[j] != ',' {
			continue
		}
		switch n := skipSpace(b, i+1); {
		case n >= end, b[n] == '}' && skipSpace(b, n+1) >= end:
			return i
		case b[n] == ',' && b[skipSpace(b, n+1)] == '"':
			return i
		}
	}
	return -1
}

// within reads the event at b[i] as if the data ended at limit, so that it cannot
// swallow the events behind it; lenient is the parser's. What is no event (a list may
// hold anything) is damaged; next is then its end, -1 when unknown.
func (p *parser) within(b []byte, i, limit int, lenient bool) (next int, st status) {
	var saved [padding]byte
	copy(saved[:], b[limit:])
	fillPad(b, limit)
	if b[i] != '{' {
		next, st = max(skipValue(b[:limit+padding], i), -1), damaged
	} else {
		p.lenient = lenient
		if next, st = p.one(b[:limit+padding], i); st != sound {
			next = -1
		}
		p.lenient = false
	}
	copy(b[limit:], saved[:])
	return next, st
}

// nextLike returns where an event that opens the same key as the one at b[i] seems
// to start behind it, or end. Events of one writer all open the same.
func nextLike(b []byte, i, end int) int {
	key := opens(b, i)
	for k := i + 1; ; k++ {
		n := bytes.IndexByte(b[min(k, end):end], '{')
		if n < 0 {
			return end
		}
		k += n
		if startsEvent(b, k, true) && (key == fSkip || key == opens(b, k)) && isEvent(b, k) {
			return k
		}
	}
}

// isEvent says whether the object at b[i] has a phase and a process, or is too
// damaged to tell. Objects in an event's arguments have not; nor is it known of what
// the end of the data cuts off.
func isEvent(b []byte, i int) bool {
	ph, pid := false, false
	for i++; ; {
		for b[i] <= ' ' || b[i] == ',' {
			i++
		}
		if b[i] != '"' {
			return b[i] != '}' && b[i] != pad
		}
		f, v := field(b, i+1)
		if v < 0 {
			return fault(b, v) == damaged
		}
		if ph, pid = ph || f == fPh, pid || f == fPid; ph && pid {
			return true
		}
		if i = skipValue(b, v); i < 0 {
			return fault(b, i) == damaged
		}
	}
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
	return opens(b, i) != fSkip
}

// opens returns the member that the brace at b[i] opens, fSkip when it is no
// event's.
func opens(b []byte, i int) fieldID {
	k := skipSpace(b, i+1)
	if b[i] != '{' || b[k] != '"' || k+9 > len(b) {
		return fSkip
	}
	f, _ := field(b, k+1)
	return f
}

// noteNULs counts NUL bytes as lost: file systems fill with them what was never
// written. Between events and within numbers they are white space to the scanner.
func (p *parser) noteNULs(text []byte) {
	if n := bytes.Count(text, []byte{0}); n > 0 {
		p.lost += int64(n)
		p.warn("nul-bytes", "NUL bytes: a part of the file that was never written, or is lost")
	}
}
