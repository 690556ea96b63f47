package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"reel/unit"
)

// DoctorSchema names the JSON of a DoctorReport.
const DoctorSchema = "reel.doctor/1"

// DoctorReport is what `reel doctor --json` prints: all findings of a run, the most
// costly first, what was looked for, and what could not be told.
type DoctorReport struct {
	Schema        string       `json:"schema"`
	Sources       []Source     `json:"sources"`
	Findings      []Finding    `json:"findings"`
	Checked       []string     `json:"checked"` // what was looked for and could be told, in at least one rank
	Healthy       []Healthy    `json:"healthy"` // what of it was found in no rank
	NotAnswerable []Unanswered `json:"not_answerable"`
	// Classes are the kernel classes of each rank with device work, with their rates.
	Classes  []RankClasses `json:"classes,omitempty"`
	Warnings []string      `json:"warnings"`
}

// RankClasses are the kernel classes of a rank.
type RankClasses struct {
	Rank    int          `json:"rank"`
	Classes []ClassTotal `json:"classes"`
}

// Doctor returns the document's findings with all that was looked for.
func (d *Document) Doctor() *DoctorReport {
	r := &DoctorReport{Schema: DoctorSchema, Sources: d.Sources, Findings: d.Findings, Checked: []string{},
		Healthy: []Healthy{}, NotAnswerable: []Unanswered{}, Warnings: d.Warnings}
	for i := range d.Ranks {
		if x := &d.Ranks[i]; len(x.Classes) > 0 {
			r.Classes = append(r.Classes, RankClasses{x.Rank, x.Classes})
		}
	}
	for _, id := range CheckIDs() {
		v := d.verdicts[id]
		switch {
		case v == nil:
		case v.found:
			r.Checked = append(r.Checked, id)
		case v.healthy != nil:
			r.Checked, r.Healthy = append(r.Checked, id), append(r.Healthy, Healthy{id, v.why()})
		default:
			r.NotAnswerable = append(r.NotAnswerable, Unanswered{id, v.because})
		}
	}
	return r
}

// why says what is well, and of how many ranks that cannot be told.
func (v *verdict) why() string {
	if v.untold == 0 {
		return *v.healthy
	}
	return fmt.Sprintf("%s; in %s it cannot be told: %s", *v.healthy, countText(v.untold, "other rank", "other ranks"), v.because)
}

// CheckIDs lists the ids of all findings that there can be.
func CheckIDs() []string {
	var ids []string
	for _, c := range checks {
		ids = append(ids, c.id)
	}
	return append(ids, rankMissing, rankSkew)
}

// What is looked for in all ranks together.
const (
	rankMissing = "rank-missing"
	rankSkew    = "rank-skew"
)

// verdict is what all ranks say of one fault.
type verdict struct {
	found   bool
	healthy *string // of the first rank that says so
	because string  // of the first that cannot tell
	untold  int     // ranks that cannot
}

func (d *Document) verdict(id string) *verdict {
	if d.verdicts == nil {
		d.verdicts = map[string]*verdict{}
	}
	if d.verdicts[id] == nil {
		d.verdicts[id] = &verdict{}
	}
	return d.verdicts[id]
}

// diagnose collects the findings of the ranks, and adds those of all together.
func (d *Document) diagnose(ranks []numbered) {
	for _, n := range ranks {
		x := n.record.Diagnosis
		if x == nil {
			continue
		}
		for _, f := range x.Findings {
			at := Where{}
			if f.Where != nil {
				at = *f.Where
			}
			at.Rank, f.Where = &n.rank, &at
			d.Findings = append(d.Findings, f)
			d.verdict(f.ID).found = true
		}
		for _, h := range x.Healthy {
			if v := d.verdict(h.ID); v.healthy == nil {
				v.healthy = &h.Why
			}
		}
		for _, u := range x.NotAnswerable {
			v := d.verdict(u.ID)
			if v.untold++; v.because == "" {
				v.because = u.Because
			}
		}
	}
	if d.verdicts != nil {
		d.acrossRanks(ranks)
	}
	slices.SortStableFunc(d.Findings, firstOf)
	sortFindings(d.Findings)
}

func (d *Document) say(id string, a answer) {
	v := d.verdict(id)
	for _, f := range a.found {
		f.ID, v.found = id, true
		d.Findings = append(d.Findings, f)
	}
	if v.because = a.because; a.because == "" {
		v.healthy = &a.fine
	}
}

func (d *Document) acrossRanks(ranks []numbered) {
	if d.RankCount() < 2 {
		d.say(rankSkew, unknown("one rank alone was read"))
		if d.WorldSize != nil && *d.WorldSize > 1 {
			d.say(rankMissing, unknown(fmt.Sprintf("one rank of %v was read", unit.Count(*d.WorldSize))))
		} else {
			d.say(rankMissing, fine("there is one rank"))
		}
		return
	}
	d.say(rankMissing, d.ranksThere(ranks))
	d.say(rankSkew, d.skew())
}

func (d *Document) ranksThere(ranks []numbered) answer {
	if d.WorldSize == nil {
		return unknown("the files do not say, or not with one voice, how many ranks there were")
	}
	there := map[int]bool{}
	for _, n := range ranks {
		there[n.rank] = n.rank < *d.WorldSize
	}
	n := 0
	for _, in := range there {
		if in {
			n++
		}
	}
	if n == *d.WorldSize {
		return fine(fmt.Sprintf("all %v ranks are there", unit.Count(n)))
	}
	return found(Finding{Severity: SeverityWarn, Title: fmt.Sprintf("%v of %v ranks are missing", unit.Count(*d.WorldSize-n), unit.Count(*d.WorldSize)),
		Evidence: facts{"ranks": n, "world_size": *d.WorldSize},
		Remedy:   "Record every rank, into files of their own names; the warnings say which are not here."})
}

// firstOf orders equal findings of ranks.
func firstOf(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(rankOf(a), rankOf(b)), cmp.Compare(a.Title, b.Title))
}

func rankOf(f Finding) int {
	if f.Where == nil || f.Where.Rank == nil {
		return -1
	}
	return *f.Where.Rank
}
