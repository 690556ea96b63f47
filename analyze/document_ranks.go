package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reel/unit"
)

// numbered is a record with the rank under which it is shown.
type numbered struct {
	record *record
	rank   int
}

// name is the file's name, the first when it was read under several.
func (n numbered) name() string {
	if len(n.record.Names) == 0 {
		return ""
	}
	return n.record.Names[0]
}

// number gives every record its rank: the one that its file says, or its name, or another
// file of its process; else the lowest that is free, in the order of the files' names. An
// earlier file's claim counts. Several recordings of one rank, or of one process, one
// after the other, share it.
func number(records []*record) (list []numbered, notes []string) {
	said, silent, notes := claims(records)
	used := map[int]bool{}
	for rank := range said {
		used[rank] = true
	}
	free := 0
	place := func(groups [][]numbered) {
		slices.SortFunc(groups, func(a, b []numbered) int { return byName(a[0], b[0]) })
		for _, g := range groups {
			for ; used[free]; free++ {
			}
			for i := range g {
				g[i].rank, used[free] = free, true
			}
			list = append(list, g...)
		}
	}
	share := func(group []numbered) (kept []numbered, others [][]numbered) {
		group, left := uncovered(group)
		notes = append(notes, left...)
		if len(group) == 1 || successive(group) {
			return group, nil
		}
		slices.SortFunc(group, byName)
		return group[:1], singly(group[1:])
	}
	var disputed, nameless [][]numbered
	for _, rank := range slices.Sorted(maps.Keys(said)) {
		group, others := share(said[rank])
		if disputed = append(disputed, others...); len(group) > 1 {
			notes = append(notes, fmt.Sprintf("rank %d has %d recordings, one after the other", rank, len(group)))
		}
		list = append(list, group...)
	}
	alone := 0
	for _, p := range silent {
		group, others := share(p)
		nameless, alone = append(append(nameless, group), others...), alone+len(group)+len(others)
	}
	place(nameless)
	place(disputed)
	if len(nameless) == 1 && len(said) == 0 {
		alone = 0 // there is one process: it is no question which rank it is
	}
	notes = append(notes, rankNotes(alone, slices.Concat(disputed...), len(list))...)
	slices.SortStableFunc(list, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(valueOf(a.record.Summary.StartUnix), valueOf(b.record.Summary.StartUnix)))
	})
	return list, notes
}

func singly(list []numbered) (groups [][]numbered) {
	for _, n := range list {
		groups = append(groups, []numbered{n})
	}
	return groups
}

// rankNotes says which ranks are not those of the files.
func rankNotes(n int, disputed []numbered, all int) (notes []string) {
	if n > 0 && all > 1 {
		who := fmt.Sprintf("%v of %v files do not say their rank", unit.Count(n), unit.Count(all))
		if n == all {
			who = "no file says its rank"
		}
		notes = append(notes, who+": numbered in the order of their names")
	}
	for i, n := range disputed {
		if i == maxGaps {
			return append(notes, fmt.Sprintf("the same holds for %v more files", unit.Count(len(disputed)-i)))
		}
		notes = append(notes, fmt.Sprintf("%s says that it is rank %d, as another file does: shown as rank %d (to compare two runs, use reel diff)",
			names(n.record.Names), n.claimed(), n.rank))
	}
	return notes
}

func names(list []string) string {
	if len(list) == 0 {
		return "a file without a name"
	}
	return strings.Join(list, " and ")
}

// successive says that the recordings are of one host and do not overlap in time. Traces of
// PyTorch do not tell their host.
func successive(group []numbered) bool {
	slices.SortFunc(group, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(valueOf(a.record.Summary.StartUnix), valueOf(b.record.Summary.StartUnix)), byName(a, b))
	})
	for i := range group[1:] {
		if p := group[i].process(); numberedReport.MatchString(group[i].name()) && p == group[i+1].process() {
			continue // nsys wrote them one after the other
		}
		a, b := &group[i].record.Summary, &group[i+1].record.Summary
		if a.Host != b.Host && a.Host != "" && b.Host != "" || a.StartUnix == nil || b.StartUnix == nil || *b.StartUnix-*a.StartUnix < a.Duration {
			return false
		}
	}
	return true
}

// byName orders by file name, numbers within by their value, then as records.
func byName(a, b numbered) int {
	return cmp.Or(natural(a.name(), b.name()), compareRecords(a.record, b.record))
}

// natural compares texts such that rank2 stands before rank10.
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if isDigit(x[0]) && isDigit(y[0]) {
			m, n := digits(x), digits(y)
			v, w := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if c := cmp.Or(cmp.Compare(len(v), len(w)), cmp.Compare(v, w)); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits is the length of the digits that s starts with.
func digits(s string) (n int) {
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
