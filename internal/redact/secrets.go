package redact

import (
	"net/url"
	"regexp"
	"strings"

	"reel/internal/rundir"
)

// least are the lengths from which a value is sought wherever it stands, by what it
// is made of; shorter ones are removed where they were found. The zero seeks nothing.
type least struct{ mixed, word, number int }

const never = 1 << 30

var (
	chosen = least{4, 4, 4}         // by people: passwords
	made   = least{4, 4, 6}         // by machines; small numbers are settings
	keyed  = least{6, 6, never}     // by a key of a document, where many words stand
	hinted = least{6, never, never} // the name has the word somewhere, as AUTH_MODE
)

// The names of variables and options whose values are secrets.
var (
	chosenName = regexp.MustCompile(`(?i)(passw(or)?d|passphrase|passcode|secret|pass|(^|[^a-z])pwd)s?$`)
	madeName   = regexp.MustCompile(`(?i)(token|credentials?|(api|access|private|secret|master|account|encryption|signing|session|auth|ssh)keys?|(^|[^a-z])(key|pat|cred|auth|authorization|cookie)s?)$`) // not MAX_TOKENS
	secretName = regexp.MustCompile(`(?i)(^|[^a-z])(token|secret|passwd|password|pwd|passphrase|api-?key|access-?key|private-?key|credentials?|auth|authorization|cookie|session-?key)s?($|[^a-z])`)
	// innocent end like these.
	innocent = regexp.MustCompile(`(?i)((com|by|sub|render|multi|single)-?pass|(public|primary|foreign|sort|group|partition|cache|hot)-?key)(es|s)?$`)
)

// announced is what a name says of its value.
func announced(name string) least {
	name = strings.TrimRight(strings.ReplaceAll(name, "_", "-"), "-0123456789") // API_KEY_2
	switch {
	case innocent.MatchString(name):
	case chosenName.MatchString(name):
		return chosen
	case madeName.MatchString(name):
		return made
	case secretName.MatchString(name):
		return hinted
	}
	return least{}
}

// value notes what is secret of the value of a variable. A key of several lines is
// noted by the line too: they may be printed one at a time.
func (f *facts) value(name, value string) {
	f.logins(value)
	l := announced(name)
	if l == (least{}) && rundir.LooksSecret(value) {
		l = hinted
	}
	f.secret(value, l)
	switch {
	case strings.Contains(value, "-----BEGIN"):
		l = chosen // there is nothing else in it
	case l == hinted: // a script with a hash, say
		return
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(value, `\n`, "\n"), "\n") {
		if !strings.HasPrefix(line, "-----") {
			f.secret(line, l)
		}
	}
}

// logins notes the passwords of URLs, as they stand and as they are meant.
func (f *facts) logins(text string) {
	for _, m := range login.FindAllStringSubmatch(text, -1) {
		_, pass, ok := strings.Cut(m[1], ":")
		if !ok && rundir.LooksSecret(m[1]) { // a token in place of a user
			pass = m[1]
		}
		f.secret(pass, chosen)
		if plain, err := url.PathUnescape(pass); err == nil {
			f.secret(plain, chosen)
		}
	}
}

// secret notes a secret that is long enough.
func (f *facts) secret(value string, l least) {
	value = strings.TrimSpace(value)
	min := l.mixed
	switch {
	case l == (least{}) || value == "" || setting(value) || strings.HasPrefix(value, mark):
		return
	case number(value):
		min = l.number
	case !strings.ContainsFunc(value, notLetter):
		min = l.word
	}
	if len(value) >= min && !f.secrets[value] {
		f.secrets[value], f.ready = true, nil
	}
}

// minSecret is the least length of a secret that is sought within words as well, and
// of a name or word that is sought in the bytes of an output, where shorter ones come
// about by chance.
const minSecret = 6

// alone reports whether a secret is sought as a whole word only: within others it
// would stand by chance.
func alone(s string) bool {
	return len(s) < minSecret || number(s) || len(s) < 8 && !strings.ContainsFunc(s, notLetter)
}

func notLetter(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' }

// number reports whether a value is a number, a list of them, or a time.
func number(v string) bool { return strings.Trim(v, "0123456789.,:-+ ") == "" }

// setting reports whether a value is a switch, a word of every trace, or a path, which
// hide nothing and stand in many places.
func setting(v string) bool {
	switch strings.ToLower(v) {
	case "true", "false", "null", "none", "auto", "enabled", "disabled", "default", "required", "optional", "warning", "basic", "bearer", "kernel", "python", "name", "args", "type", "value":
		return true
	}
	return strings.HasPrefix(v, "/") && !rundir.LooksSecret(v)
}
