package nsysstats

import (
	"reel/table"
	"reel/timeline"
)

// Source is one file of what is reported on; several are the ranks of one job and
// are added up as processes are.
type Source struct {
	TL   *timeline.Timeline
	Name string // for messages
}

// Options say how to report. The zero is what nsys does.
type Options struct {
	// Native makes one row of ranges whose names differ by a number that the
	// program puts in: ", op_id = N", "[step N]", "[i]".
	Native bool
	// Limit is the most rows of a report; 0 is all.
	Limit int
}

// Args are the arguments of host ranges that reports need (timeline.Options.Args).
var Args = []string{argDomain, argStyle, argOpen, argFinished}

// Col is a column of a report.
type Col struct {
	Head   string // "Avg (ns)"
	Digits int    // behind the point; text for words
}

// text is the Digits of a column of words.
const text = -1

// Report is one table, or the reason why there is none.
type Report struct {
	Name    string // "cuda_gpu_kern_sum"
	Title   string // "CUDA GPU Kernel Summary"
	Skipped string // why it cannot be given; it has no rows then
	Cols    []Col
	Len     int      // rows
	Notes   []string // what a reader must know about the numbers

	row func(i int) []table.Cell
}

// Row returns row i, 0 to Len-1, with a cell for each column. Rows are made when they
// are asked for: a report may have millions.
func (r *Report) Row(i int) []table.Cell { return r.row(i) }

// Run makes a report by its name, which may carry arguments behind colons
// ("cuda_gpu_kern_sum:base"). The error is that of a name that is none; it lists
// those that are.
func Run(srcs []Source, name string, opt Options) (*Report, error) {
	d, args, err := parse(name)
	if err != nil {
		return nil, err
	}
	r := &Report{Name: name, Title: d.title}
	b := &build{Report: r, opt: opt, args: args}
	for _, s := range srcs {
		b.ins = append(b.ins, newInput(s, opt))
	}
	d.fill(b)
	if r.row == nil {
		r.Len, r.row = len(b.rows), func(i int) []table.Cell { return b.rows[i] }
	}
	if n := r.Len - opt.Limit; opt.Limit > 0 && n > 0 {
		r.Len = opt.Limit
		b.note("… and %s; --limit 0 shows all", count(n, "more row", "more rows"))
	}
	return r, nil
}
