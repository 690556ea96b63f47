// Package display makes texts of unknown origin harmless and fits them to a
// number of terminal cells. Names in traces may hold anything: escape sequences,
// line feeds, marks that reverse the writing direction. Package display escapes nothing for a
// particular format; the renderers do that.
package display

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes s safe to print: every control character becomes its visible
// picture (ESC is "␛", line feed "␊"), and what is not UTF-8, changes the writing direction,
// breaks lines or is otherwise an invisible format character becomes "�".
// Joiners, which scripts and emoji need, stay.
func Clean(s string) string {
	if !unclean(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return '␡'
		case hidden(r):
			return utf8.RuneError
		}
		return r
	}, s) // Map hands over each broken byte as RuneError
}

func unclean(s string) bool {
	for _, r := range s {
		if r < 0x20 || r >= 0x7f && (r == 0x7f || r == utf8.RuneError || hidden(r)) {
			return true
		}
	}
	return false
}

// hidden reports whether r would be acted on, not shown.
func hidden(r rune) bool {
	if r == 0x200c || r == 0x200d {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// wide lists the blocks that terminals draw two cells wide: East Asian wide
// and fullwidth characters and emoji (Unicode Standard Annex 11).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x23e9, Hi: 0x23ec, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, {Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, {Lo: 0xa960, Hi: 0xa97c, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff01, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18cff, Stride: 1}, {Lo: 0x1b000, Hi: 0x1b2ff, Stride: 1}, {Lo: 0x1f300, Hi: 0x1f64f, Stride: 1},
		{Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1}, {Lo: 0x1f7e0, Hi: 0x1f7eb, Stride: 1}, {Lo: 0x1f900, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

// Width is the number of terminal cells that a clean s takes: combining marks
// and joiners none, wide characters two, everything else one.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me) || r == 0x200c || r == 0x200d:
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// Shorten cuts a clean s to at most width cells, putting one "…" for what is
// left out in the middle, because both ends of a kernel name tell something.
// The front keeps the larger half.
func Shorten(s string, width int) string {
	switch {
	case Width(s) <= width:
		return s
	case width <= 0:
		return ""
	}
	room := width - 1
	back := len(s)
	for used := 0; ; {
		r, n := utf8.DecodeLastRuneInString(s[:back])
		if used += runeWidth(r); used > room/2 || n == 0 {
			break
		}
		back -= n
	}
	room -= Width(s[back:])
	front := 0
	for used := 0; ; {
		r, n := utf8.DecodeRuneInString(s[front:])
		if used += runeWidth(r); used > room || n == 0 {
			break
		}
		front += n
	}
	return s[:front] + "…" + s[back:]
}
