package report

import (
	"strings"

	"reel/internal/display"
	"reel/render/text"
	"reel/table"
)

// table writes a table, indented. A last text column without a heading is for
// remarks: when they do not fit beside the row, they go below the table.
func (p *page) table(t *table.Table) {
	if p.markdown {
		p.markdownTable(t)
		return
	}
	o := text.Options{Width: p.Width, Color: p.Color, Indent: indent, BarWidth: p.barWidth()}
	var below []string
	last := len(t.Cols) - 1
	if last > 0 && t.Cols[last].Name == "" && t.Cols[last].Unit == table.Text && !p.fits(t, o) {
		for _, row := range t.Rows {
			if s, _ := row[last].Str(); s != "" {
				below = append(below, rowName(t, row)+": "+s)
			}
		}
		short := table.Table{Cols: t.Cols[:last], Title: t.Title, Notes: t.Notes}
		for _, row := range t.Rows {
			short.Rows = append(short.Rows, row[:last])
		}
		if t.Total != nil {
			short.Total = t.Total[:last]
		}
		t = &short
	}
	_ = text.Write(&p.Buffer, t, o) // a buffer does not fail
	for _, s := range below {
		p.note(margin, s)
	}
}

// rowName names a row in prose: "decode", "step 3".
func rowName(t *table.Table, row []table.Cell) string {
	if name, ok := row[0].Str(); ok {
		return strings.TrimSpace(name)
	}
	return t.Name + " " + t.Cols[0].Format(row[0])
}

// fits reports whether the table is narrow enough with room for its names.
func (p *page) fits(t *table.Table, o text.Options) bool {
	if p.Width <= 0 {
		return true
	}
	o.Width, o.Color = 0, false
	for line := range strings.Lines(text.String(t, o)) {
		if display.Width(strings.TrimSuffix(line, "\n")) > p.Width {
			return false
		}
	}
	return true
}
