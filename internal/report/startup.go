package report

import (
	"io"
	"strconv"
	"strings"

	"reel/internal/display"
	"reel/rec/startup"
	"reel/render/markdown"
	"reel/table"
	"reel/unit"
)

// Startup writes a start-up report: a tree of its phases with inclusive and own
// times, and where each lies. Runs with a cold and with a warm page cache have
// tables of their own. The error is that of w.
func Startup(w io.Writer, r *startup.Report, o Options) error {
	p := &page{Options: o}
	for _, set := range r.Sets() {
		p.gap()
		p.startup(r, set)
	}
	if r.Plain != nil {
		p.gap()
		state := ""
		if r.PlainCache != "" {
			state = ", page cache " + display.Clean(r.PlainCache)
		}
		p.note(margin, "a run without instruments took "+dur(*r.Plain)+" from exec to exit"+state)
	}
	for _, n := range r.Notes {
		p.note(margin, n)
	}
	_, err := w.Write(p.Bytes())
	return err
}

// StartupMarkdown writes the phases as Markdown. The error is that of w.
func StartupMarkdown(w io.Writer, r *startup.Report) error {
	for _, set := range r.Sets() {
		if err := markdown.Write(w, startupTable(set, Options{Width: 100})); err != nil {
			return err
		}
	}
	return nil
}

// StartupRows has a row for every phase, for programs.
func StartupRows(r *startup.Report) *table.Table {
	t := table.New("startup", table.Col{Name: "page_cache", Unit: table.Text}, table.Col{Name: "phase", Unit: table.Text}, table.Col{Name: "depth"},
		table.Col{Name: "start", Unit: table.Nanoseconds}, table.Col{Name: "duration", Unit: table.Nanoseconds}, table.Col{Name: "own", Unit: table.Nanoseconds},
		table.Col{Name: "min", Unit: table.Nanoseconds}, table.Col{Name: "max", Unit: table.Nanoseconds}, table.Col{Name: "runs"}, table.Col{Name: "failed"},
		table.Col{Name: "minor_faults"}, table.Col{Name: "major_faults"}, table.Col{Name: "error", Unit: table.Text})
	for _, set := range r.Sets() {
		for _, x := range set.Rows() {
			t.Add(set.Cache, x.Path, x.Depth, x.Start, x.Duration, x.Own, x.Min, x.Max, x.Runs, x.Failed, counted(x.Minor), counted(x.Major), x.Error)
		}
	}
	return t
}

// counted is a cell of a count that may not have been taken.
func counted(n int64) any {
	if n < 0 {
		return nil
	}
	return n
}

func (p *page) startup(r *startup.Report, set startup.Set) {
	n := len(set.Runs)
	parts := []string{"start-up", count(n, "run", "runs")}
	if set.Cache != "" {
		parts = append(parts, "page cache "+set.Cache)
	}
	var whole, walls []int64
	for _, run := range set.Runs {
		whole = append(whole, run.Duration)
		if run.Environment.Wall > 0 {
			walls = append(walls, run.Environment.Wall)
		}
	}
	parts = append(parts, dur(median(whole)))
	if len(walls) > 0 {
		parts = append(parts, "process "+dur(median(walls)))
	}
	timing := "host times"
	if r.Synchronized {
		timing = "times with the device synchronised"
	}
	p.title(append(parts, timing)...)
	p.gap()
	p.table(startupTable(set, p.Options))
	for _, x := range set.Rows() {
		if x.Failed > 0 {
			if x.Error != "" {
				p.note(margin, "failed: "+display.Clean(x.Path)+": "+display.Clean(x.Error))
			}
		}
	}
	p.cacheLine(set)
}

// cacheLine says how much of the weights was in memory before they were read.
func (p *page) cacheLine(set startup.Set) {
	for _, c := range set.Runs[0].Environment.Cache {
		p.note(margin, "before loading "+strconv.FormatFloat(100*c.Resident, 'f', 1, 64)+" % of "+display.Clean(c.File)+" ("+unit.Bytes(c.Bytes).String()+") were in the page cache")
	}
}

func startupTable(set startup.Set, o Options) *table.Table {
	rows := set.Rows()
	many := len(set.Runs) > 1
	faults := o.wide()
	t := table.New("startup", table.Col{Name: "phase", Unit: table.Text}, table.Col{Name: "total", Unit: table.Nanoseconds}, table.Col{Name: "own", Unit: table.Nanoseconds})
	if many {
		t.Cols = append(t.Cols, table.Col{Name: "from", Unit: table.Nanoseconds}, table.Col{Name: "to", Unit: table.Nanoseconds})
	}
	if faults {
		t.Cols = append(t.Cols, table.Col{Name: "page faults", Unit: table.Count}, table.Col{Name: "from disk", Unit: table.Count})
	}
	t.Cols = append(t.Cols, table.Col{Name: "", Unit: table.Text})
	var whole, own int64
	for _, x := range rows {
		whole = max(whole, x.Start+x.Duration)
		own += x.Own
	}
	for _, x := range rows {
		name := strings.Repeat("  ", min(x.Depth, 20)) + display.Clean(x.Name)
		if x.Failed > 0 {
			name += " (failed)"
		}
		row := []any{name, x.Duration, x.Own}
		if many {
			row = append(row, x.Min, x.Max)
		}
		if faults {
			row = append(row, counted(x.Minor), counted(x.Major))
		}
		bar := ""
		if x.Path != "other" {
			bar = waterfall(x.Start, x.Duration, whole, 2*o.barWidth())
		}
		t.Add(append(row, bar)...)
	}
	if n := len(rows); n > 0 && rows[n-1].Path == "other" { // ranks run at the same time: no sum
		t.SetTotal("sum of own times", nil, own)
	}
	return t
}

// waterfall draws where an interval lies in the whole.
func waterfall(start, dur, whole int64, width int) string {
	if whole <= 0 || width <= 0 {
		return ""
	}
	at := func(t int64) int { return int(float64(t) / float64(whole) * float64(width)) }
	from := min(max(at(start), 0), width-1)
	to := min(max(at(start+dur), from+1), width)
	return strings.Repeat("·", from) + strings.Repeat("█", to-from) + strings.Repeat("·", width-to)
}
