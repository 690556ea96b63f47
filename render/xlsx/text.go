package xlsx

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"reel/internal/display"
)

// maxText is how long a cell's text may be, in units of UTF-16.
const maxText = 32767

// clean makes a text fit for a cell; an empty one is absent.
func clean(s string) any {
	if s == "" {
		return nil
	}
	return cut(visible(s))
}

// visible replaces what XML cannot hold or what would not be seen.
func visible(s string) string {
	s = display.Clean(s)
	if !strings.ContainsAny(s, "\ufffe\uffff") {
		return s
	}
	return strings.NewReplacer("\ufffe", "\ufffd", "\uffff", "\ufffd").Replace(s)
}

// cut shortens a text to what a cell holds, with an ellipsis for the rest.
func cut(s string) string {
	if len(s) <= maxText { // a byte is a unit at most
		return s
	}
	units, at := 0, 0 // at: where the last text ends that leaves room for the ellipsis
	for i, r := range s {
		if units <= maxText-1 {
			at = i
		}
		if units += 1; r > 0xffff {
			units++
		}
		if units > maxText {
			return s[:at] + "…"
		}
	}
	return s
}

// The widths of columns, in characters.
const (
	minWidth = 12
	maxWidth = 80
	sampled  = 200 // cells that decide
	button   = 3   // of the filter, beside a heading
)

// width is the number of characters that a value takes.
func width(v any, k kind) int {
	switch v := v.(type) {
	case string:
		longest := 0
		for line := range strings.SplitSeq(v, "\n") {
			longest = max(longest, display.Width(line))
		}
		return longest
	case int64:
		return grouped3(len(strconv.FormatInt(v, 10)))
	case float64:
		if k == percent {
			return len(strconv.FormatFloat(v, 'f', 2, 64))
		}
		return grouped3(utf8.RuneCountInString(strconv.FormatFloat(v, 'f', 0, 64))) + 4
	case bool:
		return 5
	}
	return 0
}

// grouped3 is the width of so many digits with a separator after every third.
func grouped3(digits int) int { return digits + (digits-1)/3 }
