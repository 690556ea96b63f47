package analyze

import (
	"cmp"
	"fmt"
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

// number gives every record its rank: the one that its file says, unless an
// earlier file says the same; else the lowest that is free, in the order of
// the files' names. Several recordings of one rank, one after the other, share it.
func number(records []*record) (list []numbered, notes []string) {
	said := map[int][]numbered{}
	var order []int
	var silent, disputed []numbered
	for _, r := range records {
		switch {
		case r.Rank == nil:
			silent = append(silent, numbered{record: r})
		default:
			if said[*r.Rank] == nil {
				order = append(order, *r.Rank)
			}
			said[*r.Rank] = append(said[*r.Rank], numbered{r, *r.Rank})
		}
		if len(r.Names) > 1 {
			notes = append(notes, fmt.Sprintf("%s are the same recording: counted once", names(r.Names)))
		}
	}
	used := map[int]bool{}
	for _, rank := range order {
		used[rank] = true
		group := said[rank]
		if len(group) > 1 && !successive(group) {
			slices.SortFunc(group, byName)
			disputed = append(disputed, group[1:]...)
			group = group[:1]
		} else if len(group) > 1 {
			notes = append(notes, fmt.Sprintf("rank %d has %d recordings, one after the other", rank, len(group)))
		}
		list = append(list, group...)
	}
	free := 0
	place := func(ns []numbered) {
		slices.SortFunc(ns, byName)
		for i := range ns {
			for ; used[free]; free++ {
			}
			ns[i].rank, used[free] = free, true
		}
		list = append(list, ns...)
	}
	place(silent)
	place(disputed)
	notes = append(notes, rankNotes(silent, disputed, len(records))...)
	slices.SortStableFunc(list, func(a, b numbered) int { return cmp.Compare(a.rank, b.rank) })
	return list, notes
}

// rankNotes says which ranks are not those of the files.
func rankNotes(silent, disputed []numbered, all int) (notes []string) {
	if n := len(silent); n > 0 && all > 1 {
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
			names(n.record.Names), *n.record.Rank, n.rank))
	}
	return notes
}

func names(list []string) string {
	if len(list) == 0 {
		return "a file without a name"
	}
	return strings.Join(list, " and ")
}

// successive says that the recordings, ordered by host and start, are of one
// host and do not overlap in time.
func successive(group []numbered) bool {
	for i := range group[1:] {
		a, b := &group[i].record.Summary, &group[i+1].record.Summary
		if a.Host != b.Host || a.StartUnix == nil || b.StartUnix == nil || *b.StartUnix-*a.StartUnix < a.Duration {
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
