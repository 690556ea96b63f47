package kineto

import "bytes"

// mendHead makes valid JSON of the text before the events.
func mendHead(text []byte) []byte {
	out := []byte("{")
	b := padCopy(text)
	i := skipSpace(b, 0)
	if b[i] == '[' {
		return []byte("[")
	}
	out, _ = mendMembers(out, b, i+1)
	if len(out) > 1 {
		out = append(out, ",\n"...)
	}
	return append(out, `"traceEvents": [`...)
}

// mendTail makes valid JSON of the text behind the bracket that closes the
// events; list says that the root is their list.
func mendTail(text []byte, list bool) []byte {
	out := []byte("]")
	if list {
		return out
	}
	b := padCopy(text)
	members, _ := mendMembers(nil, b, 0)
	if len(members) > 0 {
		out = append(append(out, ",\n"...), members...)
	}
	return append(out, "\n}\n"...)
}

// mendMembers appends the members of the root from b[i] on, up to the events or
// to what is no member.
func mendMembers(out, b []byte, i int) ([]byte, int) {
	m := mender{p: newParser(Options{raw: true})}
	for first := true; ; first = false {
		for b[i] <= ' ' || b[i] == ',' {
			i++
		}
		n := len(out)
		if !first {
			out = append(out, ",\n"...)
		}
		grown, _, v := m.key(out, b, i)
		if v < 0 {
			return out[:n], i
		}
		if string(bytes.TrimSpace(b[i:v])) == `"traceEvents":` && b[v] == '[' {
			return out[:n], i
		}
		end := skipValue(b, v)
		if end < 0 {
			return out[:n], i
		}
		out, i = m.whole(grown, b[v:end]), end
	}
}

// whole appends a value, as a text if it cannot be mended.
func (m *mender) whole(dst, text []byte) []byte {
	b := padCopy(text)
	if m.p.raw.strict.value(b, 0) == len(text) {
		return append(dst, text...)
	}
	n := len(dst)
	for _, m.lenient = range []bool{false, true} {
		if out, end := m.value(dst[:n], b, 0, 0); end == len(text) {
			return out
		}
	}
	return appendQuoted(dst[:n], text)
}
