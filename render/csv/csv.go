// Package csv renders tables as comma-separated values for programs: one line
// of column keys, then the rows, in base units. Title, notes and the total row
// are not written, because programs would take them for data. Texts are quoted where CSV
// asks for it and otherwise as they were in the trace; a spreadsheet may run a
// cell that begins with "=".
package csv

import (
	"encoding/csv"
	"io"

	"reel/table"
)

// Write renders t to w. Absent cells are empty. The error is that of w.
func Write(w io.Writer, t *table.Table) error {
	out := csv.NewWriter(w)
	record := make([]string, len(t.Cols))
	for i, c := range t.Cols {
		record[i] = c.MachineKey()
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i := range record {
			record[i] = ""
			if i < len(row) {
				record[i], _ = row[i].Raw()
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
