package html

import (
	"bufio"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"reel/analyze"
	"reel/internal/display"
	"reel/unit"
)

// WriteDiff writes the page of a comparison. The error is that of w.
func WriteDiff(w io.Writer, d *analyze.Diff) error {
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, newDiffPage(d)); err != nil {
		return err
	}
	return b.Flush()
}

func newDiffPage(d *analyze.Diff) *page {
	p := &page{Kind: "comparison", Title: "No regression", Style: template.CSS(styleText), Script: template.JS(scriptText), Policy: policy()}
	if d.Regressions > 0 {
		p.Title = count(d.Regressions, "regression", "regressions")
	}
	p.Facts = []string{"A: " + sideText(d.A), "B: " + sideText(d.B)}
	if !d.Tested {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: thresholds alone decide, %d runs a side are needed to tell a change from noise", d.Why, analyze.EnoughRuns))
	}
	for _, n := range d.Notes {
		p.Warnings = append(p.Warnings, display.Clean(n))
	}
	for i := range d.Rows {
		if r := &d.Rows[i]; r.Regression {
			p.Findings = append(p.Findings, regression(r, d.Thresholds[string(r.Kind)]))
		}
	}
	for _, part := range []struct {
		title string
		kinds []analyze.DiffKind
	}{
		{"The run", []analyze.DiffKind{analyze.DiffRequest, analyze.DiffStage, analyze.DiffStep, analyze.DiffPhase}},
		{"Operators: self time on the host", []analyze.DiffKind{analyze.DiffOp}},
		{"Kernels", []analyze.DiffKind{analyze.DiffKernel}},
	} {
		if g := diffGrid(d, part.kinds); len(g.Rows) > 0 {
			p.Parts = append(p.Parts, partOf(part.title, g))
		}
	}
	if len(p.Parts) == 0 {
		p.Message = "There is nothing to compare."
	}
	return p
}

func partOf(title string, g *grid) part { return part{Title: title, Grid: g} }

func sideText(s analyze.DiffSide) string {
	if len(s.Runs) == 0 {
		return "no run"
	}
	more := ""
	if n := len(s.Runs); n > 1 {
		more = count(n-1, "more run", "more runs")
	}
	r := s.Runs[0]
	return display.Clean(joined(r.Path, more, r.Device, count(r.Ranks, "rank", "ranks")))
}

func regression(r *analyze.DiffRow, t analyze.DiffThreshold) finding {
	f := finding{Severity: string(analyze.SeverityWarn), Title: display.Clean(string(r.Kind) + " " + r.Name), ID: "regression", Cost: "+" + ns(r.Delta)}
	if r.Kind == analyze.DiffRequest || r.Kind == analyze.DiffStep {
		f.Title = display.Clean(r.Name)
	}
	f.Where = fmt.Sprintf("beyond %s and %s", unit.Percent(t.Percent), ns(t.MinDelta))
	if r.PHolm != nil {
		f.Where += fmt.Sprintf(", p %.2g over all rows that are tested", *r.PHolm)
	}
	return f
}

// diffGrid is the rows of some kinds.
func diffGrid(d *analyze.Diff, kinds []analyze.DiffKind) *grid {
	g := &grid{Sorts: true, Heads: []head{{"name", "text"}, {"A", "num"}, {"B", "num"}, {"change", "num"}, {"%", "num"}, {"count A", "num"}, {"count B", "num"}, {"p", "num"}, {"verdict", "text"}}}
	hidden := 0
	for _, k := range kinds {
		hidden += d.Hidden(k)
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if !in(kinds, r.Kind) {
			continue
		}
		change, percent, p := dur(r.Delta), cell{}, cell{}
		if r.Delta > 0 {
			change.Text = "+" + change.Text
		}
		if r.Percent != nil {
			percent = cell{Text: fmt.Sprintf("%+.1f", *r.Percent), Value: strconv.FormatFloat(*r.Percent, 'g', 6, 64)}
		}
		if v := r.PHolm; v != nil {
			p = cell{Text: fmt.Sprintf("%.2g", *v), Value: strconv.FormatFloat(*v, 'g', 6, 64)}
		} else if v := r.P; v != nil {
			p = cell{Text: fmt.Sprintf("%.2g", *v), Value: strconv.FormatFloat(*v, 'g', 6, 64)}
		}
		verdict := text(string(r.Verdict))
		if r.Regression {
			verdict.Note = "regression"
		}
		g.add([]cell{name(r.Name), optDur(r.A), optDur(r.B), change, percent, optNumber(r.ACount), optNumber(r.BCount), p, verdict})
	}
	if hidden > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("%s are left out.", count(hidden, "more row", "more rows")))
	}
	return g
}

func in(kinds []analyze.DiffKind, k analyze.DiffKind) bool {
	for _, x := range kinds {
		if x == k {
			return true
		}
	}
	return false
}

func optNumber(v *int64) cell {
	if v == nil {
		return cell{}
	}
	return number(*v)
}
