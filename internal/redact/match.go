package redact

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
)

// matcher finds the known values, and tells quickly that a text has nothing that
// could go.
type matcher struct {
	values []known             // secrets before names, the longest first
	pairs  [1 << 16]bool       // the first two bytes of triggers
	first  map[uint16][][]byte // triggers by these, lower case
}

// known is a value that goes wherever it stands.
type known struct {
	text []byte
	kind Kind
	part func(byte) bool // what makes it part of a longer word when beside it; nil: it goes there too
}

// knownSecret is a secret that was learned, knownWord a name.
func knownSecret(s string) known {
	k := known{text: []byte(s), kind: Secret}
	if alone(s) {
		k.part = alphanumeric
	}
	return k
}

func knownWord(w string, k Kind) known { return known{[]byte(w), k, letter} }

// triggers are what texts hold, letter case aside, that the patterns could match.
var triggers = []string{"hf_", "sk-", "sk_", "pk_", "rk_", "gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "nvapi-", "aiza", "ya29.", "akia", "asia",
	"npm_", "pypi-", "dckr_pat_", "wandb_", "eyj", "bearer", "-----begin", "://", "/home/", "/users/", `\users\`, "token", "secret", "passw", "passphrase", "api_key", "api-key", "apikey",
	"access_key", "access-key", "accesskey", "private_key", "private-key", "privatekey", "credential", "authorization", "\x00"}

func (f *facts) matcher() *matcher {
	if f.ready != nil {
		return f.ready
	}
	m := &matcher{first: map[uint16][][]byte{}}
	longest := func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }
	for _, s := range slices.SortedFunc(maps.Keys(f.secrets), longest) {
		m.values = append(m.values, knownSecret(s))
	}
	for _, w := range slices.SortedFunc(maps.Keys(f.words), longest) {
		m.values = append(m.values, knownWord(w, f.words[w]))
	}
	for _, t := range triggers {
		m.trigger([]byte(t))
	}
	for _, v := range m.values {
		m.trigger(asciiLower(v.text))
	}
	f.ready = m
	return m
}

// trigger adds a trigger; one of a single byte stands for it before any other.
func (m *matcher) trigger(t []byte) {
	for _, a := range []byte{lower(t[0]), upper(t[0])} {
		for b := range 256 {
			if len(t) > 1 && lower(byte(b)) != t[1] {
				continue
			}
			k := uint16(a)<<8 | uint16(b)
			m.pairs[k] = true
			m.first[k] = append(m.first[k], t)
		}
	}
}

func asciiLower(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = lower(c)
	}
	return out
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c &^ 0x20
	}
	return c
}

// touches reports whether a text holds a trigger; ASCII letters count in either case.
func (m *matcher) touches(text []byte) bool {
	last := len(text) - 1
	for i := 0; i < last; i++ {
		k := uint16(text[i])<<8 | uint16(text[i+1])
		if m.pairs[k] && m.matches(text[i:], m.first[k]) {
			return true
		}
	}
	return last >= 0 && text[last] == 0
}

func (m *matcher) matches(text []byte, triggers [][]byte) bool {
next:
	for _, t := range triggers {
		if len(text) < len(t) {
			continue
		}
		for k := 2; k < len(t); k++ {
			if lower(text[k]) != t[k] {
				continue next
			}
		}
		return true
	}
	return false
}

// known finds the known values.
func (m *matcher) known(text []byte, list []edit) []edit {
	for _, v := range m.values {
		for at := 0; ; {
			k := v.index(text[at:], at > 0)
			if k < 0 {
				break
			}
			list = append(list, edit{at + k, at + k + len(v.text), v.kind, removed(v.kind)})
			at += k + len(v.text)
		}
	}
	return list
}

// index finds the value in text; inner says that text follows a part of a word.
func (v known) index(text []byte, inner bool) int {
	first, last := v.text[0], v.text[len(v.text)-1]
	for at := 0; ; {
		k := bytes.Index(text[at:], v.text)
		if k < 0 {
			return -1
		}
		lo, hi := at+k, at+k+len(v.text)
		if v.part == nil || !v.joined(first, lo == 0 && inner || lo > 0 && v.part(text[lo-1])) && !v.joined(last, hi < len(text) && v.part(text[hi])) {
			return lo
		}
		at = lo + 1
	}
}

// joined reports whether the value goes on at an end: at one that is itself no part of a
// word it never does.
func (v known) joined(end byte, beside bool) bool { return beside && v.part(end) }

func letter(c byte) bool { return c == '_' || c >= 0x80 || alphanumeric(c) }

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
