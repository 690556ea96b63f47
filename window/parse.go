package window

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mode says which part of a request a specification means.
type Mode uint8

// The modes.
const (
	Unset       Mode = iota // nothing is recorded
	All                     // the whole of every request
	PreDenoise              // from the start of the first request to its first step
	PostDenoise             // from the end of the first request's first loop to the request's end
	Decode                  // the decode stages of every request
	Steps                   // ranges of denoise steps
)

var modeNames = [...]string{"", "all", "predenoise", "postdenoise", "decode", "steps"}

// String returns the keyword of the mode.
func (m Mode) String() string { return modeNames[m] }

// Loop says which denoise loops of a request a range means, counted from 0.
type Loop int

// Loops that are no number.
const (
	AnyLoop  Loop = -1
	LastLoop Loop = -2
)

// Range is the steps From to To, both included, of some loops.
type Range struct {
	Loop     Loop
	From, To int
}

// String writes the range as Parse reads it.
func (r Range) String() string {
	s := strconv.Itoa(r.From)
	if r.To != r.From {
		s += "-" + strconv.Itoa(r.To)
	}
	switch r.Loop {
	case AnyLoop:
		return s
	case LastLoop:
		return "last:" + s
	}
	return fmt.Sprintf("loop%d:%s", int(r.Loop), s)
}

// Spec is a parsed specification of windows. Its zero records nothing.
type Spec struct {
	Mode   Mode
	Ranges []Range // with mode Steps, ordered by loop and step, not overlapping
}

// String writes the specification as Parse reads it.
func (s Spec) String() string {
	if s.Mode != Steps {
		return s.Mode.String()
	}
	parts := make([]string, len(s.Ranges))
	for i, r := range s.Ranges {
		parts[i] = r.String()
	}
	return strings.Join(parts, ",")
}

// Forms is the sentence that names what Parse accepts; it stands in its errors.
const Forms = "all, predenoise, postdenoise, decode, or steps such as 3, 0-4, 0-4,8-9, loop1:0-4, last:0-2"

// maxStep bounds step and loop numbers: what lies beyond is a slip of the pen.
const maxStep = 1_000_000

// SyntaxError says why a value is no specification.
type SyntaxError struct {
	Variable string // where the value stood: an environment variable, a flag, a key
	Value    string
	Reason   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s=%q: %s; accepted are %s", e.Variable, e.Value, e.Reason, Forms)
}

// Parse reads the specification that stood in variable. An empty value is unset;
// one of blanks is an error, and so is everything of which it is unclear what it
// would record: reversed, overlapping, doubled or negative ranges.
func Parse(variable, value string) (Spec, error) {
	spec, reason := parse(value)
	if reason != "" {
		return Spec{}, &SyntaxError{variable, value, reason}
	}
	return spec, nil
}

func parse(value string) (Spec, string) {
	if value == "" {
		return Spec{}, ""
	}
	text := strings.TrimSpace(value)
	if text == "" {
		return Spec{}, "it is blank"
	}
	elements := strings.Split(text, ",")
	if len(elements) == 1 {
		if m := keyword(text); m != Unset {
			return Spec{Mode: m}, ""
		}
	}
	spec := Spec{Mode: Steps}
	for _, e := range elements {
		r, reason := element(e)
		if reason != "" {
			return Spec{}, reason
		}
		spec.Ranges = append(spec.Ranges, r)
	}
	slices.SortStableFunc(spec.Ranges, func(a, b Range) int {
		if a.Loop != b.Loop {
			return int(a.Loop) - int(b.Loop)
		}
		return a.From - b.From
	})
	return spec, clash(spec.Ranges)
}

func keyword(s string) Mode {
	for m := All; m < Steps; m++ {
		if strings.EqualFold(s, m.String()) {
			return m
		}
	}
	return Unset
}

// element reads one range with its loop selector.
func element(e string) (Range, string) {
	text := strings.TrimSpace(e)
	if text == "" {
		return Range{}, "an element of the list is empty (a comma too many)"
	}
	if keyword(text) != Unset {
		return Range{}, fmt.Sprintf("the keyword %q stands alone, not in a list", text)
	}
	r := Range{Loop: AnyLoop}
	if selector, rest, ok := strings.Cut(text, ":"); ok {
		if r.Loop, ok = loopSelector(strings.TrimSpace(selector)); !ok {
			return Range{}, fmt.Sprintf("%q is no loop; a loop is loop0, loop1, … or last", selector)
		}
		text = strings.TrimSpace(rest)
	}
	from, to, both := strings.Cut(text, "-")
	if both && strings.TrimSpace(from) == "" {
		return Range{}, fmt.Sprintf("%q: steps are not negative", text)
	}
	var ok bool
	if r.From, ok = number(from); !ok {
		return Range{}, fmt.Sprintf("%q is no step number", strings.TrimSpace(from))
	}
	if r.To = r.From; both {
		if r.To, ok = number(to); !ok {
			return Range{}, fmt.Sprintf("%q: %q is no step number", text, strings.TrimSpace(to))
		}
	}
	if r.To < r.From {
		return Range{}, fmt.Sprintf("%q runs backwards; did you mean %d-%d", text, r.To, r.From)
	}
	return r, ""
}

func loopSelector(s string) (Loop, bool) {
	if strings.EqualFold(s, "last") {
		return LastLoop, true
	}
	if len(s) > 4 && strings.EqualFold(s[:4], "loop") {
		n, ok := number(s[4:])
		return Loop(n), ok
	}
	return 0, false
}

// number reads plain decimal digits: no sign, no underscore, no other script.
func number(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n <= maxStep
}

// clash finds two ranges that could mean one step of one loop. Which loop is the
// last is unknown here, so last: clashes with nothing but itself and unselected
// ranges.
func clash(ranges []Range) string {
	for i, a := range ranges {
		for _, b := range ranges[i+1:] {
			if a.Loop != b.Loop && a.Loop != AnyLoop && b.Loop != AnyLoop {
				continue
			}
			if a == b {
				return fmt.Sprintf("%s stands there twice", a)
			}
			if a.From <= b.To && b.From <= a.To {
				return fmt.Sprintf("%s and %s overlap", a, b)
			}
		}
	}
	return ""
}
