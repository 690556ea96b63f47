package report

import (
	"io"

	"reel/analyze"
	"reel/internal/display"
	"reel/render/markdown"
	"reel/table"
)

// Ops writes the operator table for people. The error is that of w.
func Ops(w io.Writer, r *analyze.OpsReport, o Options) error {
	p := &page{Options: o}
	t := opsTable(r, o)
	fitOps(t, o)
	p.table(t)
	_, err := w.Write(p.Bytes())
	return err
}

// OpsMarkdown writes the operator table as Markdown. The error is that of w.
func OpsMarkdown(w io.Writer, r *analyze.OpsReport) error {
	t := opsTable(r, Options{Width: 100})
	for _, row := range t.Rows {
		name, _ := row[0].Str()
		row[0] = table.Str(fitName(name, 80))
	}
	return markdown.Write(w, t)
}

// opsTable is the operator table for people: name, numbers, the share of all
// self time, and what tells rows of one name apart.
func opsTable(r *analyze.OpsReport, o Options) *table.Table {
	cols := shown(r, o)
	t := table.New("ops", table.Col{Name: "name", Unit: table.Text})
	for _, c := range cols {
		t.Cols = append(t.Cols, c.Col)
	}
	wide := o.Width >= 100 && (r.By == analyze.OpsByName || o.Width >= 200)
	if wide {
		t.Cols = append(t.Cols, table.Col{Name: map[bool]string{true: "of all device", false: "of all CPU"}[byDevice(r)], Unit: table.Bar})
	}
	if r.By != analyze.OpsByName {
		t.Cols = append(t.Cols, table.Col{Name: map[analyze.OpsBy]string{analyze.OpsByShape: "shapes", analyze.OpsByStack: "called from"}[r.By], Unit: table.Text})
	}
	for i := range r.Rows {
		row := []any{r.Rows[i].Name}
		for _, c := range cols {
			row = append(row, c.get(&r.Rows[i]))
		}
		if wide {
			row = append(row, opsShare(r, &r.Rows[i]))
		}
		if r.By != analyze.OpsByName {
			row = append(row, r.Rows[i].InputShapes+callsText(r.Rows[i].Stack, o))
		}
		t.Add(row...)
	}
	if n := r.RowsTotal - len(r.Rows); n > 0 {
		t.Note("… and %s; --limit 0 shows all", count(n, "more row", "more rows"))
	}
	total := "self CPU time " + dur(r.SelfCPU)
	if r.SelfDevice != nil {
		total += ", self device time " + dur(*r.SelfDevice)
	}
	t.Note("all rows: %s", total)
	for _, n := range r.Notes {
		t.Note("%s", n)
	}
	return t
}

// byDevice tells whether the rows are about device time, or about the host's.
func byDevice(r *analyze.OpsReport) bool {
	return r.SelfDevice != nil && r.Sort != analyze.SortSelfCPU && r.Sort != analyze.SortCPU
}

// opsShare is the row's share of all self time. Annotations on the device hold
// the work of others.
func opsShare(r *analyze.OpsReport, row *analyze.OpsRow) any {
	v, all := row.SelfCPU, r.SelfCPU
	if byDevice(r) {
		v, all = value(row.SelfDevice), *r.SelfDevice
	}
	if all <= 0 || v == 0 || row.Annotation && row.DeviceType == "device" {
		return nil
	}
	return float64(v) / float64(all)
}

// fitOps shortens the names to what the numbers leave of the width.
func fitOps(t *table.Table, o Options) {
	if o.Width <= 0 {
		return
	}
	room := o.Width - indent
	for i, c := range t.Cols[1:] {
		w := display.Width(c.Name)
		for _, row := range t.Rows {
			cell := display.Width(c.Format(row[i+1]))
			if c.Unit == table.Bar {
				cell = o.barWidth() + 2
			}
			w = max(w, cell)
		}
		if c.Unit == table.Text {
			w = min(w, max(24, o.Width*3/10))
		}
		room -= w + 2
	}
	for _, row := range t.Rows {
		name, _ := row[0].Str()
		row[0] = table.Str(fitName(name, max(12, room)))
	}
}
