package chrome

import (
	"cmp"
	"slices"

	"reel/read/kineto"
)

// edits are replacements within the text of an event.
type edits struct {
	list []edit
	new  []byte // the texts that replace, one after the other
}

type edit struct {
	at     kineto.RawSpan
	lo, hi int // in new
}

func (e *edits) reset() { e.list, e.new = e.list[:0], e.new[:0] }

// replace notes that text stands in place of a span.
func (e *edits) replace(at kineto.RawSpan, text ...[]byte) {
	lo := len(e.new)
	for _, t := range text {
		e.new = append(e.new, t...)
	}
	e.list = append(e.list, edit{at, lo, len(e.new)})
}

// apply appends an event's text with its replacements made.
func (e *edits) apply(dst, text []byte) []byte {
	slices.SortFunc(e.list, func(a, b edit) int { return cmp.Compare(a.at.Lo, b.at.Lo) })
	from := int32(0)
	for _, x := range e.list {
		dst = append(append(dst, text[from:x.at.Lo]...), e.new[x.lo:x.hi]...)
		from = x.at.Hi
	}
	return append(dst, text[from:]...)
}

// members calls f for each member of a JSON object, which must be valid: with its
// key, quotes left out, and where the value stands.
func members(object []byte, f func(key []byte, value kineto.RawSpan)) {
	i := 1
	for {
		for i < len(object) && object[i] != '"' && object[i] != '}' { // white space and commas
			i++
		}
		if i >= len(object) || object[i] == '}' {
			return
		}
		k := endOfString(object, i)
		key := object[i+1 : k-1]
		for i = k; object[i] != ':'; {
			i++
		}
		for i++; object[i] <= ' '; {
			i++
		}
		end := endOfValue(object, i)
		f(key, kineto.RawSpan{Lo: int32(i), Hi: int32(end)})
		i = end
	}
}

// endOfString returns the position behind the string at b[i].
func endOfString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// endOfValue returns the position behind the value at b[i].
func endOfValue(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = endOfString(b, i) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return i // behind a number, before the bracket around it
			}
			depth--
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}
