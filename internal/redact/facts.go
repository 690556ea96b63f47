package redact

import (
	"bytes"
	"slices"
	"strings"
)

// facts are the values that a source says are of people and machines; they are
// removed wherever they stand.
type facts struct {
	secrets map[string]bool
	words   map[string]Kind // host and user names: removed as whole words
	ready   *matcher        // of these; nil when they changed
}

func newFacts() *facts { return &facts{secrets: map[string]bool{}, words: map[string]Kind{}} }

// variable notes an environment variable.
func (f *facts) variable(name, value string) {
	switch strings.ToUpper(name) {
	case "USER", "LOGNAME", "USERNAME", "SUDO_USER":
		f.word(User, value)
	case "HOSTNAME", "HOST", "COMPUTERNAME":
		f.word(Host, value)
	case "PWD", "OLDPWD":
		return
	}
	f.value(name, value)
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

// lines splits an environment that is written one variable to a line. What is no
// variable continues the one before, and so does all of a key in PEM's form, whose
// lines may end like an assignment.
func lines(text []byte) (vars [][2]string) {
	for l := range bytes.Lines(text) {
		line := strings.TrimRight(string(l), "\r\n")
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		switch n := len(vars); {
		case n > 0 && (!ok || !isVariable(name) || strings.Count(vars[n-1][1], "-----BEGIN") > strings.Count(vars[n-1][1], "-----END")):
			vars[n-1][1] += "\n" + line
		case ok && isVariable(name):
			vars = append(vars, [2]string{name, value})
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
