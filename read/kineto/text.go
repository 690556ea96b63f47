package kineto

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"reel/event"
)

// text returns the string at b[i], decoded, and the position behind it. Values
// that are no strings are returned as they stand. The result is valid until the
// next call.
func (p *parser) text(b []byte, i int) (s []byte, end int, st status) {
	if b[i] != '"' {
		if end = skipValue(b, i); end < 0 {
			return nil, end, fault(b, end)
		}
		return b[i:end], end, sound
	}
	e, escaped := stringEnd(b, i+1)
	for p.lenient && e >= 0 && !endsString(b, e+1) {
		p.flags.quote = true
		e, escaped = stringEnd(b, e+1) // escapes before a stray quote stay as they are
		escaped = escaped || bytes.IndexByte(b[i+1:max(e, i+1)], '\\') >= 0
	}
	if e < 0 {
		return nil, e, partial
	}
	s = b[i+1 : e]
	if p.escaped = escaped; escaped {
		p.scratch = unescape(p.scratch[:0], s)
		s = p.scratch
	}
	return s, e + 1, sound
}

// endsString says whether an object could go on at b[i], behind a quote that
// ended a member's value: if not, the quote was part of the text (PyTorch before
// mid-2026 did not escape it).
func endsString(b []byte, i int) bool {
	i = skipSpace(b, i)
	switch b[i] {
	case pad:
		return true
	case '}':
		i = skipSpace(b, i+1)
		return b[i] == ',' || b[i] == ']' || b[i] == '}' || b[i] == pad
	case ',':
		i = skipSpace(b, i+1)
		if b[i] != '"' {
			return b[i] == pad || b[i] == '}'
		}
		e, _ := stringEnd(b, i+1)
		return e < 0 || colon(b, e) > 0
	}
	return false
}

// unescape appends s to dst with its JSON escapes decoded. What is no escape
// (a lone backslash of a Windows path) stays as it is.
func unescape(dst, s []byte) []byte {
	for {
		k := bytes.IndexByte(s, '\\')
		if k < 0 || k+1 >= len(s) {
			return append(dst, s...)
		}
		dst = append(dst, s[:k]...)
		c := s[k+1]
		s = s[k+2:]
		switch c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, n := hexRune(s)
			dst = utf8.AppendRune(dst, r)
			s = s[n:]
		default:
			dst = append(dst, '\\', c)
		}
	}
}

// hexRune decodes what follows \u, surrogate pairs included, and returns how
// many bytes it took.
func hexRune(s []byte) (rune, int) {
	hex := func(s []byte) (rune, bool) {
		if len(s) < 4 {
			return 0, false
		}
		v, err := strconv.ParseUint(string(s[:4]), 16, 32)
		return rune(v), err == nil
	}
	r, ok := hex(s)
	if !ok {
		return utf8.RuneError, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(s) >= 10 && s[4] == '\\' && s[5] == 'u' {
		if low, ok := hex(s[6:]); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return full, 10
			}
		}
	}
	return utf8.RuneError, 4
}

// internText is intern for what text returned last. Control characters in it that
// were not escapes are told; each distinct text is looked at once per batch.
func (p *parser) internText(s []byte) event.Str {
	n := p.out.Strings.Len()
	id := p.intern(s)
	if p.out.Strings.Len() > n && !p.escaped && bytes.IndexFunc(s, func(r rune) bool { return r < ' ' }) >= 0 {
		p.warn("control-character", "a control character in a text was not escaped; kept")
	}
	return id
}

// intern adds s to the batch's strings. Bytes that are no UTF-8 are replaced,
// and the event is remembered; each distinct text is checked once per batch.
func (p *parser) intern(s []byte) event.Str {
	id, added := p.out.Strings.AddHash(s, event.Hash(s))
	if added && !utf8.Valid(s) {
		p.warn("not-utf8", "a text is not UTF-8; bytes replaced by U+FFFD")
		return p.out.Strings.AddBytes(bytes.ToValidUTF8(s, []byte("\uFFFD")))
	}
	return id
}

func (p *parser) warn(code, text string) {
	p.out.Warnings = addWarning(p.out.Warnings, event.Warning{Code: code, Text: text, Event: p.events, Count: 1})
}

// addWarning counts w with its like, so that a file of faults stays small.
func addWarning(list []event.Warning, w event.Warning) []event.Warning {
	for i := range list {
		if list[i].Code == w.Code && list[i].Text == w.Text {
			list[i].Count += w.Count
			return list
		}
	}
	return append(list, w)
}

// ident is a process or thread id: a number, or a name when text is not 0.
type ident struct {
	n    int64
	text event.Str
}

// ident reads a pid or tid. Quoted numbers are numbers, and the number of a
// name such as "stream 7" is kept beside it.
func (p *parser) ident(b []byte, v int) (ident, int) {
	if n, e, ok := scanID(b, v); ok {
		return ident{n: n}, e
	}
	s, e, st := p.text(b, v)
	if st != sound {
		return ident{}, e
	}
	id := ident{text: p.intern(s)}
	k := len(s)
	for k > 0 && s[k-1]-'0' <= 9 {
		k--
	}
	if n, err := strconv.ParseInt(string(s[k:]), 10, 64); err == nil {
		id.n = n
	}
	return id, e
}

func (p *parser) category(s []byte) sort {
	if !bytes.Equal(s, p.cat) {
		plain, role := cutRole(s)
		p.cat, p.catSort, p.catRole = append(p.cat[:0], s...), sortOf(plain), role
		if a := acceleratorOf(plain); a != "" {
			p.accelerator = a
		}
	}
	return p.catSort
}
