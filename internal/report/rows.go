package report

import (
	"io"
	"strings"

	"reel/analyze"
	"reel/render/markdown"
	"reel/table"
)

// SummaryRows is a summary as one flat table for programs: a row for each rank,
// request, stage and step.
func SummaryRows(d *analyze.Document) *table.Table {
	t := table.New("summary", table.Col{Name: "rank"}, table.Col{Name: "kind", Unit: table.Text}, table.Col{Name: "request"},
		table.Col{Name: "loop"}, table.Col{Name: "index"}, table.Col{Name: "stage", Unit: table.Text}, table.Col{Name: "name", Unit: table.Text},
		table.Col{Name: "start", Unit: table.Nanoseconds}, table.Col{Name: "cpu", Unit: table.Nanoseconds},
		table.Col{Name: "gpu busy", Unit: table.Nanoseconds}, table.Col{Name: "gpu span", Unit: table.Nanoseconds},
		table.Col{Name: "gpu idle", Unit: table.Nanoseconds}, table.Col{Name: "activities"}, table.Col{Name: "launches"},
		table.Col{Name: "evidence", Unit: table.Text})
	for i := range d.Ranks {
		r := &d.Ranks[i]
		if g := r.GPU; g != nil {
			t.Add(r.Rank, "rank", nil, nil, nil, nil, deviceName(r), 0, r.Duration, g.Busy, g.Span, g.Idle, g.Activities)
		} else {
			t.Add(r.Rank, "rank", nil, nil, nil, nil, deviceName(r), 0, r.Duration)
		}
		for _, q := range r.Requests {
			t.Add(r.Rank, "request", q.Index, nil, nil, nil, q.Name, q.Start, q.Duration, nil, nil, nil, nil, nil, string(q.Evidence))
		}
		for _, s := range r.Stages {
			t.Add(r.Rank, "stage", s.Request, nil, nil, s.Stage, s.Name, s.Start, s.CPU, opt(s.GPUBusy), opt(s.GPUSpan), nil, s.Activities, nil, string(s.Evidence))
		}
		for _, s := range r.Steps {
			t.Add(r.Rank, "step", s.Request, s.Loop, s.Index, nil, s.Name, s.Start, s.CPU, opt(s.GPUBusy), opt(s.GPUSpan), opt(s.GPUIdle), s.Activities, s.Launches, string(s.Evidence))
		}
	}
	return t
}

// SummaryMarkdown writes a summary as Markdown, for a pull request: the same
// tables as Summary. The error is that of w.
func SummaryMarkdown(w io.Writer, d *analyze.Document) error {
	p := &page{markdown: true}
	p.summary(d)
	_, err := w.Write(p.Bytes())
	return err
}

// markdownTable writes a table as Markdown.
func (p *page) markdownTable(t *table.Table) {
	shown := *t
	shown.Cols = append([]table.Col(nil), t.Cols...)
	_ = markdown.Write(&p.Buffer, &shown) // a buffer does not fail
	p.line("")
}

// markdownText escapes prose.
func markdownText(s string) string {
	var b strings.Builder
	_ = markdown.Write(&b, &table.Table{Notes: []string{s}})
	return strings.TrimSpace(b.String())
}
