package report

import (
	"bytes"
)

// Options say how a report is laid out. The zero is unlimited width and no
// colour.
type Options struct {
	Width int  // terminal cells per line; 0 is no limit
	Color bool // write ANSI colours
}

// barWidth is the number of cells of bars: wide screens have room for long ones.
func (o Options) barWidth() int {
	switch {
	case o.Width >= 140:
		return 24
	case o.Width >= 100 || o.Width <= 0:
		return 14
	}
	return 6
}

// long picks the longer word where the screen has room for it.
func (o Options) long(short, long string) string {
	if o.wide() {
		return long
	}
	return short
}

// wide tells whether the screen has room for more than the essentials.
func (o Options) wide() bool { return o.Width >= 100 || o.Width <= 0 }

// page collects the lines of a report.
type page struct {
	bytes.Buffer
	Options
	markdown bool
}

// Everything below a title stands this far in.
const (
	indent = 2
	margin = "  "
)

type style string

const (
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	yellow style = "\x1b[33m"
	red    style = "\x1b[31m"
)

func (p *page) paint(st style, s string) string {
	if !p.Color || s == "" {
		return s
	}
	return string(st) + s + "\x1b[0m"
}

// line writes a line of clean text as it is.
func (p *page) line(s string) { p.WriteString(s + "\n") }

// paragraph writes prose as Markdown.
func (p *page) paragraph(st style, s string) {
	s = markdownText(s)
	if st == bold {
		s = "**" + s + "**"
	}
	p.line(s + "\n")
}

// gap writes an empty line, unless nothing is written yet.
func (p *page) gap() {
	if p.Len() > 0 && !p.markdown {
		p.line("")
	}
}

// title writes a heading; its parts are joined by dots.
func (p *page) title(parts ...string) { p.joined(bold, 0, parts) }
