package cli

import (
	"bufio"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"reel/internal/sqlite"
	"reel/render/markdown"
	"reel/render/text"
	"reel/table"
	"reel/unit"
)

// querySchema names the JSON form of an answer.
const querySchema = "reel.query/1"

// printRows prints an answer, at most limit rows of it; 0 is all.
func (a *app) printRows(rows *sqlite.Rows, form string, limit int) error {
	switch form {
	case asJSON:
		return jsonRows(a.Out, rows, limit)
	case asCSV:
		return csvRows(a.Out, rows, limit)
	}
	t, err := tableOf(rows, limit)
	if err != nil {
		return err
	}
	if form == asMarkdown {
		return markdown.Write(a.Out, t)
	}
	return text.Write(a.Out, t, text.Options{Width: a.knownWidth(), Color: a.color()})
}

// maxAnswer bounds the bytes of an answer that is held in memory to be laid out.
const maxAnswer = 64 << 20

// tableOf holds an answer as a table.
func tableOf(rows *sqlite.Rows, limit int) (*table.Table, error) {
	t := table.New("query")
	numbers := []bool{}
	for _, name := range rows.Names() {
		t.Cols = append(t.Cols, table.Col{Name: name, Unit: table.Text, Key: name})
		numbers = append(numbers, true)
	}
	for n, size := 0, 0; rows.Next(); n++ {
		if limit > 0 && n == limit {
			t.Note("… there are more than %v rows; --limit 0 shows all", unit.Count(limit))
			break
		}
		row := make([]any, len(t.Cols))
		for i := range row {
			switch rows.Type(i) {
			case sqlite.Null:
				continue
			case sqlite.Integer, sqlite.Float:
				row[i] = number(rows, i)
			default:
				s := words(rows, i)
				row[i], numbers[i] = s, false
				size += len(s)
			}
			size += 32
		}
		if size > maxAnswer {
			return nil, fmt.Errorf("an answer of more than %v is not laid out; --format csv prints it", unit.Bytes(maxAnswer))
		}
		t.Add(row...)
	}
	for i := range t.Cols {
		if numbers[i] {
			t.Cols[i].Align = table.Right
		}
	}
	return t, rows.Err()
}

// number writes an integer or a float with the digits that tell it apart.
func number(rows *sqlite.Rows, i int) string {
	if rows.Type(i) == sqlite.Integer {
		return strconv.FormatInt(rows.Int(i), 10)
	}
	return strconv.FormatFloat(rows.Float(i), 'f', -1, 64)
}

// words is a text, or a blob in hexadecimal.
func words(rows *sqlite.Rows, i int) string {
	if rows.Type(i) == sqlite.Blob {
		return hex.EncodeToString(rows.Text(i))
	}
	return string(rows.Text(i))
}

// csvRows prints an answer as it comes.
func csvRows(w io.Writer, rows *sqlite.Rows, limit int) error {
	out := csv.NewWriter(w)
	record := rows.Names()
	if err := out.Write(record); err != nil {
		return err
	}
	for n := 0; (limit == 0 || n < limit) && rows.Next(); n++ {
		for i := range record {
			switch rows.Type(i) {
			case sqlite.Null:
				record[i] = ""
			case sqlite.Integer, sqlite.Float:
				record[i] = number(rows, i)
			default:
				record[i] = words(rows, i)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	if err := rows.Err(); err != nil {
		return err
	}
	return out.Error()
}

// jsonRows prints an answer as one document, as it comes.
func jsonRows(w io.Writer, rows *sqlite.Rows, limit int) error {
	out := bufio.NewWriterSize(w, 64<<10)
	names, err := json.Marshal(append([]string{}, rows.Names()...))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `{"schema":%q,"columns":%s,"rows":[`, querySchema, names)
	more, cols := false, len(rows.Names())
	var line []byte
	for n := 0; rows.Next(); n++ {
		if more = limit > 0 && n == limit; more {
			break
		}
		line = append(line[:0], "\n ["...)
		if n > 0 {
			line = append(line[:0], ",\n ["...)
		}
		for i := range cols {
			if i > 0 {
				line = append(line, ',')
			}
			switch rows.Type(i) {
			case sqlite.Null:
				line = append(line, "null"...)
			case sqlite.Integer, sqlite.Float:
				num := number(rows, i)
				if math.IsInf(rows.Float(i), 0) { // JSON has none
					num = "null"
				}
				line = append(line, num...)
			default:
				s, err := json.Marshal(words(rows, i))
				if err != nil {
					return err
				}
				line = append(line, s...)
			}
		}
		if _, err := out.Write(append(line, ']')); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	fmt.Fprint(out, "\n]")
	if more {
		fmt.Fprint(out, `,"more":true`)
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}
