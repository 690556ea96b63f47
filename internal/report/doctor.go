package report

import (
	"io"
	"strconv"
	"strings"

	"reel/analyze"
	"reel/internal/display"
	"reel/table"
)

// Doctor writes all findings of a run: a paragraph each, the most costly first, then
// what is well, then what cannot be told. The error is that of w.
func Doctor(w io.Writer, d *analyze.Document, o Options) error {
	p := &page{Options: o}
	p.doctor(d)
	_, err := w.Write(p.Bytes())
	return err
}

// DoctorMarkdown writes the same as Markdown. The error is that of w.
func DoctorMarkdown(w io.Writer, d *analyze.Document) error {
	p := &page{markdown: true}
	p.doctor(d)
	_, err := w.Write(p.Bytes())
	return err
}

func (p *page) doctor(d *analyze.Document) {
	switch d.RankCount() {
	case 0:
	case 1:
		p.header(d, &d.Ranks[0])
	default:
		p.ranksHeader(d)
	}
	r := d.Doctor()
	groups := grouped(d.Findings)
	p.gap()
	p.title(strconv.Itoa(len(groups))+word(len(groups), " finding", " findings"), costNote(groups))
	for _, g := range groups {
		p.gap()
		p.finding(&g, d.RankCount() > 1)
	}
	p.healthy(r)
	p.unanswered(r)
	if len(d.Ranks) > 0 {
		p.classes(&d.Ranks[0])
	}
	if d.RankCount() > 1 && len(d.Ranks[0].Classes) > 0 {
		p.note(margin, "of rank "+strconv.Itoa(d.Ranks[0].Rank)+"; --json has the classes of all ranks")
	}
	p.warnings(d.Warnings)
}

func word(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func costNote(groups []findingGroup) string {
	if len(groups) < 2 {
		return ""
	}
	return "costs are upper bounds and may overlap"
}

// findingGroup is a finding, and the ranks that have it.
type findingGroup struct {
	analyze.Finding       // of the rank in which it costs most
	ranks           []int // all ranks
}

// grouped puts equal findings of several ranks together.
func grouped(list []analyze.Finding) (groups []findingGroup) {
	at := map[string]int{}
	for _, f := range list {
		key := f.ID
		if f.Where != nil {
			key += "\x00" + f.Where.Stage
		}
		if f.ID == "compile-in-run" { // two sorts of one id
			key += string(f.Severity)
		}
		rank := -1
		if f.Where != nil && f.Where.Rank != nil {
			rank = *f.Where.Rank
		}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, findingGroup{Finding: f})
		}
		if rank >= 0 {
			groups[i].ranks = append(groups[i].ranks, rank)
		}
	}
	return groups
}

// marks say how much a finding matters.
func mark(s analyze.Severity) (string, style) {
	switch s {
	case analyze.SeverityError:
		return "✗", red
	case analyze.SeverityWarn:
		return "!", yellow
	}
	return "·", ""
}

// finding writes a paragraph on a finding.
func (p *page) finding(g *findingGroup, several bool) {
	sign, st := mark(g.Severity)
	head := sign + " " + g.ID
	if g.Cost != nil {
		head += ", up to " + dur(*g.Cost)
	}
	if p.markdown {
		p.line("### " + markdownText(head) + "\n")
	} else {
		p.line(p.paint(st, head))
	}
	p.note(margin, sentence(g.Title))
	if at := placeText(g, several); at != "" {
		p.note(margin, "Where: "+at+".")
	}
	if e := evidenceText(g.Evidence); e != "" {
		p.note(margin, "Evidence: "+e+".")
	}
	if g.Remedy != "" {
		p.note(margin, "Remedy: "+g.Remedy)
	}
}

// sentence begins with a capital and ends with a stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// placeText says where a finding is.
func placeText(g *findingGroup, several bool) string {
	var parts []string
	if w := g.Where; w != nil {
		if several && len(g.ranks) > 0 {
			parts = append(parts, ranksText(g.ranks))
		}
		if w.Stage != "" {
			parts = append(parts, "stage "+w.Stage)
		}
		if w.Step != nil {
			parts = append(parts, "step "+strconv.Itoa(*w.Step))
		}
		if w.Call != "" {
			parts = append(parts, display.Clean(w.Call))
		}
	}
	return strings.Join(parts, ", ")
}

// ranksText is "rank 3", or "rank 3 and 6 more ranks", the costliest first.
func ranksText(ranks []int) string {
	s := "rank " + strconv.Itoa(ranks[0])
	if n := len(ranks) - 1; n > 0 {
		s += " and " + count(n, "more rank", "more ranks")
	}
	return s
}

func (p *page) healthy(r *analyze.DoctorReport) {
	if len(r.Healthy) == 0 {
		return
	}
	t := table.New("healthy", table.Col{Name: "healthy (" + strconv.Itoa(len(r.Healthy)) + ")", Unit: table.Text}, table.Col{Name: "why", Unit: table.Text})
	for _, h := range r.Healthy {
		t.Add(h.ID, h.Why)
	}
	p.gap()
	p.list(t)
}

func (p *page) unanswered(r *analyze.DoctorReport) {
	if len(r.NotAnswerable) == 0 {
		return
	}
	t := table.New("cannot be told", table.Col{Name: "cannot be told (" + strconv.Itoa(len(r.NotAnswerable)) + ")", Unit: table.Text}, table.Col{Name: "because", Unit: table.Text})
	for _, u := range r.NotAnswerable {
		t.Add(u.ID, u.Because)
	}
	p.gap()
	p.list(t)
}

// list writes a table of names and prose: wrapped, not cut.
func (p *page) list(t *table.Table) {
	if p.markdown {
		p.markdownTable(t)
		return
	}
	p.title(t.Cols[0].Name)
	wide := 0
	for _, row := range t.Rows {
		s, _ := row[0].Str()
		wide = max(wide, display.Width(s))
	}
	for _, row := range t.Rows {
		name, _ := row[0].Str()
		why, _ := row[1].Str()
		p.note(margin+name+strings.Repeat(" ", wide-display.Width(name)+2), why)
	}
}

// Limits lists the thresholds of findings. The error is that of w.
func Limits(w io.Writer, o Options) error {
	p := &page{Options: o}
	t := table.New("thresholds", table.Col{Name: "thresholds, and what they bound", Unit: table.Text}, table.Col{Unit: table.Text})
	for _, l := range analyze.LimitTable() {
		t.Add(l.Name+"="+limitValue(l), l.Means)
	}
	p.list(t)
	_, err := w.Write(p.Bytes())
	return err
}
