package nsysstats

import (
	"bufio"
	"io"
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

func (r *Report) grid(b *bufio.Writer, width int) {
	widths := make([]int, len(r.Cols))
	for i, c := range r.Cols {
		widths[i] = len(c.Head)
	}
	for k := range r.Len {
		row := r.Row(k)
		for i, c := range r.Cols {
			widths[i] = max(widths[i], display.Width(c.shown(row[i])))
		}
	}
	r.fit(widths, width)
	line := func(cells func(i int, c Col) string) {
		var s strings.Builder
		for i, c := range r.Cols {
			if i > 0 {
				s.WriteString(gap)
			}
			s.WriteString(cells(i, c))
		}
		b.WriteString(" " + strings.TrimRight(s.String(), " ") + "\n")
	}
	line(func(i int, c Col) string {
		free := widths[i] - len(c.Head)
		return strings.Repeat(" ", free/2) + c.Head + strings.Repeat(" ", free-free/2)
	})
	line(func(i int, _ Col) string { return strings.Repeat("-", widths[i]) })
	for k := range r.Len {
		row := r.Row(k)
		line(func(i int, c Col) string {
			s := c.shown(row[i])
			if c.Digits == text {
				s = display.Shorten(s, widths[i])
				return s + strings.Repeat(" ", max(0, widths[i]-display.Width(s)))
			}
			return strings.Repeat(" ", max(0, widths[i]-display.Width(s))) + s
		})
	}
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

// shown is a cell for people.
func (c Col) shown(cell table.Cell) string {
	if c.Digits == text {
		return display.Clean(c.raw(cell))
	}
	return commas(c.raw(cell))
}

// commas puts commas between groups of three digits before the point.
func commas(num string) string {
	whole, rest, point := strings.Cut(num, ".")
	sign := ""
	if w, ok := strings.CutPrefix(whole, "-"); ok {
		sign, whole = "-", w
	}
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if point {
		return sign + b.String() + "." + rest
	}
	return sign + b.String()
}
