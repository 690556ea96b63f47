package redact

import (
	"bytes"
	"encoding/json"
)

// keyword returns a key with its meaning.
func (j *jsonCopy) keyword(key string) keyword {
	k, ok := j.known[key]
	if !ok {
		k = keyword{key, meaningOf(key)}
		if len(j.known) < 10_000 {
			j.known[key] = k
		}
	}
	return k
}

// gotText takes the text between two quotes.
func (j *jsonCopy) gotText(raw []byte) {
	n := len(j.stack)
	isKey := n > 0 && j.stack[n-1].object && !j.stack[n-1].valued
	if isKey {
		if k, ok := j.known[string(raw)]; ok {
			j.key = k.key
		} else {
			j.key = string(raw)
		}
	}
	if j.out == nil {
		j.bare = j.bare[:0]
		if m := j.meaning(); !isKey && (m != ordinaryText || bytes.Contains(raw, []byte("u0000"))) {
			plain, _ := unescaped(raw)
			j.learn(plain, m)
		}
		return
	}
	to := j.value(raw, isKey)
	if len(to) == len(raw) && (len(raw) == 0 || &to[0] == &raw[0]) && len(j.bare) < 1<<16 {
		j.bare = append(j.bare, raw...) // it stays: write more at once
		return
	}
	j.flushBare()
	j.write(to)
}

// value returns what stands in place of a text: itself, the same slice, mostly.
func (j *jsonCopy) value(raw []byte, isKey bool) []byte {
	meant := j.meaning()
	if isKey {
		meant = ordinaryText
	}
	if meant == ordinaryText && !j.f.matcher().touches(raw) && bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	plain, escaped := unescaped(raw)
	var out []byte
	changed := false
	if meant != ordinaryText && len(plain) > 0 {
		if to, kind := meant.instead(&j.args, plain); to != "" {
			if string(plain) == to {
				return raw
			}
			j.t.add(kind, j.place())
			out, changed = []byte(to), true
		}
	}
	if !changed {
		if out, changed = j.f.scrub(plain, j.place, j.t); !changed {
			return raw
		}
	}
	if !escaped && !bytes.ContainsAny(out, "\"\\") {
		return out
	}
	return quoted(out)
}

// here is the key under which the text stands.
func (j *jsonCopy) here() keyword {
	n := len(j.stack)
	switch {
	case n == 0:
		return keyword{}
	case j.stack[n-1].object:
		return j.stack[n-1].next
	}
	return j.stack[n-1].key
}

// meaning is what the text is by its key, or those around it.
func (j *jsonCopy) meaning() meaning {
	n := len(j.stack)
	if n == 0 {
		return ordinaryText
	}
	m := j.stack[n-1].meant
	if m == ordinaryText {
		m = j.here().meant
	}
	if m != environmentText && m != secretText && j.inEvents() { // where other words mean other things
		return ordinaryText
	}
	return m
}

// place names where the text stands.
func (j *jsonCopy) place() string {
	n := len(j.stack)
	if n == 0 {
		return "text"
	}
	key := j.here().key
	if j.inEvents() {
		if key == "name" && n <= 3 {
			return "names of events"
		}
		return "events"
	}
	for _, up := range j.stack {
		if up.meant != ordinaryText {
			return up.key.key
		}
	}
	if key == "" || len(key) > 60 {
		return "text"
	}
	return key
}

// inEvents reports whether the text stands within the list of events of a trace:
// under "traceEvents", or in a list that is the whole document.
func (j *jsonCopy) inEvents() bool {
	return !j.stack[0].object || len(j.stack) > 1 && j.stack[1].key.key == "traceEvents"
}

// unescaped is a JSON text's meaning; escaped says that it differs from what
// stands there.
func unescaped(raw []byte) (plain []byte, escaped bool) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw, false
	}
	var s string
	if json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &s) != nil {
		return raw, false
	}
	return []byte(s), true
}

// quoted is a text as JSON, without its quotes.
func quoted(text []byte) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(text)) // a string always encodes
	return bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(b.Bytes()), []byte{'"'}), []byte{'"'})
}
