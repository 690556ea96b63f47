package redact

import (
	"bytes"
	"maps"
	"slices"
)

// matcher finds the known values, and tells quickly that a text has nothing that
// could go.
type matcher struct {
	secrets [][]byte // the longest first
	words   [][]byte
	kinds   map[string]Kind
	pairs   [1 << 16]bool       // the first two bytes of triggers
	first   map[uint16][][]byte // triggers by these, lower case
}

// triggers are what texts hold, letter case aside, that the patterns could match.
var triggers = []string{"hf_", "sk-", "sk_", "pk_", "rk_", "gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "nvapi-", "aiza", "ya29.", "akia", "asia",
	"npm_", "pypi-", "dckr_pat_", "wandb_", "eyj", "bearer", "-----begin", "://", "/home/", "/users/", `\users\`, "token", "secret", "passw", "passphrase", "api_key", "api-key", "apikey",
	"access_key", "access-key", "accesskey", "private_key", "private-key", "privatekey", "credential", "authorization", "\x00"}

func (f *facts) matcher() *matcher {
	if f.ready != nil {
		return f.ready
	}
	m := &matcher{kinds: f.words, first: map[uint16][][]byte{}}
	for _, s := range slices.Sorted(maps.Keys(f.secrets)) {
		m.secrets = append(m.secrets, []byte(s))
	}
	slices.SortStableFunc(m.secrets, func(a, b []byte) int { return len(b) - len(a) })
	for _, w := range slices.Sorted(maps.Keys(f.words)) {
		m.words = append(m.words, []byte(w))
	}
	slices.SortStableFunc(m.words, func(a, b []byte) int { return len(b) - len(a) })
	for _, t := range triggers {
		m.trigger([]byte(t))
	}
	for _, list := range [][][]byte{m.secrets, m.words} {
		for _, v := range list {
			m.trigger(asciiLower(v))
		}
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
	for _, s := range m.secrets {
		for at := 0; ; {
			k := bytes.Index(text[at:], s)
			if k < 0 {
				break
			}
			list = append(list, edit{at + k, at + k + len(s), Secret, removed(Secret)})
			at += k + len(s)
		}
	}
	for _, w := range m.words {
		for at := 0; ; {
			k := wordIndex(text[at:], w, at > 0)
			if k < 0 {
				break
			}
			kind := m.kinds[string(w)]
			list = append(list, edit{at + k, at + k + len(w), kind, removed(kind)})
			at += k + len(w)
		}
	}
	return list
}

// wordIndex finds w in text as a whole word; inner says that text has a letter
// before it that does not count.
func wordIndex(text, w []byte, inner bool) int {
	for at := 0; ; {
		k := bytes.Index(text[at:], w)
		if k < 0 {
			return -1
		}
		lo, hi := at+k, at+k+len(w)
		before := lo == 0 && !inner || lo > 0 && !letter(text[lo-1])
		if before && (hi == len(text) || !letter(text[hi])) {
			return lo
		}
		at = lo + 1
	}
}

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
