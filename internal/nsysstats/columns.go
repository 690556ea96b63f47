package nsysstats

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"

	"reel/internal/display"
	"reel/table"
)

// minWords is the least width that a column of words is cut to.
const minWords = 24

// WriteColumns writes reports in nsys' layout for people: centred headings over
// lines, numbers with commas on the right, names on the left. Names are cut in their
// middle where a row is wider than width cells (0 is no limit), but not below 24
// cells; numbers are never cut. The error is that of w.
func WriteColumns(w io.Writer, reports []*Report, width int) error {
	b := bufio.NewWriter(w)
	for i, r := range reports {
		if i > 0 {
			b.WriteByte('\n')
		}
		if r.Skipped != "" {
			b.WriteString("SKIPPED: " + display.Clean(r.Skipped) + "\n")
			continue
		}
		b.WriteString(" ** " + r.Title + " (" + r.Name + "):\n\n")
		r.grid(b, width)
		for i, n := range r.Notes {
			if i == 0 {
				b.WriteByte('\n')
			}
			b.WriteString(" note: " + display.Clean(n) + "\n")
		}
	}
	return b.Flush()
}

// gap stands between columns.
const gap = "  "

// grid writes the rows, of which there may be millions: a line is put together in place.
func (r *Report) grid(b *bufio.Writer, width int) {
	widths := make([]int, len(r.Cols))
	for i, c := range r.Cols {
		widths[i] = len(c.Head)
	}
	var cell []byte
	for k := range r.Len {
		row := r.Row(k)
		for i, c := range r.Cols {
			if c.Digits == text {
				widths[i] = max(widths[i], display.Width(c.words(row[i])))
				continue
			}
			cell = c.number(cell[:0], row[i])
			widths[i] = max(widths[i], len(cell))
		}
	}
	r.fit(widths, width)
	r.heads(b, widths)
	var line []byte
	for k := range r.Len {
		row := r.Row(k)
		line = line[:0]
		for i, c := range r.Cols {
			line = append(line, between(i)...)
			if c.Digits == text {
				s := display.Shorten(c.words(row[i]), widths[i])
				line = blanks(append(line, s...), widths[i]-display.Width(s))
				continue
			}
			cell = c.number(cell[:0], row[i])
			line = append(blanks(line, widths[i]-len(cell)), cell...)
		}
		writeLine(b, line)
	}
}

// heads writes the headings over lines.
func (r *Report) heads(b *bufio.Writer, widths []int) {
	var head, rule []byte
	for i, c := range r.Cols {
		free := widths[i] - len(c.Head)
		head = append(blanks(append(head, between(i)...), free/2), c.Head...)
		head = blanks(head, free-free/2)
		rule = append(append(rule, between(i)...), strings.Repeat("-", widths[i])...)
	}
	writeLine(b, head)
	writeLine(b, rule)
}

// between stands before column i: a margin before the first.
func between(i int) string {
	if i == 0 {
		return " "
	}
	return gap
}

func blanks(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

// writeLine writes a line without the blanks at its end.
func writeLine(b *bufio.Writer, line []byte) {
	b.Write(bytes.TrimRight(line, " "))
	b.WriteByte('\n')
}

// fit takes what a row is too wide off the widest columns of words.
func (r *Report) fit(widths []int, width int) {
	if width <= 0 {
		return
	}
	total := 1 + len(gap)*(len(widths)-1)
	for _, w := range widths {
		total += w
	}
	for total > width {
		widest := -1
		for i, c := range r.Cols {
			if c.Digits == text && widths[i] > minWords && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		cut := min(total-width, widths[widest]-minWords)
		widths[widest] -= cut
		total -= cut
	}
}

// words is a cell of words for people.
func (c Col) words(cell table.Cell) string { return display.Clean(c.raw(cell)) }

// number appends a number for people: with commas between groups of three digits before
// the point.
func (c Col) number(b []byte, cell table.Cell) []byte {
	from := len(b)
	b = c.digits(b, cell)
	end := from // of the digits before the point
	for end < len(b) && b[end] != '.' {
		end++
	}
	if from < end && b[from] == '-' {
		from++
	}
	for at := end - 3; at > from; at -= 3 {
		b = slices.Insert(b, at, ',')
	}
	return b
}
