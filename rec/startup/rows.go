package startup

import (
	"cmp"
	"fmt"
	"slices"
)

// Row is a phase over the repetitions of a measurement. Times are nanoseconds,
// medians where there are several runs.
type Row struct {
	Path     string // names from the root, joined by "/"; the second phase of a name is "name#2"
	Name     string
	Depth    int
	Start    int64
	Duration int64
	Own      int64 // without the phases within it
	Min, Max int64 // of Duration
	Runs     int   // in which it occurs
	Failed   int   // runs in which it failed
	Error    string
	Minor    int64 // page faults; -1 when they were not counted
	Major    int64
}

// Set is the runs of one measurement with the same state of the page cache.
type Set struct {
	Cache string // "cold", "warm", "mixed", "" when not known
	Runs  []Report
}

// Sets parts a report's repetitions by the state of the page cache, which must
// never be mixed in one table. A report without repetitions is its own one.
func (r *Report) Sets() []Set {
	runs := r.Repetitions
	if len(runs) == 0 {
		runs = []Report{*r}
	}
	var sets []Set
	for _, run := range runs {
		word := run.Environment.CacheWord
		i := slices.IndexFunc(sets, func(s Set) bool { return s.Cache == word })
		if i < 0 {
			i = len(sets)
			sets = append(sets, Set{Cache: word})
		}
		sets[i].Runs = append(sets[i].Runs, run)
	}
	return sets
}

// Rows lists the phases in the order of their start, those within behind the one
// that holds them. The last row, "other", is the time in no phase.
func (s Set) Rows() []Row {
	var order []string
	all := map[string]*samples{}
	for _, run := range s.Runs {
		tree := run.Tree()
		tree.walk("", -1, func(path string, depth int, n *Node) {
			x := all[path]
			if x == nil {
				x = &samples{row: Row{Path: path, Name: n.Name, Depth: depth, Minor: -1, Major: -1}}
				all[path] = x
				order = append(order, path)
			}
			x.add(n)
		})
	}
	var rows []Row
	for _, path := range order {
		if path != "" {
			rows = append(rows, all[path].done())
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return s.order(all, a, b) })
	if whole := all[""]; whole != nil && !s.Runs[0].merged() {
		other := whole.done()
		other.Path, other.Name, other.Depth, other.Duration = "other", "other", 0, other.Own
		other.Min, other.Max, _ = extremes(whole.own)
		rows = append(rows, other)
	}
	return rows
}

// order compares rows by the starts of what holds them, outermost first.
func (s Set) order(all map[string]*samples, a, b Row) int {
	pa, pb := prefixes(a.Path), prefixes(b.Path)
	for i := range min(len(pa), len(pb)) {
		if pa[i] != pb[i] {
			return cmp.Or(cmp.Compare(median(all[pa[i]].start), median(all[pb[i]].start)), cmp.Compare(pa[i], pb[i]))
		}
	}
	return cmp.Compare(len(pa), len(pb))
}

func prefixes(path string) (out []string) {
	for i := range path {
		if path[i] == '/' {
			out = append(out, path[:i])
		}
	}
	return append(out, path)
}

// walk visits a node and what lies in it. Equal names within one node are told
// apart by their number.
func (n *Node) walk(path string, depth int, visit func(string, int, *Node)) {
	visit(path, depth, n)
	seen := map[string]int{}
	for _, c := range n.Children {
		seen[c.Name]++
		p := c.Name
		if k := seen[c.Name]; k > 1 {
			p = fmt.Sprintf("%s#%d", p, k)
		}
		if path != "" {
			p = path + "/" + p
		}
		c.walk(p, depth+1, visit)
	}
}

// samples are a phase's values over the runs.
type samples struct {
	row             Row
	start, dur, own []int64
	minor, major    []int64
}

func (x *samples) add(n *Node) {
	x.start, x.dur, x.own = append(x.start, n.Start), append(x.dur, n.Duration), append(x.own, n.Own)
	if n.Status == Error {
		x.row.Failed++
		x.row.Error = n.Error
	}
	for _, f := range []struct {
		key string
		to  *[]int64
	}{{"minor_faults", &x.minor}, {"major_faults", &x.major}} {
		switch v := n.Attrs[f.key].(type) {
		case float64:
			*f.to = append(*f.to, int64(v))
		case int64:
			*f.to = append(*f.to, v)
		}
	}
}

func (x *samples) done() Row {
	r := x.row
	r.Runs, r.Start, r.Duration, r.Own = len(x.dur), median(x.start), median(x.dur), median(x.own)
	r.Min, r.Max, _ = extremes(x.dur)
	if len(x.minor) > 0 {
		r.Minor = median(x.minor)
	}
	if len(x.major) > 0 {
		r.Major = median(x.major)
	}
	return r
}

func median(v []int64) int64 {
	s := slices.Clone(v)
	slices.Sort(s)
	if n := len(s); n > 0 {
		return s[(n-1)/2] + (s[n/2]-s[(n-1)/2])/2
	}
	return 0
}

func extremes(v []int64) (lo, hi int64, ok bool) {
	if len(v) == 0 {
		return 0, 0, false
	}
	return slices.Min(v), slices.Max(v), true
}
