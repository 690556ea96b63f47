package xlsx

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xuri/excelize/v2"

	"reel/analyze"
	"reel/unit"
)

// newSheet plans a sheet: which rows it holds, in which order, and what the notes
// below them say.
func newSheet(w *Workbook, name string, rep *analyze.OpsReport) *sheet {
	s := &sheet{name: name, file: w.file, styles: w.styles, rep: rep, xpu: w.isXPU(), deviceWord: "DeviceType." + w.opt.Device,
		rows: sorted(rep), next: 1, cells: make([]excelize.Cell, len(columns)), values: make([]any, len(columns))}
	if rep.SelfDevice != nil {
		s.notes = append(s.notes, "The total of self device time is that of the device's own rows without annotations, as PyTorch counts it: "+
			"operators repeat the time of the work that they launched.")
	}
	s.notes = append(s.notes, rep.Notes...)
	all := max(len(s.rows), rep.RowsTotal)
	if all == len(s.rows) && all <= w.limit-1-s.below() {
		return s
	}
	s.notes = append([]string{""}, s.notes...) // takes its row
	kept := min(len(s.rows), w.limit-1-s.below())
	s.notes[0] = fmt.Sprintf("%s of %s rows are left out: %s; the totals count them.", unit.Count(all-kept), unit.Count(all), why(all > len(s.rows), w.limit))
	s.rows = s.rows[:kept]
	return s
}

func why(cut bool, limit int) string {
	if cut {
		return "the report was limited"
	}
	return fmt.Sprintf("a sheet holds %s, and these have the least time", unit.Count(limit))
}

// below is the number of rows under the data: an empty one, the total, and the
// notes after another empty one. The first keeps the total out of sorting.
func (s *sheet) below() int {
	n := 2
	if len(s.notes) > 0 {
		n += 1 + len(s.notes)
	}
	return n
}

// sorted orders rows by self device time, then by self CPU time, largest first.
func sorted(rep *analyze.OpsReport) []*analyze.OpsRow {
	rows := make([]*analyze.OpsRow, len(rep.Rows))
	for i := range rows {
		rows[i] = &rep.Rows[i]
	}
	deviceTime := func(r *analyze.OpsRow) int64 {
		if r.SelfDevice == nil {
			return 0
		}
		return *r.SelfDevice
	}
	slices.SortStableFunc(rows, func(a, b *analyze.OpsRow) int {
		return cmp.Or(cmp.Compare(deviceTime(b), deviceTime(a)), cmp.Compare(b.SelfCPU, a.SelfCPU))
	})
	return rows
}
