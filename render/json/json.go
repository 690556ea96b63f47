// Package json renders tables as JSON: an array with one object per row, keys in the
// columns' order, numbers in base units. An absent cell has no key. Documents with a
// schema name are made by whoever owns the schema; Append gives them the rows.
package json

import (
	"bytes"
	"encoding/json"
	"io"

	"reel/table"
)

// Write renders the rows of t to w, one on each line. Title, notes and total
// are not written. The error is that of w.
func Write(w io.Writer, t *table.Table) error {
	_, err := w.Write(append(Append(nil, t), '\n'))
	return err
}

// Append appends the array to dst, without a line feed behind it.
func Append(dst []byte, t *table.Table) []byte {
	keys := make([][]byte, len(t.Cols))
	for i, c := range t.Cols {
		keys[i] = append(quote(c.MachineKey()), ':')
	}
	dst = append(dst, '[')
	for i, row := range t.Rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, "\n {"...)
		first := true
		for j := range min(len(row), len(keys)) {
			raw, ok := row[j].Raw()
			if !ok {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, keys[j]...)
			if _, isText := row[j].Str(); isText {
				dst = append(dst, quote(raw)...)
			} else {
				dst = append(dst, raw...)
			}
		}
		dst = append(dst, '}')
	}
	if len(t.Rows) > 0 {
		dst = append(dst, '\n')
	}
	return append(dst, ']')
}

// quote writes s as a JSON string, with "<" and "&" as they are and broken
// UTF-8 replaced.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
