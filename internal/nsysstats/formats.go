package nsysstats

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"reel/table"
)

// Schema names the JSON form.
const Schema = "reel.stats/1"

// raw is a cell for programs, with the digits of its column; "" is absent.
func (c Col) raw(cell table.Cell) string {
	if s, ok := cell.Str(); ok {
		return s
	}
	return string(c.digits(nil, cell))
}

// digits appends a number with the digits of its column; nothing when it is absent.
func (c Col) digits(b []byte, cell table.Cell) []byte {
	if n, ok := cell.Int(); ok && c.Digits == 0 {
		return strconv.AppendInt(b, n, 10)
	}
	f, ok := cell.Float()
	if !ok {
		return b
	}
	return strconv.AppendFloat(b, f, 'f', max(c.Digits, 0), 64)
}

// WriteCSV writes reports as nsys does: a line of headings, then the rows, with an
// empty line between reports. One that is skipped has no lines. The error is that
// of w.
func WriteCSV(w io.Writer, reports []*Report) error {
	out, written := csv.NewWriter(w), false
	for _, r := range reports {
		if r.Skipped != "" {
			continue
		}
		if written {
			out.Flush()
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		written = true
		record := make([]string, len(r.Cols))
		for i, c := range r.Cols {
			record[i] = c.Head
		}
		if err := out.Write(record); err != nil {
			return err
		}
		for k := range r.Len {
			row := r.Row(k)
			for i, c := range r.Cols {
				record[i] = c.raw(row[i])
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// WriteJSON writes reports as one document (reel.stats/1): rows are objects whose
// keys are the headings of the CSV, numbers are numbers. The error is that of w.
func WriteJSON(w io.Writer, reports []*Report) error {
	out := bufio.NewWriterSize(w, 64<<10) // keeps the first error for Flush
	out.WriteString(`{"schema":"` + Schema + `","reports":[`)
	for i, r := range reports {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n{\"report\":" + quoted(r.Name))
		if r.Skipped != "" {
			out.WriteString(`,"skipped":` + quoted(r.Skipped))
		}
		out.WriteString(`,"rows":[`)
		r.writeRows(out)
		out.WriteByte(']')
		for k, n := range r.Notes {
			out.WriteString(map[bool]string{true: `,"notes":[`, false: ","}[k == 0] + quoted(n))
		}
		if len(r.Notes) > 0 {
			out.WriteByte(']')
		}
		out.WriteByte('}')
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

func (r *Report) writeRows(out *bufio.Writer) {
	heads := make([]string, len(r.Cols))
	for i, c := range r.Cols {
		heads[i] = quoted(c.Head) + ":"
	}
	for i := range r.Len {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n {")
		first := true
		for k, cell := range r.Row(i) {
			if cell.IsAbsent() {
				continue
			}
			if !first {
				out.WriteByte(',')
			}
			first = false
			out.WriteString(heads[k])
			if s, ok := cell.Str(); ok {
				out.WriteString(quoted(s))
			} else {
				out.WriteString(r.Cols[k].raw(cell))
			}
		}
		out.WriteByte('}')
	}
}

// quoted writes a JSON string; bytes that are no UTF-8 become U+FFFD.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a string always encodes
		return `""`
	}
	return string(b)
}

// Table is the report as a table, for renderers of other forms.
func (r *Report) Table() *table.Table {
	t := table.New(r.Name)
	t.Title, t.Notes = r.Title+" ("+r.Name+")", r.Notes
	if r.Skipped != "" {
		t.Title, t.Notes = "", []string{"SKIPPED: " + r.Skipped}
	}
	for _, c := range r.Cols {
		align := table.Right
		if c.Digits == text {
			align = table.Left
		}
		t.Cols = append(t.Cols, table.Col{Name: c.Head, Unit: table.Text, Align: align, Key: c.Head})
	}
	for k := range r.Len {
		row := r.Row(k)
		cells := make([]any, len(row))
		for i, c := range r.Cols {
			if !row[i].IsAbsent() {
				if c.Digits == text {
					cells[i] = c.raw(row[i])
				} else {
					cells[i] = string(c.number(nil, row[i]))
				}
			}
		}
		t.Add(cells...)
	}
	return t
}
