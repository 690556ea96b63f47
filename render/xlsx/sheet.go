package xlsx

import (
	"fmt"
	"slices"

	"github.com/xuri/excelize/v2"

	"reel/analyze"
)

// sheet is a report on its way into a sheet.
type sheet struct {
	name       string
	file       *excelize.File
	styles     styles
	rep        *analyze.OpsReport
	xpu        bool
	deviceWord string            // "DeviceType.CUDA"
	rows       []*analyze.OpsRow // in their order, as many as the sheet can hold
	notes      []string

	out  *excelize.StreamWriter
	next int // row to be written, from 1
	// A row in the making: values[i] points to cells[i], or is nil.
	cells  []excelize.Cell
	values []any
}

func (s *sheet) write() error {
	if err := s.open(); err != nil {
		return err
	}
	for _, step := range []func() error{s.head, s.body, s.foot, s.filter, s.shade, s.out.Flush} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// open begins the sheet. Readers that stream rely on its dimension, and the
// library writes it first.
func (s *sheet) open() (err error) {
	last, err := excelize.CoordinatesToCellName(len(columns), 1+len(s.rows)+s.below())
	if err != nil {
		return err
	}
	if err := s.file.SetSheetDimension(s.name, "A1:"+last); err != nil {
		return err
	}
	if s.out, err = s.file.NewStreamWriter(s.name); err != nil {
		return err
	}
	for i, c := range slices.Backward(columns) { // the library puts each before the others, and Excel wants them ascending
		longest := len(c.name) + button
		for _, r := range s.rows[:min(len(s.rows), sampled-1)] {
			longest = max(longest, width(c.value(s, r), c.kind))
		}
		if err := s.out.SetColWidth(i+1, i+1, float64(min(max(longest+2, minWidth), maxWidth))); err != nil {
			return err
		}
	}
	return s.out.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
		Selection: []excelize.Selection{{SQRef: "A2", ActiveCell: "A2", Pane: "bottomLeft"}}})
}

// head writes the headings.
func (s *sheet) head() error {
	for i, c := range columns {
		s.set(i, c.name, s.styles.head[c.kind])
	}
	return s.row(excelize.RowOpts{Height: 20})
}

// body writes the rows. Their height is fixed: a stack would make its row as high
// as it is long.
func (s *sheet) body() error {
	var opts excelize.RowOpts
	if s.rep.By == analyze.OpsByStack {
		opts.Height = 15
	}
	for _, r := range s.rows {
		for i := range columns {
			s.set(i, columns[i].value(s, r), s.styles.of[columns[i].kind])
		}
		if err := s.row(opts); err != nil {
			return err
		}
	}
	return nil
}

// foot writes the total and the notes.
func (s *sheet) foot() error {
	s.next++
	for i, c := range columns {
		s.set(i, "", s.styles.total[c.kind])
		if s.cells[i].Value = nil; c.total != nil {
			s.cells[i].Value = c.total(s)
		}
	}
	if err := s.row(excelize.RowOpts{}); err != nil {
		return err
	}
	s.next++
	for _, note := range s.notes {
		clear(s.values)
		s.set(0, clean(note), s.styles.note)
		if err := s.row(excelize.RowOpts{}); err != nil {
			return err
		}
	}
	return nil
}

// set puts a value into the row; an absent one leaves the cell out.
func (s *sheet) set(i int, v any, style int) {
	if v == nil {
		s.values[i] = nil
		return
	}
	s.cells[i] = excelize.Cell{StyleID: style, Value: v}
	s.values[i] = &s.cells[i]
}

func (s *sheet) row(o excelize.RowOpts) error {
	at, err := excelize.CoordinatesToCellName(1, s.next)
	if err != nil {
		return err
	}
	s.next++
	return s.out.SetRow(at, s.values, o)
}

// filter puts filters on the headings, over the rows alone.
func (s *sheet) filter() error {
	last, err := excelize.CoordinatesToCellName(len(columns), 1+len(s.rows))
	if err != nil {
		return err
	}
	return s.file.AutoFilter(s.name, "A1:"+last, nil)
}

// shade colours the shares of self time, the deeper the larger.
func (s *sheet) shade() error {
	for i, c := range columns {
		if c.kind != percent || c.total == nil || len(s.rows) == 0 {
			continue
		}
		name, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		err = s.file.SetConditionalFormat(s.name, fmt.Sprintf("%s2:%s%d", name, name, 1+len(s.rows)), []excelize.ConditionalFormatOptions{{
			Type: "2_color_scale", Criteria: "=", MinType: "num", MinValue: "0", MinColor: "#FFFFFF", MaxType: "num", MaxValue: "100", MaxColor: "#" + most}})
		if err != nil {
			return err
		}
	}
	return nil
}
