package sqlite

import (
	"slices"
	"strings"
)

// Tables returns the names of the tables that hold rows of their own: no views, no
// virtual tables, none of SQLite's.
func (db *DB) Tables() (names []string, err error) {
	rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type='table' AND rootpage>0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		if name := string(rows.Text(0)); !strings.HasPrefix(name, "sqlite_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, rows.Err()
}

// Column is a column of a table.
type Column struct {
	Name    string
	Type    string // as declared: "INTEGER", "TEXT"
	NotNull bool
	Key     bool // part of the primary key
}

// Columns returns the columns of a table in their order, none when it does not exist.
// Generated columns are left out: what they hold is a stranger's program.
func (db *DB) Columns(table string) (cols []Column, err error) {
	rows, err := db.Query("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		cols = append(cols, Column{string(rows.Text(0)), string(rows.Text(1)), rows.Int(2) != 0, rows.Int(3) != 0})
	}
	return cols, rows.Err()
}

// Quote quotes a name for use in SQL.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
