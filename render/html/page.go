package html

import (
	"fmt"
	"html/template"
	"strconv"
	"time"

	"reel/analyze"
	"reel/internal/display"
	"reel/unit"
)

// shownDetails bounds the ranks that are shown one by one.
const shownDetails = 32

func newPage(d *analyze.Document, ops []*analyze.OpsReport) *page {
	p := &page{Kind: "summary", Title: "Nothing to show", Style: template.CSS(styleText), Script: template.JS(scriptText), Policy: policy()}
	for _, w := range d.Warnings {
		p.Warnings = append(p.Warnings, display.Clean(w))
	}
	p.findings(d)
	p.files(d)
	switch len(d.Ranks) {
	case 0:
		p.Message = "There is no rank in this summary."
	case 1:
		p.single(d, reportOf(ops, 0))
	default:
		p.several(d, ops)
	}
	return p
}

func reportOf(ops []*analyze.OpsReport, i int) *analyze.OpsReport {
	if i < len(ops) {
		return ops[i]
	}
	return nil
}

// files names what was read.
func (p *page) files(d *analyze.Document) {
	for i, s := range d.Sources {
		if i == shownDetails && len(d.Sources) > shownDetails+1 {
			p.Files = append(p.Files, count(len(d.Sources)-i, "more file", "more files"))
			break
		}
		size := ""
		if s.Bytes > 0 {
			size = unit.Bytes(s.Bytes).String()
		}
		state := ""
		switch {
		case s.MissingPercent > 0:
			state = unit.Percent(s.MissingPercent).String() + " of it is missing"
		case !s.Complete:
			state = "it is cut"
		}
		p.Files = append(p.Files, display.Clean(joined(s.Path, s.Format, size, count(int(s.Events), "event", "events"), state)))
	}
}

func (p *page) findings(d *analyze.Document) {
	for _, f := range d.Findings {
		g := finding{Severity: string(f.Severity), Title: display.Clean(f.Title), ID: f.ID, Remedy: display.Clean(f.Remedy)}
		if f.Cost != nil {
			g.Cost = "up to " + ns(*f.Cost)
		}
		if at := f.Where; at != nil {
			rank, step := "", ""
			if at.Rank != nil {
				rank = "rank " + strconv.Itoa(*at.Rank)
			}
			if at.Step != nil {
				step = "step " + strconv.Itoa(*at.Step)
			}
			g.Where = display.Clean(joined(rank, at.Stage, step, at.Call))
		}
		p.Findings = append(p.Findings, g)
	}
}

// single is the page of one rank.
func (p *page) single(d *analyze.Document, ops *analyze.OpsReport) {
	r := &d.Ranks[0]
	p.Title = display.Clean(deviceName(r))
	if p.Title == "" {
		p.Title = "Host only"
	}
	host := ""
	if r.Host != "" {
		host = "host " + r.Host
	}
	for _, f := range []string{"rank " + strconv.Itoa(r.Rank), host, joined(r.Producer, d.Sources[0].Path), began(r.StartUnix)} {
		if f != "" {
			p.Facts = append(p.Facts, display.Clean(f))
		}
	}
	p.rankFigures(r)
	p.Parts = rankParts(r, ops)
}

// began is the date of the first event.
func began(unix *int64) string {
	if unix == nil {
		return ""
	}
	return time.Unix(0, *unix).UTC().Format("2006-01-02 15:04:05 UTC")
}

// rankFigures are the cards of one rank.
func (p *page) rankFigures(r *analyze.RankSummary) {
	if g := r.GPU; g != nil {
		p.Figures = append(p.Figures,
			figure{"on the device", ns(g.Span), count(g.Activities, "activity", "activities"), nil},
			figure{"device busy", shareText(g.Busy, g.Span), ns(g.Busy), share(g.Busy, g.Span, "busy")},
			figure{"device idle", shareText(g.Idle, g.Span), ns(g.Idle), share(g.Idle, g.Span, "idle")})
		if g.Comm > 0 {
			p.Figures = append(p.Figures, figure{"exposed comm", ns(g.ExposedComm), "of " + ns(g.Comm), share(g.ExposedComm, g.Comm, "comm")})
		}
	} else {
		p.Figures = append(p.Figures, figure{"on the host", ns(r.Duration), "no device activity recorded", nil})
	}
	if n := len(r.Requests); n > 1 {
		p.Figures = append(p.Figures, figure{"median request", ns(r.Requests[typical(r.Requests)].Duration), count(n, "request", "requests"), nil})
	} else if n == 1 {
		p.Figures = append(p.Figures, figure{"request", ns(r.Requests[0].Duration), "on the host", nil})
	}
	if len(r.Steps) > 0 {
		p.Figures = append(p.Figures, figure{"steady step", ns(medianTook(steady(r.Steps))), "median; " + count(len(r.Steps), "step", "steps"), nil})
	}
}

// several is the page of many ranks.
func (p *page) several(d *analyze.Document, ops []*analyze.OpsReport) {
	n := d.RankCount()
	p.Title = count(n, "rank", "ranks")
	if n == 1 {
		p.Title = count(len(d.Ranks), "recording", "recordings") + " of one rank"
	}
	if d.WorldSize != nil && *d.WorldSize != n {
		p.Title = fmt.Sprintf("%d of %d ranks", n, *d.WorldSize)
	}
	p.ranksFacts(d)
	p.ranksFigures(d)
	p.Parts = append(p.Parts, ranksPart(d))
	p.Parts = append(p.Parts, totalsParts(d.Totals)...)
	for i := range d.Ranks {
		r := &d.Ranks[i]
		if i == shownDetails {
			p.Parts[0].Grid.Notes = append(p.Parts[0].Grid.Notes, fmt.Sprintf("The first %d ranks follow one by one.", shownDetails))
			break
		}
		note := ns(r.Duration) + " on the host"
		if r.GPU != nil {
			note = ns(r.GPU.Span) + " on the device, busy " + shareText(r.GPU.Busy, r.GPU.Span)
		}
		p.Details = append(p.Details, detail{Title: "rank " + strconv.Itoa(r.Rank), Note: note, Parts: rankParts(r, reportOf(ops, i))})
	}
}
