package html

import (
	"fmt"
	"strconv"

	"reel/analyze"
	"reel/internal/display"
	"reel/unit"
)

// ranksFacts says what the ranks ran on.
func (p *page) ranksFacts(d *analyze.Document) {
	said := func(word, many string, of func(r *analyze.RankSummary) string) string {
		set := map[string]bool{}
		single := ""
		for i := range d.Ranks {
			if v := of(&d.Ranks[i]); v != "" {
				set[v], single = true, word+v
			}
		}
		if len(set) > 1 {
			return strconv.Itoa(len(set)) + " " + many
		}
		return single
	}
	start := ""
	if d.Clock != nil {
		start = began(&d.Clock.Start)
	}
	for _, f := range []string{said("", "kinds of device", deviceName), said("host ", "hosts", func(r *analyze.RankSummary) string { return r.Host }),
		said("", "producers", func(r *analyze.RankSummary) string { return r.Producer }), start} {
		if f != "" {
			p.Facts = append(p.Facts, display.Clean(f))
		}
	}
}

// ranksFigures are the extremes over ranks.
func (p *page) ranksFigures(d *analyze.Document) {
	var least, most, longest *analyze.RankSummary
	var steps []analyze.StepInfo
	for i := range d.Ranks {
		r := &d.Ranks[i]
		steps = append(steps, r.Steps...)
		if r.GPU == nil {
			continue
		}
		if least == nil || r.GPU.BusyPercent < least.GPU.BusyPercent {
			least = r
		}
		if most == nil || r.GPU.BusyPercent > most.GPU.BusyPercent {
			most = r
		}
		if longest == nil || r.GPU.Span > longest.GPU.Span {
			longest = r
		}
	}
	card := func(label string, r *analyze.RankSummary) figure {
		return figure{label, "rank " + strconv.Itoa(r.Rank), shareText(r.GPU.Busy, r.GPU.Span) + " of " + ns(r.GPU.Span), share(r.GPU.Busy, r.GPU.Span, "busy")}
	}
	if most != nil {
		p.Figures = append(p.Figures, figure{"longest on the device", ns(longest.GPU.Span), "rank " + strconv.Itoa(longest.Rank), nil},
			card("busiest", most), card("least busy", least))
	}
	if len(steps) > 0 {
		p.Figures = append(p.Figures, figure{"steady step", ns(medianTook(steady(steps))), "median over all ranks", nil})
	}
	if c := d.Clock; c != nil {
		p.Figures = append(p.Figures, figure{"first events apart", ns(c.Spread), "from the first rank to the last", nil})
	}
}

// ranksPart has a row for each rank: what its device did.
func ranksPart(d *analyze.Document) part {
	g := &grid{Sorts: true, Heads: []head{{"rank", "num"}, {"device", "bar"}, {"busy", "num"}, {"span", "num"}, {"compute", "num"},
		{"communication", "num"}, {"exposed", "num"}, {"copies", "num"}, {"idle", "num"}, {"overlap", "num"}}}
	longest := int64(1)
	for i := range d.Ranks {
		if u := d.Ranks[i].GPU; u != nil {
			longest = max(longest, u.Span)
		}
	}
	for i := range d.Ranks {
		r := &d.Ranks[i]
		row := []cell{{Text: strconv.Itoa(r.Rank), Value: strconv.Itoa(r.Rank)}}
		u := r.GPU
		if u == nil {
			g.add(append(row, cell{Text: "no device activity"}))
			continue
		}
		overlap := cell{}
		if v := u.CommOverlapPercent; v != nil {
			overlap = cell{Text: unit.Percent(*v).String(), Value: fmt.Sprint(*v)}
		}
		g.Rows = append(g.Rows, append(row, cell{Bar: composition(u, longest), Value: strconv.FormatInt(u.Busy, 10)}, shareCell(u.Busy, u.Span),
			dur(u.Span), dur(u.Compute), dur(u.Comm), dur(u.ExposedComm), dur(u.Copy), dur(u.Idle), overlap))
	}
	return part{Title: "Ranks", Note: "Bars are on one scale. “Exposed” is communication that no computation hides, “overlap” the share that one does.",
		Bar: &bar{Legend: compositionNames}, Grid: g}
}

// totalsParts are measures over all ranks together.
func totalsParts(t *analyze.Totals) []part {
	if t == nil || len(t.Stages) == 0 && t.Steps == nil {
		return nil
	}
	g := &grid{Heads: []head{{"", "text"}, {"runs", "num"}, {"median", "num"}, {"90th percentile", "num"}, {"99th percentile", "num"}, {"longest", "num"}, {"device, median", "num"}, {"device, longest", "num"}},
		Notes: []string{fmt.Sprintf("Times are the host's; quantiles are within %.1f %%.", t.QuantileError)}}
	add := func(what string, x *analyze.TimesTotal) {
		row := []cell{text(what), number(x.CPU.Count), dur(x.CPU.P50), optDur(x.CPU.P90), optDur(x.CPU.P99), dur(x.CPU.Max)}
		if x.GPUBusy != nil {
			row = append(row, dur(x.GPUBusy.P50), dur(x.GPUBusy.Max))
		}
		g.add(row)
	}
	for i := range t.Stages {
		add(t.Stages[i].Stage, &t.Stages[i].TimesTotal)
	}
	if t.Steps != nil {
		add("step", t.Steps)
	}
	return []part{{Title: "Stages and steps of all ranks", Grid: g}}
}
