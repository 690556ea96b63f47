package event

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// trackText writes a track as trackOf and textLine.track read it.
func trackText(t Track) string {
	if t == (Track{}) {
		return "-"
	}
	if back, err := trackOf(t.Label); err == nil && back == t && isBare(t.Label) {
		return t.Label
	}
	s := "none"
	if int(t.Place) < len(placeWords) {
		s = placeWords[t.Place]
	}
	if t.A != 0 || t.B != 0 || t.Label == "" {
		s += strconv.FormatInt(t.A, 10) + "/" + strconv.FormatInt(t.B, 10)
	}
	if t.Label != "" {
		s += strconv.Quote(t.Label)
	}
	return s
}

// isBare reports whether a label can stand without quotes.
func isBare(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.:-/", r))
	}) < 0
}

// timeText writes ns exactly, with the largest unit that leaves it at 1 or more.
func timeText(ns int64) string {
	abs, sign := uint64(ns), ""
	if ns < 0 {
		abs, sign = -abs, "-"
	}
	size, name, digits := uint64(1), "ns", 0
	switch {
	case abs >= 1e9:
		size, name, digits = 1e9, "s", 9
	case abs >= 1e6:
		size, name, digits = 1e6, "ms", 6
	case abs >= 1e3:
		size, name, digits = 1e3, "us", 3
	}
	s := strconv.FormatUint(abs/size, 10)
	if frac := abs % size; frac != 0 {
		f := strconv.FormatUint(frac, 10)
		s += "." + strings.TrimRight(strings.Repeat("0", digits-len(f))+f, "0")
	}
	return sign + s + name
}

// argText writes the value of an argument as JSON on one line.
func argText(a Arg) string {
	switch a.Kind {
	case ArgInt:
		return a.String()
	case ArgFloat:
		f := math.Float64frombits(a.Num)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return "null"
		}
		s := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return s
	case ArgRaw:
		if !strings.ContainsAny(a.Text, "\r\n") && json.Valid([]byte(a.Text)) {
			return a.Text
		}
		var b bytes.Buffer
		if json.Compact(&b, []byte(a.Text)) == nil {
			return b.String()
		}
	}
	return jsonText(a.Text)
}

// jsonText quotes s as JSON.
func jsonText(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
