package report

import (
	"fmt"

	"reel/analyze"
	"reel/internal/display"
	"reel/table"
	"reel/unit"
)

// diffTable is the rows of some kinds; nil when there are none.
func (p *page) diffTable(d *analyze.Diff, title string, kinds []analyze.DiffKind) *table.Table {
	cols := []table.Col{{Name: title, Unit: table.Text}, {Name: "A", Unit: table.Nanoseconds}, {Name: "B", Unit: table.Nanoseconds},
		{Name: "change", Unit: table.Text, Align: table.Right}, {Name: "", Unit: table.Text, Align: table.Right, Key: "percent"}}
	counts := p.wide() || p.markdown
	if counts {
		cols = append(cols, table.Col{Name: "count A", Unit: table.Count}, table.Col{Name: "B", Unit: table.Count})
	}
	if d.Tested {
		cols = append(cols, table.Col{Name: "p", Unit: table.Text, Align: table.Right})
	}
	t := table.New("diff", append(cols, table.Col{Name: "verdict", Unit: table.Text})...)
	var names []string
	for i := range d.Rows {
		r := &d.Rows[i]
		if !inKinds(kinds, r.Kind) {
			continue
		}
		row := []any{"", opt(r.A), opt(r.B), signed(r.Delta), percentText(r.Percent)}
		if counts {
			row = append(row, opt(r.ACount), opt(r.BCount))
		}
		if d.Tested {
			row = append(row, pText(r))
		}
		t.Add(append(row, verdictText(r))...)
		names = append(names, indented(r))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	room := p.nameRoom(t)
	for i, n := range names {
		t.Rows[i][0] = table.Str(fitName(n, room))
	}
	if kinds[0] == analyze.DiffOp || kinds[0] == analyze.DiffKernel {
		if n := d.Hidden(kinds[0]); n > 0 {
			t.Note("… and %s; --limit 0 shows all", count(n, "more row", "more rows"))
		}
	}
	return t
}

// indented is a row's name; what lies within another row stands in.
func indented(r *analyze.DiffRow) string {
	if r.Of != "" {
		return "  " + r.Name
	}
	return r.Name
}

func inKinds(kinds []analyze.DiffKind, k analyze.DiffKind) bool {
	for _, x := range kinds {
		if x == k {
			return true
		}
	}
	return false
}

// nameRoom is the width that the other columns leave.
func (p *page) nameRoom(t *table.Table) int {
	if p.Width <= 0 {
		return 80
	}
	room := p.Width - indent
	for i, c := range t.Cols[1:] {
		w := display.Width(c.Name)
		for _, row := range t.Rows {
			w = max(w, display.Width(c.Format(row[i+1])))
		}
		room -= w + 2
	}
	return max(12, room)
}

// verdictText marks regressions, and changes of the count where the time stayed.
func verdictText(r *analyze.DiffRow) string {
	switch {
	case r.Regression:
		return string(r.Verdict) + " !"
	case r.Verdict == analyze.DiffSame && r.ACount != nil && r.BCount != nil && *r.ACount != *r.BCount:
		return fmt.Sprintf("count %s", signedCount(*r.BCount-*r.ACount))
	}
	return string(r.Verdict)
}

// signed is a difference of times: "+105 ms"; nothing where there is none.
func signed(ns int64) string {
	switch {
	case ns > 0:
		return "+" + dur(ns)
	case ns == 0:
		return ""
	}
	return dur(ns)
}

func signedCount(n int64) string {
	if n > 0 {
		return "+" + unit.Count(n).String()
	}
	return "-" + unit.Count(-n).String()
}

func percentText(p *float64) string {
	switch {
	case p == nil || *p == 0:
		return ""
	case *p >= 1000:
		return fmt.Sprintf("%.0f×", 1+*p/100)
	}
	return fmt.Sprintf("%+.1f %%", *p)
}

// pText is the probability that decides.
func pText(r *analyze.DiffRow) string {
	switch {
	case r.PHolm != nil:
		return probability(*r.PHolm)
	case r.P != nil:
		return probability(*r.P)
	}
	return ""
}

func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// DiffRows is a comparison as one flat table for programs.
func DiffRows(d *analyze.Diff) *table.Table {
	t := table.New("diff", table.Col{Name: "kind", Unit: table.Text}, table.Col{Name: "name", Unit: table.Text},
		table.Col{Name: "a", Unit: table.Nanoseconds}, table.Col{Name: "b", Unit: table.Nanoseconds}, table.Col{Name: "delta", Unit: table.Nanoseconds},
		table.Col{Name: "delta", Unit: table.Percent}, table.Col{Name: "a count"}, table.Col{Name: "b count"}, table.Col{Name: "verdict", Unit: table.Text},
		table.Col{Name: "gated"}, table.Col{Name: "regression"}, table.Col{Name: "p"}, table.Col{Name: "p holm"})
	for i := range d.Rows {
		r := &d.Rows[i]
		t.Add(string(r.Kind), r.Name, opt(r.A), opt(r.B), r.Delta, optFloat(r.Percent), opt(r.ACount), opt(r.BCount), string(r.Verdict),
			flag(r.Gated), flag(r.Regression), optFloat(r.P), optFloat(r.PHolm))
	}
	return t
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func optFloat(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}
