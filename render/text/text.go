// Package text renders tables for people in a terminal: aligned columns that
// fit a width, bars, optional colour. It reads no terminal and no environment; the caller says
// how wide the screen is and whether it has colours.
package text

import (
	"bufio"
	"io"
	"strings"

	"reel/internal/display"
	"reel/table"
)

// Options say how a table is laid out. The zero is unlimited width, no colour, no
// indent.
type Options struct {
	Width    int  // terminal cells per line; 0 is no limit
	Color    bool // write ANSI colours
	Indent   int  // spaces before each line
	BarWidth int  // cells within a bar; 0 is 8
}

const (
	defaultBar = 8
	minText    = 8 // a text column is not cut below this
	gap        = 2 // spaces between columns
)

// Write renders t to w: title, headings, rows, total, notes. Numbers are never
// cut; when a row is too wide, text columns lose their middle, the widest
// first, and when that is not enough the line is longer than asked. Absent
// cells are blank; a bar is blank when it is absent. Whatever control
// characters names hold is made visible. The error is that of w.
func Write(w io.Writer, t *table.Table, o Options) error {
	b := bufio.NewWriter(w)
	p := &printer{b: b, o: o}
	p.table(t)
	return b.Flush()
}

// String is Write into a string.
func String(t *table.Table, o Options) string {
	var b strings.Builder
	_ = Write(&b, t, o) // a strings.Builder does not fail
	return b.String()
}

type style string

const (
	plain  style = ""
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	cyan   style = "\x1b[36m"
	normal style = "\x1b[0m"
)

type printer struct {
	b *bufio.Writer
	o Options
}

func (p *printer) table(t *table.Table) {
	grid := layout(t, p.o)
	if t.Title != "" {
		title := display.Clean(t.Title)
		if room := p.room(); room > 0 {
			title = display.Shorten(title, room)
		}
		p.line(p.paint(bold, title))
	}
	for i, row := range grid.rows {
		kind := plain
		switch {
		case i == 0 && grid.head:
			kind = dim
		case i == len(grid.rows)-1 && t.Total != nil:
			kind = bold
		}
		p.line(p.cells(grid, row, kind))
	}
	for _, note := range t.Notes {
		for _, line := range wrap(display.Clean(note), p.room()) {
			p.line(p.paint(dim, line))
		}
	}
}

// room is the width that is left of the indent; 0 is no limit.
func (p *printer) room() int {
	if p.o.Width <= 0 {
		return 0
	}
	return max(1, p.o.Width-p.o.Indent)
}

func (p *printer) line(s string) {
	if s != "" {
		p.b.WriteString(strings.Repeat(" ", max(0, p.o.Indent)))
	}
	p.b.WriteString(s)
	p.b.WriteByte('\n')
}

func (p *printer) paint(st style, s string) string {
	if !p.o.Color || st == plain || s == "" {
		return s
	}
	return string(st) + s + string(normal)
}

// cells joins a row, padding each cell but the last on its line.
func (p *printer) cells(g grid, row []string, kind style) string {
	last := len(row) - 1
	for last >= 0 && row[last] == "" {
		last--
	}
	var b strings.Builder
	for i := 0; i <= last; i++ {
		cell := row[i]
		if g.cols[i].Unit == table.Text {
			cell = display.Shorten(cell, g.widths[i])
		}
		pad := strings.Repeat(" ", max(0, g.widths[i]-display.Width(cell)))
		st := kind
		if kind == plain && g.cols[i].Unit == table.Bar {
			st = cyan
		}
		switch {
		case g.cols[i].Rightward():
			b.WriteString(pad + p.paint(st, cell))
		case i < last:
			b.WriteString(p.paint(st, cell) + pad)
		default:
			b.WriteString(p.paint(st, cell))
		}
		if i < last {
			b.WriteString(strings.Repeat(" ", gap))
		}
	}
	return b.String()
}
