package redact

import (
	"regexp"
	"strings"
)

// meaning is what a key, column or row says that a text is.
type meaning uint8

const (
	ordinaryText meaning = iota
	environmentText
	hostText
	userText
	outputText
	commandText
	secretText
)

// keys that say what their texts are.
var keys = map[string]meaning{
	"env": environmentText, "environ": environmentText, "environment": environmentText, "environmentvariables": environmentText, "envvars": environmentText, "deviceenvironment": environmentText,
	"environmentvariable": environmentText,
	"host":                hostText, "hostname": hostText, "nodename": hostText, "fqdn": hostText, "computername": hostText, "exporthost": hostText, "devicedisplayname": hostText, "machinename": hostText,
	"user": userText, "username": userText, "exportuser": userText, "email": userText,
	"stdout": outputText, "stderr": outputText, "capturedoutput": outputText,
	"cmd": commandText, "command": commandText, "cmdline": commandText, "commandline": commandText, "argv": commandText, "args": ordinaryText, "argument": commandText, "arguments": commandText,
}

// secretKey matches keys of secrets more narrowly than announced: those of traces
// hold many words.
var secretKey = regexp.MustCompile(`(?i)^(.*[^a-z])?(token|secret|passwd|password|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|authorization|cookie)$`)

// meaningOf is what a key says.
func meaningOf(key string) meaning {
	if len(key) > 100 || key == "" {
		return ordinaryText
	}
	flat := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
	if m, ok := keys[flat]; ok {
		return m
	}
	if secretKey.MatchString(key) {
		return secretText
	}
	return ordinaryText
}

// learn notes the values that a text of some meaning holds.
func (j *jsonCopy) learn(text []byte, m meaning) {
	s := string(text)
	switch m {
	case environmentText:
		if n := len(j.stack); n > 0 && j.stack[n-1].object && j.stack[n-1].meant == environmentText { // else the key is not a variable's
			j.f.variable(j.stack[n-1].next.key, s)
		} else {
			j.f.learnEnviron(text)
		}
	case hostText:
		j.f.word(Host, s)
	case userText:
		j.f.word(User, s)
	case secretText:
		j.f.secret(s, keyed)
	case commandText:
		j.f.secret(s, j.args.secret(s))
	default:
		if vars, ok := environ(text); ok {
			for _, v := range vars {
				j.f.variable(v[0], v[1])
			}
		}
	}
}

// instead is what stands in place of a whole text, "" for nothing special.
func (m meaning) instead(a *args, text []byte) (to string, kind Kind) {
	switch m {
	case environmentText:
		return removed(Environment), Environment
	case hostText:
		return removed(Host), Host
	case userText:
		return removed(User), User
	case outputText:
		return removed(Output), Output
	case secretText:
		return removed(Secret), Secret
	case commandText:
		if a.secret(string(text)) != (least{}) {
			return removed(Secret), Secret
		}
	}
	return "", ""
}

// args goes over the arguments of a command, one at a time.
type args struct{ next least }

// secret is what the option before an argument says of it.
func (a *args) secret(arg string) (l least) {
	option := strings.HasPrefix(arg, "-")
	if !option {
		l = a.next
	}
	a.next = least{}
	if option && !strings.Contains(arg, "=") {
		a.next = announced(arg)
	}
	return l
}
