package redact

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// mark is what stands where something was removed; what was follows in words.
const mark = "[removed"

// removed is the mark of a kind: "[removed: host name]".
func removed(k Kind) string { return mark + ": " + string(k) + "]" }

// edit is a stretch of a text that goes.
type edit struct {
	lo, hi int
	kind   Kind
	to     string
}

// token are the forms of well-known keys.
var token = regexp.MustCompile(`(?i)\b(?:(?:hf_|sk-|sk_|pk_|rk_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|nvapi-|AIza|ya29\.|npm_|pypi-|dckr_pat_|wandb_)[A-Za-z0-9_\-.]{12,}|(?:AKIA|ASIA)[A-Z0-9]{16}` +
	`|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|bearer\s+[A-Za-z0-9+/=._-]{8,})|-----BEGIN[^-]*PRIVATE KEY-----(?:[^-]|-[^-])*(?:-----END[^-]*-----)?`)

// assigned are options and assignments of a command line whose names announce a
// secret; the value is the last group.
var assigned = regexp.MustCompile(`(?i)(?:^|[\s"'\[,;&?])(?:-{0,2}[a-z0-9_.-]*(?:token|secret|passwd|password|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credential|authorization)s?)(?:=|\s+|["']\s*[,:]\s*["'])([^\s"'&,;\]]{6,})`)

// login is what stands before the host of a URL.
var login = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://([^/\s"']+)@`)

// home is the name of somebody's folder.
var home = regexp.MustCompile(`(?i)(?:/home/|/Users/|\\+Users\\+)([^/\\\s"'<>|:;,)(\]\[]+)`)

// edits returns what goes from a text, in order and apart from each other.
func (f *facts) edits(text []byte) []edit {
	m := f.matcher()
	if !m.touches(text) {
		return nil
	}
	var list []edit
	if _, ok := environ(text); ok {
		return []edit{{0, len(text), Environment, removed(Environment)}}
	}
	for _, at := range home.FindAllSubmatchIndex(text, -1) { // first: within a path, a user's name is part of one
		if name := string(text[at[2]:at[3]]); name != "user" && !strings.HasPrefix(name, mark) && strings.Trim(name, "x") != "" {
			list = append(list, edit{at[2], at[3], Home, "user"})
		}
	}
	list = m.known(text, list)
	for _, at := range token.FindAllIndex(text, -1) {
		list = append(list, edit{at[0], at[1], Secret, removed(Secret)})
	}
	for _, at := range assigned.FindAllSubmatchIndex(text, -1) {
		if v := string(text[at[2]:at[3]]); !number(v) && !setting(v) && !strings.HasPrefix(v, mark) && looksValue(v) {
			list = append(list, edit{at[2], at[3], Secret, removed(Secret)})
		}
	}
	for _, at := range login.FindAllSubmatchIndex(text, -1) {
		list = append(list, edit{at[2], at[3], Secret, removed(Secret)})
	}
	return apart(list)
}

// looksValue tells the value of an option from the next word of a sentence.
func looksValue(v string) bool {
	return strings.ContainsAny(v, "0123456789_-+/=.$!#%") || len(v) >= 16
}

// apart drops the edits that lie within or across earlier, longer ones.
func apart(list []edit) []edit {
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(b.hi, a.hi)) })
	out := list[:0]
	for _, e := range list {
		if n := len(out); n > 0 && e.lo < out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, e.hi)
			continue
		}
		out = append(out, e)
	}
	return out
}

// apply makes the edits.
func apply(text []byte, list []edit) []byte {
	var out []byte
	at := 0
	for _, e := range list {
		out = append(append(out, text[at:e.lo]...), e.to...)
		at = e.hi
	}
	return append(out, text[at:]...)
}

// fill makes the edits within the length of the text, for files in which every
// byte has its place.
func fill(text []byte, list []edit) []byte {
	out := bytes.Clone(text)
	for _, e := range list {
		for i := e.lo; i < e.hi; i++ {
			out[i] = 'x'
		}
		if e.kind != Home && e.hi-e.lo >= len(mark)+1 {
			copy(out[e.lo:], mark)
			out[e.hi-1] = ']'
		}
	}
	return out
}

// scrub removes from a text what goes, and counts it.
func (f *facts) scrub(text []byte, place func() string, t tally) ([]byte, bool) {
	return applied(text, f.edits(text), place, t)
}

// scrubBare is scrub for what stands between the texts of a document. Numbers and
// punctuation are the document's own there, whatever password looks like them.
func (f *facts) scrubBare(text []byte, place func() string, t tally) []byte {
	list := slices.DeleteFunc(f.edits(text), func(e edit) bool { return !bytes.ContainsFunc(text[e.lo:e.hi], notNumeral) })
	text, _ = applied(text, list, place, t)
	return text
}

// notNumeral reports a rune that neither numbers nor brackets and commas have.
func notNumeral(r rune) bool {
	return r >= 0x80 || letter(byte(r)) && !strings.ContainsRune("0123456789eE", r)
}

// applied makes the edits and counts them.
func applied(text []byte, list []edit, place func() string, t tally) ([]byte, bool) {
	if len(list) == 0 {
		return text, false
	}
	for _, e := range list {
		t.add(e.kind, place())
	}
	return apply(text, list), true
}
