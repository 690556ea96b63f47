package kineto

import (
	"math/bits"
	"unicode/utf8"
)

// The reader passes over much that JSON forbids. The functions here accept JSON and
// nothing else: what they accept can be copied. They work on padded buffers, and
// return positions as the scanner does: behind what they read, or ^pos where it is
// not valid.

// maxDepth is the nesting that encoding/json allows.
const maxDepth = 10000

// strict checks JSON values.
type strict struct {
	open []byte // the brackets that are open
}

// value checks the value at b[i].
func (s *strict) value(b []byte, i int) int {
	s.open = s.open[:0]
	for {
		more := false
		if i, more = s.begin(b, i); i < 0 {
			return i
		}
		if more {
			continue
		}
		if i, more = s.end(b, i); i < 0 || !more {
			return i
		}
	}
}

// begin reads a value up to where it ends, or an opening bracket up to the value
// in it; more tells which.
func (s *strict) begin(b []byte, i int) (end int, more bool) {
	c := b[i]
	if c == '"' {
		return strictString(b, i+1), false
	}
	if c != '{' && c != '[' {
		return strictBare(b, i), false
	}
	i = strictSpace(b, i+1)
	if b[i] == c+2 { // } stands two behind {, ] two behind [
		return i + 1, false
	}
	if len(s.open) >= maxDepth {
		return ^i, false
	}
	s.open = append(s.open, c)
	if c == '{' {
		i = strictKey(b, i)
	}
	return i, true
}

// end reads on behind a value: closing brackets, or a comma up to the next
// value; more says that there is one.
func (s *strict) end(b []byte, i int) (end int, more bool) {
	for len(s.open) > 0 {
		i = strictSpace(b, i)
		open := s.open[len(s.open)-1]
		switch b[i] {
		case ',':
			if i = strictSpace(b, i+1); open == '{' {
				i = strictKey(b, i)
			}
			return i, true
		case open + 2:
			s.open = s.open[:len(s.open)-1]
			i++
		default:
			return ^i, false
		}
	}
	return i, false
}

// strictSpace is skipSpace for JSON's four sorts of white space.
func strictSpace(b []byte, i int) int {
	for b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// strictKey reads the key at b[i] and its colon, up to the value.
func strictKey(b []byte, i int) int {
	if b[i] != '"' {
		return ^i
	}
	if i = strictString(b, i+1); i < 0 {
		return i
	}
	if i = strictSpace(b, i); b[i] != ':' {
		return ^i
	}
	return strictSpace(b, i+1)
}

// strictString returns the position behind the string whose first byte is b[i].
func strictString(b []byte, i int) int {
	start, high := i, uint64(0) // high: it has bytes beyond ASCII
	for i+8 <= len(b) {
		w := load64(b, i)
		m := zeroBytes(w^0x2222222222222222) | zeroBytes(w^0x5c5c5c5c5c5c5c5c) | (w-0x2020202020202020)&^w&highs
		if m == 0 {
			high |= w & highs
			i += 8
			continue
		}
		k := bits.TrailingZeros64(m) >> 3
		high |= w & highs & (1<<(8*k) - 1)
		switch i += k; b[i] {
		case '"':
			if high != 0 && !utf8.Valid(b[start:i]) {
				return ^start
			}
			return i + 1
		case '\\':
			n := escapeLength(b, i)
			if n < 0 {
				return n
			}
			i += n
		default:
			return ^i
		}
	}
	return ^len(b)
}

// escapeLength returns the length of the escape at b[i], or ^pos where it is none.
func escapeLength(b []byte, i int) int {
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if c := b[k] | 0x20; b[k]-'0' > 9 && (c < 'a' || c > 'f') {
				return ^k
			}
		}
		return 6
	}
	return ^(i + 1)
}

// strictBare reads the number or literal at b[i].
func strictBare(b []byte, i int) int {
	switch b[i] {
	case 't':
		return strictWord(b, i, "true")
	case 'f':
		return strictWord(b, i, "false")
	case 'n':
		return strictWord(b, i, "null")
	case '-':
		i++
	}
	switch c := b[i] - '0'; {
	case c == 0:
		i++
	case c <= 9:
		i = skipDigits(b, i)
	default:
		return ^i
	}
	if b[i] == '.' {
		if i++; b[i]-'0' > 9 {
			return ^i
		}
		i = skipDigits(b, i)
	}
	if b[i]|0x20 == 'e' {
		if i++; b[i] == '+' || b[i] == '-' {
			i++
		}
		if b[i]-'0' > 9 {
			return ^i
		}
		i = skipDigits(b, i)
	}
	return i
}

func skipDigits(b []byte, i int) int {
	for b[i]-'0' <= 9 {
		i++
	}
	return i
}

func strictWord(b []byte, i int, word string) int {
	for k := range len(word) {
		if b[i+k] != word[k] {
			return ^(i + k)
		}
	}
	return i + len(word)
}
