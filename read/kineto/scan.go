package kineto

import (
	"encoding/binary"
	"math/bits"
)

// The scanner works on buffers that end in at least padding bytes of pad: no
// loop below can run past the data, because pad is no white space, no digit and
// no bracket, and string searches check the length.
const (
	padding = 64
	pad     = 0x7f
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// zeroBytes has the high bit set in (at least) the lowest byte of w that is 0.
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & highs }

// A search that fails returns ^pos, negative, where pos is the position at which
// it failed: at or behind the padding the data ended, before it they are bad.

// stringEnd returns the position of the quote that ends the string whose first
// byte is b[i], and whether it has escapes.
func stringEnd(b []byte, i int) (end int, escaped bool) {
	for i+8 <= len(b) {
		w := load64(b, i)
		m := zeroBytes(w^0x2222222222222222) | zeroBytes(w^0x5c5c5c5c5c5c5c5c)
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if b[i] == '"' {
			return i, escaped
		}
		escaped = true
		i += 2
	}
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i, escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return ^len(b), escaped
}

// skipNested returns the position behind the bracket that closes depth open
// ones. Brackets of either sort count alike: what is skipped is not judged.
func skipNested(b []byte, i, depth int) int {
	for i+8 <= len(b) {
		w := load64(b, i)
		f := w | 0x2020202020202020 // folds [ to { and ] to }
		m := zeroBytes(w^0x2222222222222222) | zeroBytes(f^0x7b7b7b7b7b7b7b7b) | zeroBytes(f^0x7d7d7d7d7d7d7d7d)
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		switch b[i] {
		case '"':
			e, _ := stringEnd(b, i+1)
			if e < 0 {
				return e
			}
			i = e
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return ^len(b)
}

// skipSpace returns the position of the first byte from i that is no white space.
func skipSpace(b []byte, i int) int {
	for b[i] <= ' ' {
		i++
	}
	return i
}

// skipValue returns the position behind the value that starts at b[i].
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		e, _ := stringEnd(b, i+1)
		if e < 0 {
			return e
		}
		return e + 1
	case '{', '[':
		return skipNested(b, i+1, 1)
	}
	return bareEnd(b, i)
}

// bareEnd returns the end of a number or literal.
func bareEnd(b []byte, i int) int {
	s := i
	for isBare[b[i]] {
		i++
	}
	if i == s {
		return ^s
	}
	return i
}

// isBare holds the bytes of numbers and of literals, inf and -nan included.
var isBare = func() (t [256]bool) {
	for _, c := range "0123456789+-.eE" {
		t[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	return t
}()

// colon returns the position of the value behind a key whose closing quote is
// at b[i].
func colon(b []byte, i int) int {
	if b[i+1] == ':' && b[i+2] == ' ' && b[i+3] > ' ' {
		return i + 3
	}
	i = skipSpace(b, i+1)
	if b[i] != ':' {
		return ^i
	}
	return skipSpace(b, i+1)
}
