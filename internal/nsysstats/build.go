package nsysstats

import (
	"fmt"
	"slices"
	"strings"

	"reel/table"
	"reel/unit"
)

// build is a report in the making.
type build struct {
	*Report
	opt  Options
	args []string
	ins  []*input
	rows [][]table.Cell // of reports that make them all
}

func (b *build) has(arg string) bool { return slices.Contains(b.args, arg) }

func (b *build) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// skip says that there is no report, in the words of nsys.
func (b *build) skip(kind string) {
	var names []string
	for _, in := range b.ins {
		name, _, _ := strings.Cut(in.file, " (process ") // of a file of several
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	does := "does"
	if len(names) != 1 {
		does = "do"
	}
	b.Skipped = fmt.Sprintf("%s %s not contain %s data.", strings.Join(names, ", "), does, kind)
}

// noted counts what a report leaves out.
type noted struct {
	open         int // ranges that had not ended
	elsewhere    int // ranges that end on another thread
	unattributed int // activities without a launch in the file
	activities   int
}

// tell writes the notes of what was left out.
func (b *build) tell(n noted) {
	if n.open > 0 {
		b.note("%s had not ended when the recording did: left out", count(n.open, "range", "ranges"))
	}
	if n.elsewhere > 0 {
		b.note("%s not on one thread alone: not projected", count(n.elsewhere, "range is", "ranges are"))
	}
	if n.unattributed > 0 {
		b.note("%s of %s have no launch in the file (launched before it begins, most often): in no range",
			unit.Count(n.unattributed), count(n.activities, "GPU operation", "GPU operations"))
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}

// sumCols are the columns of a summary of times.
func sumCols(instances string, names ...string) []Col {
	cols := []Col{{"Time (%)", 1}, {"Total Time (ns)", 0}, {instances, 0}, {"Avg (ns)", 1}, {"Med (ns)", 1},
		{"Min (ns)", 0}, {"Max (ns)", 0}, {"StdDev (ns)", 1}}
	return append(cols, words(names)...)
}

func words(names []string) []Col {
	var cols []Col
	for _, n := range names {
		cols = append(cols, Col{n, text})
	}
	return cols
}

// sumRows fills a summary of times: a row for each group of the samples.
func (b *build) sumRows(s *grouped) {
	list := s.measure()
	whole := int64(0)
	for _, p := range list.places {
		whole = plus(whole, p.total)
	}
	b.Len, b.row = len(list.places), func(i int) []table.Cell {
		g := list.at(i)
		row := []table.Cell{share(g.total, whole), table.Int(g.total), table.Int(int64(g.n)), table.Float(g.avg), table.Float(g.med),
			table.Int(g.min), table.Int(g.max), table.Float(g.dev)}
		for _, w := range s.key(g.key) {
			row = append(row, table.Str(w))
		}
		return row
	}
}

// share is a part in percent of the sum of all rows.
func share(part, whole int64) table.Cell {
	p, _ := unit.Share(part, whole) // 0 of 0 is 0
	return table.Float(float64(p))
}
