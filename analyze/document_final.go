package analyze

import (
	"fmt"
	"slices"
	"strings"

	"reel/unit"
)

// Finalize turns a partial into the document that people read: it numbers the
// ranks, sets their clocks against each other and words the warnings. All of that
// depends on the set of records alone, never on how it was merged. The
// document shares lists with p: neither is to be changed.
func Finalize(p *Partial) *Document { return FinalizeLimits(p, Limits{}) }

// FinalizeLimits is Finalize with thresholds for what is looked for in all ranks together.
func FinalizeLimits(p *Partial, limits Limits) *Document {
	d := &Document{limits: limits, Schema: DocumentSchema, Sources: []Source{}, Ranks: []RankSummary{}, Findings: []Finding{}, Warnings: []string{}}
	if p == nil {
		return d
	}
	ranks, notes := number(p.records)
	for _, n := range ranks {
		s, r := n.record.Source, n.record.Summary
		s.Path, r.Rank = n.name(), n.rank
		d.Sources, d.Ranks = append(d.Sources, s), append(d.Ranks, r)
		for _, w := range n.record.Warnings {
			d.Warnings = append(d.Warnings, warningText(s, w.warning()))
		}
	}
	d.Warnings = append(d.Warnings, notes...)
	d.world(ranks)
	if len(ranks) > 1 {
		d.Totals = d.totals(p).finish(len(ranks))
	}
	if d.RankCount() > 1 {
		d.Clock = d.align()
		d.compare(ranks)
	}
	d.diagnose(ranks)
	return d
}

// totals are those of all records, save what is left out.
func (d *Document) totals(p *Partial) *totals {
	if len(d.Ranks) == len(p.records) {
		return &p.totals
	}
	t := &totals{}
	for i := range d.Ranks {
		t.add(&d.Ranks[i])
	}
	return t
}

// RankCount is how many ranks there are: one may have several recordings, one after the
// other, each an entry of Ranks.
func (d *Document) RankCount() (n int) {
	for i := range d.Ranks { // in their order
		if i == 0 || d.Ranks[i].Rank != d.Ranks[i-1].Rank {
			n++
		}
	}
	return n
}

// world finds the number of ranks that the files tell, and which are not there.
func (d *Document) world(ranks []numbered) {
	var sizes []int
	for _, n := range ranks {
		if w := n.record.World; w != nil {
			sizes = append(sizes, *w)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	switch len(sizes) {
	case 0:
	case 1:
		d.WorldSize = &sizes[0]
		if d.RankCount() > 1 {
			d.missing(ranks, sizes[0])
		}
	default:
		d.warn("the files do not agree on the number of ranks: %d to %d", sizes[0], sizes[len(sizes)-1])
	}
}

func (d *Document) warn(format string, args ...any) {
	d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
}

// maxGaps bounds how many gaps between ranks a warning lists.
const maxGaps = 8

// missing says which ranks of a job are not there.
func (d *Document) missing(ranks []numbered, world int) {
	var gaps []string
	absent, next := 0, 0
	gap := func(from, to int) { // from..to-1
		absent += to - from
		if text := fmt.Sprint(from); to-from == 1 {
			gaps = append(gaps, text)
		} else if to > from {
			gaps = append(gaps, fmt.Sprintf("%s-%d", text, to-1))
		}
	}
	for _, n := range ranks {
		if n.rank >= next && n.rank < world {
			gap(next, n.rank)
			next = n.rank + 1
		}
	}
	gap(next, world)
	if absent == 0 {
		return
	}
	if len(gaps) > maxGaps {
		gaps = append(gaps[:maxGaps], "…")
	}
	d.warn("%v of %v ranks are missing: %s", unit.Count(absent), unit.Count(world), strings.Join(gaps, ", "))
}

// align places the ranks on one clock; nil when fewer than two have absolute times.
func (d *Document) align() *Clock {
	var c Clock
	var last int64
	for i := range d.Ranks {
		r := &d.Ranks[i]
		if r.StartUnix == nil {
			continue
		}
		if len(c.Offsets) == 0 {
			c.Start, last = *r.StartUnix, *r.StartUnix
		}
		c.Start, last = min(c.Start, *r.StartUnix), max(last, *r.StartUnix)
		c.Offsets = append(c.Offsets, RankOffset{Rank: r.Rank, Offset: *r.StartUnix})
	}
	if n := len(d.Ranks) - len(c.Offsets); n > 0 {
		d.warn("%v of %v files carry no absolute time: their ranks are on no common clock", unit.Count(n), unit.Count(len(d.Ranks)))
	}
	if len(c.Offsets) < 2 {
		return nil
	}
	for i := range c.Offsets {
		c.Offsets[i].Offset -= c.Start
	}
	c.Spread = last - c.Start
	return &c
}
