package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"reel/internal/rundir"
)

// facts are the values that a source says are of people and machines; they are
// removed wherever they stand.
type facts struct {
	secrets map[string]bool
	words   map[string]Kind // host and user names: removed as whole words
	ready   *matcher        // of these; nil when they changed
}

func newFacts() *facts { return &facts{secrets: map[string]bool{}, words: map[string]Kind{}} }

// minSecret is the least length of a secret that is searched for everywhere;
// shorter ones are removed where they were found.
const minSecret = 6

// secretName matches names of variables, options and keys that announce a secret.
var secretName = regexp.MustCompile(`(?i)(^|[^a-z])(token|secret|passwd|password|pwd|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|auth|authorization|cookie|session[-_]?key)s?($|[^a-z])`)

// variable notes an environment variable. Values that people use as switches and
// numbers are no secrets, whatever their name.
func (f *facts) variable(name, value string) {
	switch strings.ToUpper(name) {
	case "USER", "LOGNAME", "USERNAME", "SUDO_USER":
		f.word(User, value)
	case "HOSTNAME", "HOST", "COMPUTERNAME":
		f.word(Host, value)
	case "PWD", "OLDPWD":
		return
	}
	name = strings.ReplaceAll(name, "_", "-")
	switch {
	case rundir.LooksSecret(value), secretName.MatchString(name) && strings.ContainsFunc(value, notLetter),
		strongName.MatchString(name) && len(value) >= 8:
		f.secret(value)
	}
}

// strongName matches names whose values are secrets even when they are words; other
// names have words as settings ("AUTH_MODE=internal"), which stand in many places.
var strongName = regexp.MustCompile(`(?i)(^|[^a-z])(token|secret|passwd|password|passphrase|api-?key|access-?key|private-?key)s?$`)

func notLetter(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' }

// secret notes a secret.
func (f *facts) secret(value string) {
	value = strings.TrimSpace(value)
	if len(value) < minSecret || plainWord(value) || strings.HasPrefix(value, mark) {
		return
	}
	if !f.secrets[value] {
		f.secrets[value], f.ready = true, nil
	}
}

// plainWord reports whether a value is a number, a switch, or a path, which hide
// nothing and stand in many places.
func plainWord(v string) bool {
	switch strings.ToLower(v) {
	case "enabled", "disabled", "default", "required", "optional", "warning", "kernel", "python":
		return true
	}
	return strings.Trim(v, "0123456789.,:-+ ") == "" || strings.HasPrefix(v, "/") && !rundir.LooksSecret(v)
}

// ordinary are host and user names of many machines, and words that stand for
// something else in traces.
var ordinary = []string{"root", "user", "users", "home", "host", "localhost", "local", "admin", "ubuntu", "debian", "nobody", "docker", "default",
	"data", "work", "none", "null", "unknown", "main", "test", "python", "cuda", "gpu", "cpu", "torch", "model", "node", "worker", "rank", "train", "server", "kernel", "nvidia", "linux", "windows"}

// minWord is the least length of a name that is removed wherever it stands.
const minWord = 4

// word notes a host or user name.
func (f *facts) word(k Kind, value string) {
	value = strings.TrimSpace(value)
	if len(value) < minWord || slices.Contains(ordinary, strings.ToLower(value)) || strings.HasPrefix(value, mark) ||
		strings.Trim(value, "0123456789.") == "" && len(value) < 7 {
		return
	}
	if _, ok := f.words[value]; !ok {
		f.words[value], f.ready = k, nil
	}
	if k == Host { // the short form of a full name
		if short, _, ok := strings.Cut(value, "."); ok && strings.Trim(short, "0123456789") != "" {
			f.word(k, short)
		}
	}
}

// environ splits a block of environment variables, as processes hold it: entries
// with NULs between them, most of them NAME=value.
func environ(block []byte) (vars [][2]string, ok bool) {
	if bytes.IndexByte(block, 0) < 0 {
		return nil, false
	}
	entries, like := 0, 0
	for e := range bytes.SplitSeq(block, []byte{0}) {
		if len(e) == 0 {
			continue
		}
		entries++
		if name, value, ok := strings.Cut(string(e), "="); ok && isVariable(name) {
			like++
			vars = append(vars, [2]string{name, value})
		}
	}
	return vars, like > 0 && 2*like >= entries
}

// lines splits an environment that is written one variable to a line.
func lines(text []byte) (vars [][2]string) {
	for l := range bytes.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimRight(string(l), "\r\n"), "="); ok && isVariable(strings.TrimSpace(name)) {
			vars = append(vars, [2]string{strings.TrimSpace(name), value})
		}
	}
	return vars
}

func isVariable(name string) bool {
	if name == "" || len(name) > 200 {
		return false
	}
	for i, c := range []byte(name) {
		if !(c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '.' || c == '%' || c == '(' || c == ')')) {
			return false
		}
	}
	return true
}

// learnEnviron notes the variables of a block or of lines.
func (f *facts) learnEnviron(text []byte) {
	vars, ok := environ(text)
	if !ok {
		vars = lines(text)
	}
	for _, v := range vars {
		f.variable(v[0], v[1])
	}
}
