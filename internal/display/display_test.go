package display

import (
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"aten::mm":                     "aten::mm",
		"\x1b[31mred\x1b[0m":           "␛[31mred␛[0m",
		"two\nlines\tand\r":            "two␊lines␉and␍",
		"bell\a nul\x00 del\x7f":       "bell␇ nul␀ del␡",
		"\u0085next \u009b31m":         "�next �31m",
		"\u202egpj.exe\u2066":          "�gpj.exe�",
		"line\u2028para\u2029":         "line�para�",
		"broken \xff\xfe":              "broken ��",
		"模型 é e\u0301 👩\u200d🔬":        "模型 é e\u0301 👩\u200d🔬",
		"zero\u200bwidth\ufeff":        "zero�width�",
		"tag\U000e0041 private\ue000z": "tag� private�z",
		"":                             "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWidth(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "abc": 3, "µs": 2, "模型": 4, "e\u0301": 1, "▕███▌░░░░▏": 10, "…": 1, "🎬": 2, "ｆ": 2, "한": 2,
	} {
		if got := Width(in); got != want {
			t.Errorf("Width(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"abcdefghij", 10, "abcdefghij"}, {"abcdefghij", 9, "abcd…ghij"}, {"abcdefghij", 4, "ab…j"},
		{"abcdefghij", 2, "a…"}, {"abcdefghij", 1, "…"}, {"abcdefghij", 0, ""}, {"abc", -1, ""},
		{"模型模型", 7, "模型…型"}, {"模型模型", 6, "模…型"}, {"模型模型", 2, "…"},
	} {
		if got := Shorten(c.in, c.width); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

// FuzzFit checks that any text comes out clean and no wider than asked.
func FuzzFit(f *testing.F) {
	f.Add("\x1b[31mred", 3)
	f.Add("模型 e\u0301\xff", 4)
	f.Fuzz(func(t *testing.T, s string, width int) {
		clean := Clean(s)
		if !utf8.ValidString(clean) || Clean(clean) != clean {
			t.Fatalf("Clean(%q) = %q is not clean", s, clean)
		}
		if got := Shorten(clean, width); Width(got) > max(width, 0) {
			t.Fatalf("Shorten(%q, %d) = %q is too wide", clean, width, got)
		}
	})
}
