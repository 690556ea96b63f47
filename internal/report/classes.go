package report

import (
	"strconv"

	"reel/analyze"
	"reel/table"
)

// classes writes what sort of kernels each stage spends its device time on.
func (p *page) classes(r *analyze.RankSummary) {
	if len(r.Classes) == 0 {
		return
	}
	var all int64
	for _, c := range r.Classes {
		all += c.Time
	}
	t := table.New("kernel classes", table.Col{Name: "stage", Unit: table.Text}, table.Col{Name: "kernels", Unit: table.Text},
		table.Col{Name: "activities", Unit: table.Count}, table.Col{Name: "device", Unit: table.Nanoseconds}, table.Col{Name: "of all", Unit: table.Percent},
		table.Col{Name: "rate", Unit: table.Text, Align: table.Right})
	rest, restTime, stages := 0, int64(0), 0
	last := ""
	for i, c := range r.Classes {
		if share := float64(c.Time) / float64(max(1, all)); share < leastClass && len(r.Classes) > fewClasses {
			rest, restTime = rest+1, restTime+c.Time
			continue
		}
		stage := c.Stage
		if stage == "" {
			stage = "no stage"
		}
		if stages++; stage == last {
			stage = ""
		} else {
			last = stage
		}
		t.Add(stage, r.Classes[i].Class, c.Activities, c.Time, 100*float64(c.Time)/float64(max(1, all)), rateText(&c))
	}
	if rest > 0 {
		t.Note("and %s of less than 1 %%, together %s", count(rest, "row", "rows"), dur(restTime))
	}
	p.gap()
	p.title("kernel classes: sums of durations")
	p.table(t)
}

const (
	leastClass = 0.01 // share of the device time below which a class has no row
	fewClasses = 8    // unless there are no more than these
)

// rateText is "412 TFLOP/s" or "1.21 TB/s"; "" when the trace does not tell.
func rateText(c *analyze.ClassTotal) any {
	switch {
	case c.TFLOPs != nil:
		return strconv.FormatFloat(*c.TFLOPs, 'f', 1, 64) + " TFLOP/s"
	case c.Rate != nil:
		return strconv.FormatFloat(*c.Rate, 'f', 1, 64) + " GB/s"
	}
	return nil
}

// topFindings is how many findings a summary shows.
const topFindings = 3

// findings names the most costly findings below a summary, a line or two each.
func (p *page) findings(d *analyze.Document) {
	groups := grouped(d.Findings)
	var shown []findingGroup
	for _, g := range groups {
		if len(shown) < topFindings && g.Severity.AtLeast(analyze.SeverityWarn) {
			shown = append(shown, g)
		}
	}
	if len(shown) == 0 {
		return
	}
	wide := 0
	for _, g := range shown {
		wide = max(wide, len(g.ID))
	}
	more := ""
	if len(groups) > len(shown) {
		more = " (" + strconv.Itoa(len(shown)) + " of " + strconv.Itoa(len(groups)) + "; reel doctor has all)"
	}
	p.gap()
	p.title("findings" + more)
	for i := range shown {
		g := &shown[i]
		sign, _ := mark(g.Severity)
		text := g.Title
		if g.Cost != nil {
			text += ": up to " + dur(*g.Cost)
		}
		if at := placeText(g, len(d.Ranks) > 1); at != "" {
			text += " (" + at + ")"
		}
		p.note(margin+sign+" "+g.ID+spaces(wide-len(g.ID)+2), text)
	}
}

func spaces(n int) string { return "                    "[:max(0, min(20, n))] }
