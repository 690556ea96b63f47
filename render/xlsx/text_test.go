package xlsx

import (
	"strings"
	"testing"
	"unicode/utf16"
)

func TestCut(t *testing.T) {
	units := func(s string) int { return len(utf16.Encode([]rune(s))) }
	for _, c := range []struct {
		in   string
		want int // units of UTF-16
	}{
		{strings.Repeat("a", maxText), maxText},
		{strings.Repeat("a", maxText+1), maxText},
		{strings.Repeat("é", maxText), maxText},
		{strings.Repeat("é", maxText+7), maxText},
		{strings.Repeat("😀", maxText/2), maxText - 1},
		{strings.Repeat("😀", maxText), maxText},
		{"a" + strings.Repeat("😀", maxText/2), maxText},
		{"aa" + strings.Repeat("😀", maxText/2), maxText},
		{"a" + strings.Repeat("😀", maxText), maxText - 1},
	} {
		got := cut(c.in)
		if units(got) != c.want {
			t.Errorf("%d units became %d, want %d", units(c.in), units(got), c.want)
		}
		if short := units(c.in) <= maxText; short != (got == c.in) || !short && !strings.HasSuffix(got, "…") {
			t.Errorf("%d units: ends with %q", units(c.in), got[len(got)-8:])
		}
	}
}

func TestVisible(t *testing.T) {
	const in, want = "=a\x00\x1b\n\t\u202e\ufffe\uffff\xff", "=a␀␛␊␉\ufffd\ufffd\ufffd\ufffd"
	if got := visible(in); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		v    any
		k    kind
		want int
	}{
		{"abc\nlonger", text, 6}, {"名前", text, 4}, {int64(1234567), count, 9}, {1234.5, micros, 9}, {12.345, percent, 5}, {false, text, 5}, {nil, text, 0},
	} {
		if got := width(c.v, c.k); got != c.want {
			t.Errorf("width of %v: %d, want %d", c.v, got, c.want)
		}
	}
}
