package kineto

import "bytes"

// mender makes valid JSON of text that the reader understands: it reads as the
// reader does, and writes what it understood.
type mender struct {
	p       *parser
	lenient bool // as parser.lenient
}

// Nesting that is mended; what lies deeper is kept as a text.
const maxMend = 100

// value appends the value at b[i] (padded) to dst and returns where it ends; -1
// when it is not to be understood. depth counts the open brackets: an event has 0,
// its arguments 1.
func (m *mender) value(dst, b []byte, i, depth int) ([]byte, int) {
	switch b[i] {
	case '"':
		m.p.lenient = m.lenient
		s, end, st := m.p.text(b, i)
		m.p.lenient = false
		if st != sound {
			return dst, -1
		}
		return appendQuoted(dst, s), end
	case '{', '[':
		return m.bracket(dst, b, i, depth)
	}
	end := bareEnd(b, i)
	if end < 0 {
		return dst, -1
	}
	if strictBare(b, i) == end {
		return append(dst, b[i:end]...), end
	}
	return appendQuoted(dst, b[i:end]), end
}

// bracket appends the object or list at b[i]. The reader does not look into all
// that it passes over: what cannot be understood there is kept as a text.
func (m *mender) bracket(dst, b []byte, i, depth int) ([]byte, int) {
	n, rest := len(dst), i+1
	if depth < maxMend {
		var end int
		if dst, end, rest = m.nested(dst, b, i, depth); end > 0 || depth == 0 {
			return dst, end
		}
	}
	end := skipValue(b, i)
	switch {
	case end < 0:
		return dst, -1
	case b[i] == '{' && len(dst) > n:
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ", "...)
		}
		dst = append(dst, `"unreadable": `...)
		return append(appendQuoted(dst, b[rest:end-1]), '}'), end
	}
	return appendQuoted(dst[:n], b[i:end]), end
}

// nested appends the object or list at b[i]. When end is -1, what was appended goes
// up to the member at b[rest], which cannot be understood.
func (m *mender) nested(dst, b []byte, i, depth int) (out []byte, end, rest int) {
	c := b[i]
	dst = append(dst, c)
	first := true
	for i++; ; {
		switch i = skipSpace(b, i); {
		case b[i] == ',':
			i++
			continue
		case b[i] == c+2:
			return append(dst, c+2), i + 1, i
		}
		n, at, f := len(dst), i, fSkip
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		if c == '{' {
			if dst, f, i = m.key(dst, b, i); i < 0 {
				return dst[:n], -1, at
			}
		}
		v := len(dst)
		if dst, i = m.value(dst, b, i, depth+1); i < 0 {
			return dst[:n], -1, at
		}
		if depth == 0 && (f == fTs || f == fDur) {
			dst = trimQuoted(dst, v)
		}
	}
}

// key appends the key at b[i] and returns where its value starts, or -1.
func (m *mender) key(dst, b []byte, i int) ([]byte, fieldID, int) {
	if b[i] != '"' {
		return dst, fSkip, -1
	}
	f, _ := field(b, i+1)
	e, _ := stringEnd(b, i+1)
	if e < 0 {
		return dst, fSkip, -1
	}
	v := colon(b, e)
	if v < 0 {
		return dst, fSkip, -1
	}
	dst = appendQuoted(dst, unescape(nil, b[i+1:e]))
	return append(dst, ": "...), f, v
}

// trimQuoted cuts the white space at the end of the text at dst[n:]: some
// writers end times in quotes with a tab, which the reader allows only unescaped.
func trimQuoted(dst []byte, n int) []byte {
	if dst[n] != '"' {
		return dst
	}
	s := bytes.TrimRight(unescape(nil, dst[n+1:len(dst)-1]), " \t\r\n")
	return appendQuoted(dst[:n], s)
}

// appendQuoted appends s as a JSON string; bytes that are no UTF-8 become U+FFFD.
func appendQuoted(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range bytes.ToValidUTF8(s, []byte("\uFFFD")) {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// padCopy returns a padded copy of text.
func padCopy(text []byte) []byte {
	b := make([]byte, len(text)+padding)
	copy(b, text)
	fillPad(b, len(text))
	return b
}
