package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// textLine is what is left of a line.
type textLine struct{ rest string }

// blank skips blanks and reports whether nothing but a comment is left.
func (t *textLine) blank() bool {
	t.rest = strings.TrimLeft(t.rest, " \t")
	if strings.HasPrefix(t.rest, "#") {
		t.rest = ""
	}
	return t.rest == ""
}

// end makes sure that the line is at its end.
func (t *textLine) end() error {
	if t.blank() {
		return nil
	}
	return fmt.Errorf("unexpected %q", t.rest)
}

// word takes the next word; it is "" at a quote, a comment and the line's end.
func (t *textLine) word() string {
	if t.blank() {
		return ""
	}
	n := strings.IndexAny(t.rest, " \t\"")
	if n < 0 {
		n = len(t.rest)
	}
	w := t.rest[:n]
	t.rest = t.rest[n:]
	return w
}

// quoted takes a quoted text.
func (t *textLine) quoted() (string, error) {
	t.blank()
	if !strings.HasPrefix(t.rest, `"`) {
		return "", fmt.Errorf("no quoted text at %q", t.rest)
	}
	q, err := strconv.QuotedPrefix(t.rest)
	if err != nil {
		return "", fmt.Errorf("bad quoted text %s", t.rest)
	}
	t.rest = t.rest[len(q):]
	return strconv.Unquote(q)
}

// track takes a track.
func (t *textLine) track() (Track, error) {
	w := t.word()
	if !strings.HasPrefix(t.rest, `"`) {
		if w == "" {
			return Track{}, errors.New("no track: want cpuPID/TID, gpuDEVICE/STREAM or a name")
		}
		return trackOf(w)
	}
	label, err := t.quoted()
	if err != nil || w == "" {
		return Track{Place: Logical, Label: label}, err
	}
	for place, word := range placeWords {
		ids, ok := strings.CutPrefix(w, word)
		if !ok {
			continue
		}
		tr := Track{Place: Place(place), Label: label}
		if ids != "" {
			tr.A, tr.B, ok = trackIDs(ids)
		}
		if ok {
			return tr, nil
		}
	}
	return Track{}, fmt.Errorf("bad track %q before a label", w)
}

// trackOf reads a track that has no quoted label.
func trackOf(w string) (Track, error) {
	if w == "-" {
		return Track{}, nil
	}
	for place, word := range placeWords {
		ids, ok := strings.CutPrefix(w, word)
		if !ok {
			continue
		}
		if a, b, ok := trackIDs(ids); ok {
			return Track{Place: Place(place), A: a, B: b}, nil
		}
		if ids == "" || strings.IndexByte("-0123456789", ids[0]) >= 0 {
			return Track{}, fmt.Errorf("bad track %q: want two ids, as in %s0/7", w, word)
		}
	}
	return Track{Place: Logical, Label: w}, nil
}

// trackIDs reads "416/417".
func trackIDs(s string) (a, b int64, ok bool) {
	x, y, ok := strings.Cut(s, "/")
	if !ok {
		return 0, 0, false
	}
	a, errA := strconv.ParseInt(x, 10, 64)
	b, errB := strconv.ParseInt(y, 10, 64)
	return a, b, errA == nil && errB == nil
}

// args takes a JSON object; its keys keep their order.
func (t *textLine) args() ([]Arg, error) {
	t.blank()
	d := json.NewDecoder(strings.NewReader(t.rest))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("bad args %q: want a JSON object", t.rest)
	}
	var args []Arg
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("bad args: %w", err)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, fmt.Errorf("bad args: %w", err)
		}
		a, err := argOf(string(raw))
		if err != nil {
			return nil, err
		}
		a.Key, _ = key.(string)
		args = append(args, a)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("bad args: %w", err)
	}
	t.rest = t.rest[d.InputOffset():]
	return args, t.end()
}

// argOf turns the JSON text of a value into an argument without its key.
func argOf(raw string) (Arg, error) {
	switch raw[0] {
	case '"':
		var s string
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			return Arg{}, fmt.Errorf("bad args: %w", err)
		}
		return Arg{Kind: ArgText, Text: s}, nil
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
			return Arg{Kind: ArgInt, Num: uint64(n)}, nil
		}
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil {
			return Arg{}, fmt.Errorf("bad args: number %s does not fit", raw)
		}
		return Arg{Kind: ArgFloat, Num: math.Float64bits(f)}, nil
	}
	return Arg{Kind: ArgRaw, Text: raw}, nil
}
