package analyze

import (
	"cmp"
	"math"
	"slices"

	"reel/internal/stats"
)

// row makes the row of an aligned measure, without a verdict.
func (x *aligned) row(a, b int) DiffRow {
	r := DiffRow{Kind: x.kind, Name: x.name, Of: x.of, Gated: x.gated, weight: x.weight}
	r.A, r.ACount, r.ACPU, r.ADevice = x.a.medians()
	r.B, r.BCount, r.BCPU, r.BDevice = x.b.medians()
	r.Delta = valueOf(r.B) - valueOf(r.A)
	if r.A != nil && r.B != nil && *r.A > 0 {
		r.Percent = new(100 * float64(r.Delta) / float64(*r.A))
	}
	return r
}

func valueOf(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// medians of the runs of a side; nil where no run has it.
func (s *sideValues) medians() (t, count, cpu, device *int64) {
	if s.runs == 0 {
		return nil, nil, nil, nil
	}
	t, count = middleOf(s.time), middleOf(s.count)
	if s.hasCPU {
		cpu = middleOf(s.cpu)
	}
	if s.hasDevice {
		device = middleOf(s.device)
	}
	return t, count, cpu, device
}

func middleOf(xs []int64) *int64 {
	m, _ := stats.Median(xs)
	return new(int64(math.Round(m)))
}

// test tells noise from change: every row by itself, and the gated ones together.
func (d *Diff) test(rows []*aligned) {
	var gated []int
	var ps []float64
	for i, x := range rows {
		if x.a.runs == 0 || x.b.runs == 0 {
			continue
		}
		t, _ := stats.MannWhitney(x.a.time, x.b.time)
		d.Rows[i].P = new(t.P)
		if x.gated {
			gated, ps = append(gated, i), append(ps, t.P)
		}
	}
	for k, p := range stats.Holm(ps) {
		d.Rows[gated[k]].PHolm = new(p)
	}
}

// judge sets the verdict.
func (r *DiffRow) judge(t DiffThreshold, tested bool) {
	r.Verdict = DiffSame
	switch {
	case r.A == nil:
		r.Verdict, r.Regression = DiffAdded, r.Gated && r.Impact() >= t.MinDelta
		return
	case r.B == nil:
		r.Verdict = DiffRemoved
		return
	}
	p := r.P
	if r.PHolm != nil {
		p = r.PHolm
	}
	if tested && (p == nil || *p >= DiffLevel) {
		return
	}
	change := math.Inf(1) // of nothing
	if r.Percent != nil {
		change = math.Abs(*r.Percent)
	}
	if r.Delta == 0 || change < t.Percent {
		return
	}
	r.Verdict = DiffFaster
	if r.Delta > 0 {
		r.Verdict = DiffSlower
		r.Regression = r.Gated && r.Impact() >= t.MinDelta
	}
}

// choose keeps the kinds that were asked for, in order, operators and kernels by their
// change and not more than so many.
func (d *Diff) choose(opt DiffOptions) {
	if len(opt.Kinds) > 0 {
		d.Rows = slices.DeleteFunc(d.Rows, func(r DiffRow) bool { return !slices.Contains(opt.Kinds, r.Kind) })
	}
	order := map[string]int{} // of stages, so that models follow theirs
	for i := range d.Rows {
		if r := &d.Rows[i]; r.Kind == DiffStage && r.Of == "" {
			order[r.Name] = i
		}
	}
	stage := func(r *DiffRow) int {
		if r.Kind != DiffStage {
			return 0
		}
		return order[cmp.Or(r.Of, r.Name)]
	}
	slices.SortStableFunc(d.Rows, func(a, b DiffRow) int {
		if c := cmp.Or(cmp.Compare(slices.Index(DiffKinds, a.Kind), slices.Index(DiffKinds, b.Kind)), cmp.Compare(stage(&a), stage(&b))); c != 0 || a.ordered() {
			return c
		}
		return cmp.Or(cmp.Compare(magnitude(b.Delta), magnitude(a.Delta)), cmp.Compare(a.Name, b.Name))
	})
	d.RowsTotal = len(d.Rows)
	d.total = map[DiffKind]int{}
	d.Rows = slices.DeleteFunc(d.Rows, func(r DiffRow) bool {
		d.total[r.Kind]++
		return !r.ordered() && opt.Limit > 0 && d.total[r.Kind] > opt.Limit
	})
}

// Hidden returns how many rows of a kind the limit leaves out.
func (d *Diff) Hidden(k DiffKind) int {
	n := d.total[k]
	for i := range d.Rows {
		if d.Rows[i].Kind == k {
			n--
		}
	}
	return n
}

// ordered says that rows of the kind stand in the order of the run.
func (r *DiffRow) ordered() bool { return r.Kind != DiffOp && r.Kind != DiffKernel }

func magnitude(v int64) int64 { return max(v, -v) }
