// Package markdown renders tables as GitHub-flavoured Markdown, for pull
// requests and reports. Numbers are written for people; texts from traces are
// escaped so that they can neither break the table nor format it.
package markdown

import (
	"bufio"
	"io"
	"strings"

	"reel/internal/display"
	"reel/table"
)

// Write renders t to w: the title as a bold line, the grid with the total in bold, the notes as
// lines below. Absent cells are blank, bars are shares in percent. The error is that of w.
func Write(w io.Writer, t *table.Table) error {
	b := bufio.NewWriter(w)
	if t.Title != "" {
		b.WriteString("**" + escape(t.Title) + "**\n\n")
	}
	if len(t.Cols) > 0 {
		grid(b, t)
	}
	for _, note := range t.Notes {
		b.WriteString("\n" + escape(note) + "\n")
	}
	return b.Flush()
}

func grid(b *bufio.Writer, t *table.Table) {
	cells := make([]string, len(t.Cols))
	for i, c := range t.Cols {
		cells[i] = escape(c.Name)
	}
	line(b, cells)
	for i, c := range t.Cols {
		cells[i] = "---"
		if c.Rightward() || c.Unit == table.Bar && c.Align == table.Auto {
			cells[i] = "---:"
		}
	}
	line(b, cells)
	for _, row := range t.Rows {
		for i, c := range t.Cols {
			cells[i] = cell(c, row, i)
		}
		line(b, cells)
	}
	if t.Total == nil {
		return
	}
	for i, c := range t.Cols {
		if cells[i] = cell(c, t.Total, i); cells[i] != "" {
			cells[i] = "**" + cells[i] + "**"
		}
	}
	line(b, cells)
}

func cell(c table.Col, row []table.Cell, i int) string {
	if i >= len(row) {
		return ""
	}
	return escape(c.Format(row[i]))
}

func line(b *bufio.Writer, cells []string) {
	for _, c := range cells {
		b.WriteString("| " + c)
		if c != "" {
			b.WriteByte(' ')
		}
	}
	b.WriteString("|\n")
}

// special are the characters that Markdown or the HTML within it acts on in
// running text. A backslash before each makes it a character again.
const special = "\\`*_[]<>|~&#@$"

// escape makes s plain text within a cell. An "@" becomes an entity, because a
// backslash would still mention a user of that name.
func escape(s string) string {
	s = strings.TrimSpace(display.Clean(s))
	if !strings.ContainsAny(s, special) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '@':
			b.WriteString("&#64;")
			continue
		case strings.ContainsRune(special, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
