package report

import (
	"fmt"
	"io"
	"strings"

	"reel/analyze"
)

// Diff writes a comparison for people: requests, stages and steps in the order of the
// run, then operators and kernels, most changed first, then what the gate says. The
// error is that of w.
func Diff(w io.Writer, d *analyze.Diff, o Options) error {
	p := &page{Options: o}
	p.diff(d)
	_, err := w.Write(p.Bytes())
	return err
}

// DiffMarkdown writes the same as Markdown, for a pull request. The error is that of w.
func DiffMarkdown(w io.Writer, d *analyze.Diff) error {
	p := &page{markdown: true}
	p.diff(d)
	_, err := w.Write(p.Bytes())
	return err
}

func (p *page) diff(d *analyze.Diff) {
	p.title(Gate(d))
	p.joined("", 0, []string{"A  " + sideText(d.A)})
	p.joined("", 0, []string{"B  " + sideText(d.B)})
	for _, part := range []struct {
		title string
		kinds []analyze.DiffKind
	}{
		{"the run", []analyze.DiffKind{analyze.DiffRequest, analyze.DiffStage, analyze.DiffStep, analyze.DiffPhase}},
		{"operator (self time)", []analyze.DiffKind{analyze.DiffOp}},
		{"kernel", []analyze.DiffKind{analyze.DiffKernel}},
	} {
		if t := p.diffTable(d, part.title, part.kinds); t != nil {
			p.gap()
			p.table(t)
		}
	}
	p.gap()
	for _, r := range Regressions(d) {
		p.note("", r)
	}
	if !d.Tested {
		p.note("", d.Why+fmt.Sprintf(": thresholds alone decide, %d runs a side are needed to tell a change from noise", analyze.EnoughRuns))
	}
	for _, n := range d.Notes {
		p.note("", n)
	}
	if len(d.Rows) == 0 {
		p.note("", "nothing to compare: no request, stage, step, operator or kernel on either side")
	}
}

// Gate is the outcome in a sentence.
func Gate(d *analyze.Diff) string {
	switch d.Regressions {
	case 0:
		return "no regression"
	case 1:
		return "1 regression"
	}
	return fmt.Sprintf("%d regressions", d.Regressions)
}

// Regressions says of each regression what it is; and of what is slower, but by too
// little, that it is none.
func Regressions(d *analyze.Diff) (list []string) {
	var small []string
	for i := range d.Rows {
		r := &d.Rows[i]
		switch {
		case r.Regression:
			list = append(list, regressionText(r))
		case r.Gated && r.Verdict == analyze.DiffSlower:
			small = append(small, fmt.Sprintf("%s (less than %s)", rowTitle(r), dur(d.Thresholds[string(r.Kind)].MinDelta)))
		}
	}
	if len(small) > 0 {
		list = append(list, "slower, but by too little to be a regression (--min-delta): "+strings.Join(small, ", "))
	}
	return list
}

func regressionText(r *analyze.DiffRow) string {
	what := "slower by"
	if r.Verdict == analyze.DiffAdded {
		what = "new, and takes"
	}
	s := fmt.Sprintf("%s: %s %s", rowTitle(r), what, dur(r.Delta))
	if r.Percent != nil {
		s += fmt.Sprintf(" (%s)", percentText(r.Percent))
	}
	if r.Impact() != r.Delta {
		s += fmt.Sprintf(", %s a request", dur(r.Impact()))
	}
	if r.PHolm != nil {
		s += ", p " + probability(*r.PHolm)
	}
	return s
}

// rowTitle names a row in prose.
func rowTitle(r *analyze.DiffRow) string {
	if r.Kind == analyze.DiffStage || r.Kind == analyze.DiffPhase {
		return string(r.Kind) + " " + r.Name
	}
	return r.Name
}

func sideText(s analyze.DiffSide) string {
	if len(s.Runs) == 0 {
		return "no run"
	}
	r := s.Runs[0]
	parts := []string{r.Path}
	if n := len(s.Runs); n > 1 {
		parts[0] = fmt.Sprintf("%s and %s", r.Path, count(n-1, "more run", "more runs"))
	}
	if r.Device != "" {
		parts = append(parts, r.Device)
	}
	if r.Ranks > 1 {
		parts = append(parts, count(r.Ranks, "rank", "ranks"))
	}
	if r.Requests > 0 {
		parts = append(parts, count(r.Requests, "request", "requests"))
	}
	if r.Steps > 0 {
		parts = append(parts, count(r.Steps, "step", "steps"))
	}
	return strings.Join(parts, " · ")
}
