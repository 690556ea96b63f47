package analyze

import (
	"slices"

	"reel/timeline"
)

// PartialSchema names the JSON of a Partial.
const PartialSchema = "reel.partial/1"

// Partial is the mergeable summary of some ranks: a set of records, one for
// each file, and totals over them. Merging is the union of the sets, so it is
// associative, commutative and idempotent: the same file merged twice counts
// once. What depends on all ranks together (their numbers, where files do not agree; their
// clocks) is left to Finalize. The zero Partial is empty and ready for use. A
// Partial never changes.
type Partial struct {
	records []*record // ascending, each once
	totals  totals    // of the records, always
}

// NewPartial makes the mergeable summary of one rank: of its timeline's file,
// and of s and d, which Examine said of it; d may be nil. Values that cannot be true
// (a negative duration, a share that is no number) become 0, with a warning.
func NewPartial(tl *timeline.Timeline, s RankSummary, d *Diagnosis) *Partial {
	r := newRecord(tl, s, d)
	p := &Partial{records: []*record{r}}
	p.totals.add(&r.Summary)
	return p
}

// Len returns the number of records.
func (p *Partial) Len() int { return len(p.records) }

// Merge returns what a and b hold together; neither changes. Nil is an empty
// Partial. MergeAll is faster than merging many one by one.
func Merge(a, b *Partial) *Partial {
	switch {
	case a == nil && b == nil:
		return &Partial{}
	case a == nil || len(a.records) == 0 && b != nil:
		return b
	case b == nil || len(b.records) == 0:
		return a
	}
	list, shared := unite(a.records, b.records)
	p := &Partial{records: list}
	if shared == 0 {
		p.totals = a.totals.clone()
		p.totals.merge(&b.totals)
		return p
	}
	for _, r := range p.records {
		p.totals.add(&r.Summary)
	}
	return p
}

// MergeAll merges any number of partials, in time that grows with their size
// and the logarithm of their number.
func MergeAll(ps ...*Partial) *Partial {
	switch len(ps) {
	case 0:
		return &Partial{}
	case 1:
		return Merge(ps[0], nil)
	}
	return Merge(MergeAll(ps[:len(ps)/2]...), MergeAll(ps[len(ps)/2:]...))
}

// unite unites two sets of records and counts those that both have.
func unite(a, b []*record) (list []*record, shared int) {
	list = make([]*record, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareRecords(a[0], b[0]); {
		case c < 0:
			list, a = append(list, a[0]), a[1:]
		case c > 0:
			list, b = append(list, b[0]), b[1:]
		default:
			list = append(list, a[0].alsoNamed(b[0].Names))
			a, b = a[1:], b[1:]
			shared++
		}
	}
	return append(append(list, a...), b...), shared
}

// alsoNamed returns r with more names.
func (r *record) alsoNamed(names []string) *record {
	if slices.Equal(r.Names, names) {
		return r
	}
	c := *r
	c.Names = slices.Concat(r.Names, names)
	slices.Sort(c.Names)
	c.Names = slices.Compact(c.Names)
	return &c
}
