package report

import (
	"strings"

	"reel/internal/display"
)

// ShortName cuts from a C++ name what tells least: the result type, the
// parameters and what stands in angle brackets.
//
//	void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor>(int, …)
//	at::native::vectorized_elementwise_kernel<…>
//
// Names of other languages stay as they are.
func ShortName(name string) string {
	if !strings.Contains(name, "::") && !strings.HasPrefix(name, "void ") && (!strings.HasSuffix(name, ")") || strings.Contains(name, " (")) {
		return name // "Memcpy HtoD (Pinned -> Device)" has no parameters
	}
	s := strings.TrimPrefix(name, "void ")
	var b strings.Builder
	angle, round := 0, 0
	for _, r := range strings.ReplaceAll(s, "(anonymous namespace)::", "") {
		switch r {
		case '<':
			if angle == 0 && round == 0 {
				b.WriteString("<…")
			}
			angle++
		case '>':
			if angle--; angle == 0 && round == 0 {
				b.WriteRune('>')
			}
		case '(':
			round++
		case ')':
			round--
		default:
			if angle == 0 && round == 0 {
				b.WriteRune(r)
			}
		}
		if angle < 0 || round < 0 {
			return name // no C++ after all: operator->, an unbalanced name
		}
	}
	if angle != 0 || round != 0 || b.Len() == 0 {
		return name
	}
	return b.String()
}

// fitName makes a name fit: whole where it can be, else without what tells
// least, else without its middle.
func fitName(name string, width int) string {
	name = display.Clean(name)
	if width <= 0 || display.Width(name) <= width {
		return name
	}
	return display.Shorten(ShortName(name), width)
}

// callsText names where an operator was called from: the innermost calls that are
// neither built into Python nor torch's way from one module to the next, without
// their folders; one, or two where there is room.
func callsText(stack []string, o Options) string {
	var calls []string
	for _, c := range stack {
		if !strings.HasPrefix(c, "<built-in") && !strings.HasPrefix(c, "nn.Module: ") && !strings.HasSuffix(c, "_call_impl") {
			calls = append(calls, c[strings.LastIndexByte(c[:max(0, strings.LastIndex(c, ": "))], '/')+1:])
		}
	}
	if len(calls) == 0 {
		calls = stack
	}
	most := 1
	if o.wide() {
		most = 2
	}
	return strings.Join(calls[:min(most, len(calls))], " ← ")
}
