// Package table holds results as rows of typed cells in base units, between the
// analyses that fill it and the renderers that show it. It knows no terminal, no
// file format and no profiling words.
//
// A cell is absent or has a value; 0 and "" are values.
package table

import (
	"fmt"
	"slices"
	"strings"
)

// Unit says what the numbers of a column are. Cells hold base units.
type Unit uint8

// The units of columns.
const (
	None        Unit = iota // a plain number, shown as it is
	Nanoseconds             // a length of time in nanoseconds
	Bytes                   // an amount of memory or storage in bytes
	Percent                 // a share in percent, 61.0 is 61 %
	Count                   // a number of things
	Text                    // words
	Bar                     // a fraction 0 to 1, drawn as a bar where that is possible
)

// Align says on which side of its column a cell stands.
type Align uint8

// The sides. Auto is left for Text and Bar and right for everything else.
const (
	Auto Align = iota
	Left
	Right
)

// Col describes a column. Only Name is required; Unit's zero is a plain number.
type Col struct {
	Name  string // heading for people; may be empty
	Unit  Unit
	Align Align
	Key   string // name for programs; see MachineKey for the default
}

// Rightward reports whether the column's cells stand on the right.
func (c Col) Rightward() bool {
	if c.Align == Auto {
		return c.Unit != Text && c.Unit != Bar
	}
	return c.Align == Right
}

// MachineKey is the column's name in JSON and CSV: Key, or else the Name in
// lower case with "_" between words and the base unit behind it ("self_cpu_ns").
func (c Col) MachineKey() string {
	if c.Key != "" {
		return c.Key
	}
	words := strings.FieldsFunc(strings.ToLower(c.Name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	switch c.Unit {
	case Nanoseconds:
		words = append(words, "ns")
	case Bytes:
		words = append(words, "bytes")
	case Percent:
		words = append(words, "percent")
	case Bar:
		words = append(words, "fraction")
	}
	return strings.Join(words, "_")
}

// Table is a titled grid. Its fields are open to renderers; analyses use Add,
// SetTotal and Note, which keep every row as long as Cols.
type Table struct {
	Name  string // name for programs: "ops"
	Title string // heading for people; empty is none
	Cols  []Col
	Rows  [][]Cell
	Total []Cell   // row under the others; nil is none; text renderers only
	Notes []string // what a reader must know about the numbers
}

// New makes an empty table.
func New(name string, cols ...Col) *Table {
	return &Table{Name: name, Cols: cols}
}

// Add appends a row. Each value becomes a cell as Of says; cells left out at
// the end are absent. More values than columns is a mistake in the calling code
// and panics.
func (t *Table) Add(values ...any) { t.Rows = append(t.Rows, t.row(values)) }

// SetTotal sets the row under the others, made as by Add.
func (t *Table) SetTotal(values ...any) { t.Total = t.row(values) }

// Note appends a remark, formatted as by fmt.Sprintf.
func (t *Table) Note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

func (t *Table) row(values []any) []Cell {
	if len(values) > len(t.Cols) {
		panic(fmt.Sprintf("table %s: %d values for %d columns", t.Name, len(values), len(t.Cols)))
	}
	row := make([]Cell, len(t.Cols))
	for i, v := range values {
		row[i] = Of(v)
	}
	return row
}

// Sort orders the rows by the column with this key or name (case does not
// matter), keeping the order of equal rows. Texts among numbers, and absent cells
// after them, come last either way.
// The error names the columns that exist.
func (t *Table) Sort(column string, descending bool) error {
	i := slices.IndexFunc(t.Cols, func(c Col) bool {
		return strings.EqualFold(c.MachineKey(), column) || strings.EqualFold(c.Name, column)
	})
	if i < 0 || column == "" {
		var keys []string
		for _, c := range t.Cols {
			keys = append(keys, c.MachineKey())
		}
		return fmt.Errorf("no column %q; the columns are %s", column, strings.Join(keys, ", "))
	}
	slices.SortStableFunc(t.Rows, func(a, b []Cell) int {
		if descending && rank(a[i]) == rank(b[i]) {
			return Compare(b[i], a[i])
		}
		return Compare(a[i], b[i])
	})
	return nil
}
