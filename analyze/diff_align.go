package analyze

import (
	"cmp"
	"fmt"
	"slices"
)

// aligned is what both sides have under one name.
type aligned struct {
	alignKey
	weight int64
	gated  bool
	a, b   sideValues
}

// sideValues are the values of the runs of a side; 0 in a run that lacks the row.
type sideValues struct {
	time, count, cpu, device []int64
	runs                     int // that have it
	hasCPU, hasDevice        bool
}

func (s *sideValues) add(run, of int, m *Measured) {
	if s.time == nil {
		s.time, s.count, s.cpu, s.device = make([]int64, of), make([]int64, of), make([]int64, of), make([]int64, of)
	}
	if s.count[run] == 0 {
		s.runs++
	}
	s.time[run] += m.Time
	s.count[run] += m.Count
	s.cpu[run] += valueOf(m.CPU)
	s.device[run] += valueOf(m.Device)
	s.hasCPU, s.hasDevice = s.hasCPU || m.CPU != nil, s.hasDevice || m.Device != nil
}

type alignKey struct {
	kind     DiffKind
	of, name string
}

// alignRuns puts the rows of all runs together by name. Operators and kernels of which
// only one side knows the name are tried again without template arguments and parameters.
func alignRuns(a, b []*DiffRun, exact bool) []*aligned {
	other := map[alignKey]string{}
	if !exact {
		other = looseNames(a, b)
	}
	at := map[alignKey]*aligned{}
	var rows []*aligned
	for side, runs := range [][]*DiffRun{a, b} {
		for i, run := range runs {
			for k := range run.Rows {
				m := &run.Rows[k]
				key := alignKey{m.Kind, m.Of, m.Name}
				if loose, ok := other[key]; ok {
					key.name = loose
				}
				x := at[key]
				if x == nil {
					x = &aligned{alignKey: key}
					at[key] = x
					rows = append(rows, x)
				}
				x.weight, x.gated = max(x.weight, m.Weight), x.gated || m.Gated
				values := &x.a
				if side == 1 {
					values = &x.b
				}
				values.add(i, len(runs), m)
			}
		}
	}
	return rows
}

// looseNames gives the names under which rows of one side alone meet one of the other.
func looseNames(a, b []*DiffRun) map[alignKey]string {
	const inA, inB = 1, 2
	in := map[alignKey]int{}
	for side, runs := range [][]*DiffRun{a, b} {
		for _, run := range runs {
			for k := range run.Rows {
				if m := &run.Rows[k]; m.Kind == DiffOp || m.Kind == DiffKernel {
					in[alignKey{m.Kind, m.Of, m.Name}] |= 1 + side
				}
			}
		}
	}
	meets := map[alignKey]int{}
	for key, sides := range in {
		if sides != inA|inB {
			meets[alignKey{key.kind, key.of, looseName(key.name)}] |= sides
		}
	}
	out := map[alignKey]string{}
	for key, sides := range in {
		if loose := (alignKey{key.kind, key.of, looseName(key.name)}); sides != inA|inB && meets[loose] == inA|inB {
			out[key] = loose.name
		}
	}
	return out
}

func sideOf(runs []*DiffRun) DiffSide {
	s := DiffSide{Runs: []DiffRunInfo{}}
	for _, r := range runs {
		s.Runs = append(s.Runs, DiffRunInfo{r.Path, r.Device, r.Ranks, r.Requests, r.Steps})
	}
	return s
}

// sideNotes says what makes the sides hard to compare.
func sideNotes(a, b []*DiffRun) (notes []string) {
	say := func(what string, of func(*DiffRun) string) {
		x, y := distinct(a, of), distinct(b, of)
		if len(x) == 1 && len(y) == 1 && x[0] != y[0] {
			notes = append(notes, fmt.Sprintf("A has %s, B %s: %s", x[0], y[0], what))
		} else if len(x) > 1 || len(y) > 1 {
			notes = append(notes, fmt.Sprintf("the runs of a side differ: %s against %s: %s", x, y, what))
		}
	}
	say("sums of operators and kernels are of unequal work", func(r *DiffRun) string {
		return plural(r.Requests, "request", "requests") + " with " + plural(r.Steps, "step", "steps")
	})
	say("sums of operators and kernels are of unequal work", func(r *DiffRun) string { return plural(r.Ranks, "rank", "ranks") })
	say("times are of unequal machines", func(r *DiffRun) string { return r.Device })
	for side, runs := range [][]*DiffRun{a, b} {
		for _, r := range runs {
			if r.Damage != "" {
				notes = append(notes, fmt.Sprintf("%c is not whole: %s: %s", 'A'+side, r.Path, r.Damage))
			}
		}
	}
	return notes
}

func distinct(runs []*DiffRun, of func(*DiffRun) string) (out []string) {
	for _, r := range runs {
		out = append(out, of(r))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// JoinRanks makes one run of its ranks: a request, stage or step is as slow as in the
// slowest rank; operators and kernels are added up.
func JoinRanks(ranks []*DiffRun) *DiffRun {
	if len(ranks) == 0 {
		return &DiffRun{}
	}
	run := *ranks[0]
	run.Rows = nil
	at := map[alignKey]int{}
	run.Ranks = 0
	for _, r := range ranks {
		run.Ranks += r.Ranks
		run.Requests, run.Steps = max(run.Requests, r.Requests), max(run.Steps, r.Steps)
		run.Damage = cmp.Or(run.Damage, r.Damage)
		if r.Device != run.Device {
			run.Device = ""
		}
		for _, m := range r.Rows {
			key := alignKey{m.Kind, m.Of, m.Name}
			i, ok := at[key]
			if !ok {
				at[key] = len(run.Rows)
				run.Rows = append(run.Rows, m)
				continue
			}
			run.Rows[i] = joined(run.Rows[i], m)
		}
	}
	return &run
}

func joined(a, b Measured) Measured {
	if a.Kind != DiffOp && a.Kind != DiffKernel {
		if b.Time > a.Time {
			return b
		}
		return a
	}
	add := func(x, y *int64) *int64 {
		if x == nil || y == nil {
			return orElse(x, y)
		}
		return new(*x + *y)
	}
	a.Time, a.Count, a.CPU, a.Device = a.Time+b.Time, a.Count+b.Count, add(a.CPU, b.CPU), add(a.Device, b.Device)
	return a
}

func orElse(x, y *int64) *int64 {
	if x == nil {
		return y
	}
	return x
}
