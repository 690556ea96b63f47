package report

import (
	"slices"
	"strings"

	"reel/internal/display"
)

// joined writes parts with " · " between them, on as many lines as they need.
func (p *page) joined(st style, in int, parts []string) {
	if p.markdown {
		p.paragraph(st, strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " · "))
		return
	}
	room, line := p.Width-in, ""
	flush := func() {
		if line != "" {
			p.line(strings.Repeat(" ", in) + p.paint(st, line))
		}
		line = ""
	}
	for _, part := range parts {
		if part = display.Clean(part); part == "" {
			continue
		}
		if p.Width > 0 && display.Width(part) > room {
			part = display.Shorten(part, room)
		}
		switch {
		case line == "":
			line = part
		case p.Width > 0 && display.Width(line)+3+display.Width(part) > room:
			flush()
			line = part
		default:
			line += " · " + part
		}
	}
	flush()
}

// note writes prose, wrapped, the first line after lead and the others below it.
func (p *page) note(lead, s string) { p.styledNote("", lead, s) }

func (p *page) styledNote(st style, lead, s string) {
	if p.markdown {
		p.paragraph("", strings.TrimLeft(lead, " ")+s)
		return
	}
	room := p.Width - display.Width(lead)
	line, out := "", []string{}
	for _, word := range words(display.Clean(s)) {
		if line != "" && p.Width > 0 && display.Width(line)+1+display.Width(word) > room {
			out, line = append(out, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	out = append(out, line)
	for i, l := range out {
		l = strings.ReplaceAll(l, nbsp, " ")
		head := lead
		if i > 0 {
			head = strings.Repeat(" ", display.Width(lead))
		}
		if st != "" {
			p.line(p.paint(st, head+l))
			continue
		}
		p.line(head + l)
	}
}

// nbsp is a space at which no line breaks; it is written as any other.
const nbsp = "\u00a0"

// words splits prose where lines may break: not between a number and its unit.
func words(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' }) {
		switch strings.TrimRight(w, ",;.:)") {
		case "ns", "µs", "ms", "s", "%", "B", "KiB", "MiB", "GiB":
			if n := len(out); n > 0 {
				out[n-1] += " " + w
				continue
			}
		}
		out = append(out, w)
	}
	return out
}
