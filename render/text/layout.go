package text

import (
	"math"
	"strings"

	"reel/internal/display"
	"reel/table"
)

// grid is a table turned into clean texts with a width for each column.
type grid struct {
	cols   []table.Col
	rows   [][]string // headings first when head is set, total last
	widths []int
	head   bool
}

// layout formats every cell and fits the columns.
func layout(t *table.Table, o Options) grid {
	g := grid{cols: t.Cols, widths: make([]int, len(t.Cols))}
	heads := make([]string, len(t.Cols))
	for i, c := range t.Cols {
		heads[i] = display.Clean(c.Name)
		g.head = g.head || c.Name != ""
	}
	if g.head {
		g.rows = append(g.rows, heads)
	}
	all := t.Rows
	if t.Total != nil {
		all = append(all[:len(all):len(all)], t.Total)
	}
	for _, row := range all {
		out := make([]string, len(t.Cols))
		for i := range min(len(row), len(t.Cols)) {
			out[i] = format(t.Cols[i], row[i], o)
		}
		g.rows = append(g.rows, out)
	}
	for _, row := range g.rows {
		for i, cell := range row {
			g.widths[i] = max(g.widths[i], display.Width(cell))
		}
	}
	if o.Width > 0 {
		g.fit(o.Width - o.Indent)
	}
	return g
}

func format(c table.Col, cell table.Cell, o Options) string {
	if f, ok := cell.Float(); ok && c.Unit == table.Bar {
		width := o.BarWidth
		if width <= 0 {
			width = defaultBar
		}
		return Bar(f, width)
	}
	return display.Clean(c.Format(cell))
}

// fit takes cells off the widest text column, one after the other, until a row
// fits or every text column is at its least.
func (g *grid) fit(room int) {
	total := gap * (len(g.widths) - 1)
	for _, w := range g.widths {
		total += w
	}
	for total > room {
		widest, second := -1, minText
		for i, c := range g.cols {
			if c.Unit != table.Text || g.widths[i] <= minText {
				continue
			}
			switch {
			case widest < 0:
				widest = i
			case g.widths[i] > g.widths[widest]:
				second, widest = max(second, g.widths[widest]), i
			default:
				second = max(second, g.widths[i])
			}
		}
		if widest < 0 {
			return
		}
		cut := min(total-room, max(1, g.widths[widest]-second))
		g.widths[widest] -= cut
		total -= cut
	}
}

// Bar draws a fraction from 0 to 1 as a bar of width cells between two edges,
// to an eighth of a cell ("▕███▌░░░░▏"). Fractions outside are drawn as the
// nearest end, NaN as 0; what is more than 0 shows at least an eighth, and what is
// less than 1 leaves one open.
func Bar(fraction float64, width int) string {
	width = max(width, 1)
	eighths := int(math.Round(max(0, min(1, fraction)) * float64(8*width)))
	switch {
	case !(fraction > 0):
		eighths = 0
	case eighths == 0:
		eighths = 1
	case fraction < 1 && eighths == 8*width:
		eighths--
	}
	var b strings.Builder
	b.WriteRune('▕')
	b.WriteString(strings.Repeat("█", eighths/8))
	rest := width - eighths/8
	if part := eighths % 8; part > 0 {
		b.WriteRune([]rune("▏▎▍▌▋▊▉")[part-1])
		rest--
	}
	b.WriteString(strings.Repeat("░", rest))
	b.WriteRune('▏')
	return b.String()
}

// wrap breaks s at spaces into lines of at most width cells; 0 is no limit. A word that is
// wider stands on a line of its own.
func wrap(s string, width int) []string {
	if width <= 0 || display.Width(s) <= width {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case display.Width(line)+1+display.Width(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
