package redact

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Kind is what was removed.
type Kind string

// The kinds.
const (
	Environment Kind = "environment"     // values of environment variables
	Output      Kind = "captured output" // what the program printed, and files that were read
	Host        Kind = "host name"
	User        Kind = "user name"
	Home        Kind = "home path" // the name within it
	Secret      Kind = "secret"    // keys, tokens, passwords
)

// inMarks reports whether a text is a part of the marks themselves.
func inMarks(text string) bool {
	return slices.ContainsFunc([]Kind{Environment, Output, Host, User, Home, Secret}, func(k Kind) bool { return strings.Contains(removed(k), text) })
}

// Removed counts what was removed from one place.
type Removed struct {
	Kind  Kind
	Place string // "META_DATA_CAPTURE.value", "host_name"
	Count int
}

// Report says what was done to a file or a folder.
type Report struct {
	Path    string // of the output
	Removed []Removed
	LeftOut []string // files of a folder that were not copied, and why
}

// tally counts removals while a file is written.
type tally map[Removed]int // Count is 0 in the keys

func (t tally) add(k Kind, place string) { t[Removed{Kind: k, Place: place}]++ }

// list orders the removals by kind and place.
func (t tally) list() []Removed {
	out := make([]Removed, 0, len(t))
	for _, r := range slices.Collect(maps.Keys(t)) {
		n := t[r]
		r.Count = n
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Removed) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Place, b.Place)) })
	return out
}
