package report

import (
	"fmt"
	"slices"
	"strconv"

	"reel/analyze"
	"reel/table"
)

// shownSkew bounds the rows of the table of steps, those in which ranks differ most.
const shownSkew = 8

// skew compares the ranks step by step.
func (p *page) skew(d *analyze.Document) {
	s := d.Skew
	if s == nil || !slices.ContainsFunc(s.Rows, func(r analyze.SkewRow) bool { return r.Max > r.Min || r.StartSpread != nil && *r.StartSpread > 0 }) {
		return
	}
	p.gap()
	rows := slices.Clone(s.Rows)
	if len(rows) > shownSkew+1 {
		slices.SortStableFunc(rows, func(a, b analyze.SkewRow) int { return int(min(1, max(-1, (b.Max-b.Median)-(a.Max-a.Median)))) })
		rows = rows[:shownSkew]
	}
	t := table.New("skew", table.Col{Name: s.Unit, Unit: table.Text}, table.Col{Name: "median rank", Unit: table.Nanoseconds},
		table.Col{Name: "fastest", Unit: table.Nanoseconds}, table.Col{Name: "rank", Unit: table.None},
		table.Col{Name: "slowest", Unit: table.Nanoseconds}, table.Col{Name: "rank", Unit: table.None},
		table.Col{Name: "starts last", Unit: table.None}, table.Col{Name: "late by", Unit: table.Nanoseconds})
	for i := range rows {
		r := &rows[i]
		var last any
		if r.LastToStart != nil {
			last = *r.LastToStart
		}
		t.Add(fitName(skewName(r), 24), r.Median, r.Min, r.Fastest, r.Max, r.Slowest, last, opt(r.StartSpread))
	}
	if n := len(s.Rows) - len(rows); n > 0 {
		t.Note("the %d in which the ranks differ most; --json has the other %d", len(rows), n)
	}
	if len(s.Rows) > 1 && s.LongerPercent >= 1 {
		t.Note("slowest on the whole: rank %d, %.0f %% longer than the median rank", s.Slowest, s.LongerPercent)
	}
	p.table(t)
}

// skewName is what a step is called beside others: its loop where it is not the first.
func skewName(r *analyze.SkewRow) string {
	switch {
	case r.Index == nil && r.Name != "":
		return r.Name
	case r.Index == nil:
		return strconv.Itoa(r.Request)
	}
	name := strconv.Itoa(*r.Index)
	if *r.Loop > 0 {
		name = "loop " + strconv.Itoa(*r.Loop) + " " + name
	}
	if r.Request > 0 {
		name = "request " + strconv.Itoa(r.Request) + " " + name
	}
	return name
}

// waits says who waits for whom.
func (p *page) waits(d *analyze.Document) {
	w := d.Waits
	if w == nil || !slices.ContainsFunc(w.Ranks, func(r analyze.RankWait) bool { return r.Waited > 0 }) {
		return
	}
	p.gap()
	t := table.New("waits", table.Col{Name: "rank", Unit: table.None}, table.Col{Name: "waits for others", Unit: table.Nanoseconds},
		table.Col{Name: "most for rank", Unit: table.None}, table.Col{Name: "for", Unit: table.Nanoseconds, Key: "waited_for_ns"},
		table.Col{Name: "holds up others", Unit: table.Nanoseconds}, table.Col{Name: "comes last", Unit: table.Text, Align: table.Right})
	for i := range w.Ranks {
		r := &w.Ranks[i]
		if i == shownRanks && len(w.Ranks) > shownRanks+1 {
			t.Note("… and %d more ranks; --json has all", len(w.Ranks)-i)
			break
		}
		var who, long any
		if r.For != nil {
			who, long = *r.For, r.ForTime
		}
		t.Add(r.Rank, r.Waited, who, long, r.HeldUp, fmt.Sprintf("%d of %d", r.CameLast, r.Collectives))
	}
	p.table(t)
	if w.Last != nil {
		p.note("", fmt.Sprintf("in %s the others wait longest for rank %d", count(w.Collectives, "collective", "collectives"), *w.Last))
	}
	if w.Unmatched > 0 {
		p.note("", count(w.Unmatched, "collective", "collectives")+" of ranks that have another number of them than the others: not compared")
	}
}

// clock says how the ranks were set on one time line, and how well.
func (p *page) clock(d *analyze.Document) {
	if d.Clock == nil || d.Waits == nil {
		return
	}
	moved, most := 0, int64(0)
	for _, o := range d.Clock.Offsets {
		if o.Correction != nil && *o.Correction != 0 {
			moved++
			most = max(most, *o.Correction, -*o.Correction)
		}
	}
	switch {
	case d.Clock.Error == nil:
		p.note("", "clocks: by the times in the files; too few collectives to tell how well they agree")
	case moved == 0:
		p.note("", "clocks: by the times in the files, which the ends of collectives confirm to "+dur(*d.Clock.Error))
	default:
		p.note("", fmt.Sprintf("clocks: by the times in the files, corrected for %s by the ends of collectives, by up to %s; they then agree to %s",
			count(moved, "rank", "ranks"), dur(most), dur(*d.Clock.Error)))
	}
}
