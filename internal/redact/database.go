package redact

import (
	"context"
	"fmt"
	"os"
	"strings"

	"reel/internal/sqlite"
)

// database is an SQLite export. All texts and blobs of all tables are looked at,
// whatever their columns are declared as.
type database struct{}

// rowsAtOnce is how many rows are read before their changes are written.
const rowsAtOnce = 20_000

// maxValue bounds one text or blob, bytes.
const maxValue = 512 << 20

// open opens the export at path for reading.
func (database) open(ctx context.Context, path string) (*sqlite.DB, func(), error) {
	if st, err := os.Stat(path + "-wal"); err == nil && st.Size() > 0 {
		return nil, nil, fmt.Errorf("%s: a program is writing to it, or ended without closing it (%s-wal): open and close it with sqlite3 first", path, base(path))
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	st, err := in.Stat()
	if err == nil {
		var db *sqlite.DB
		if db, err = sqlite.Open(ctx, in, st.Size(), sqlite.Options{MaxValue: maxValue, MaxMemory: 2 << 30}); err == nil {
			if err = plain(db); err == nil {
				return db, func() { db.Close(); in.Close() }, nil
			}
			db.Close()
		}
	}
	in.Close()
	return nil, nil, fmt.Errorf("%s: %w", path, err)
}

// cell is a text or blob of a table.
type cell struct {
	table, column string
	row           int64
	blob          bool
	name          string  // of the row, in tables of names and values
	meant         meaning // by the row's name, or where it is captured output
	value         []byte  // valid until the next
}

// cells calls do for each text and blob of a table, of the rows beyond after, and
// returns the last row seen; ok is false when there are no more.
func cells(db *sqlite.DB, table string, cols []string, captured map[int64]bool, after int64, do func(cell) error) (last int64, ok bool, err error) {
	var names, some []string
	named := -1
	for i, c := range cols {
		names = append(names, sqlite.Quote(c))
		some = append(some, "typeof("+sqlite.Quote(c)+") IN ('text', 'blob')")
		if strings.EqualFold(c, "name") {
			named = i
		}
	}
	rows, err := db.Query(fmt.Sprintf("SELECT rowid, %s FROM %s WHERE rowid > ? AND (%s) ORDER BY rowid LIMIT %d",
		strings.Join(names, ", "), sqlite.Quote(table), strings.Join(some, " OR "), rowsAtOnce), after)
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		last = rows.Int(0)
		row, rowName := ordinaryText, ""
		if named >= 0 && nameTable(table) {
			rowName = string(rows.Text(named + 1))
			row = rowMeaning(rowName)
		}
		for i, name := range cols {
			ty := rows.Type(i + 1)
			if ty != sqlite.Text && ty != sqlite.Blob {
				continue
			}
			c := cell{table: table, column: name, row: last, blob: ty == sqlite.Blob, value: rows.Text(i + 1)}
			if strings.EqualFold(name, "value") {
				c.meant, c.name = row, rowName
			}
			if table == "StringIds" && captured[last] {
				c.meant = outputText
			}
			if err := do(c); err != nil {
				return 0, false, err
			}
		}
	}
	return last, n == rowsAtOnce, rows.Err()
}

// nameTable reports whether a table is one of names and values.
func nameTable(table string) bool {
	return strings.HasPrefix(table, "META_DATA_") || table == "TARGET_INFO_SYSTEM_ENV"
}

// rowMeaning is what the name of a row says of its value: "PROCESS_0:ENVIRONMENT_VARIABLE",
// "PROCESS_0:ARGUMENT_3", "EXPORT_HOST".
func rowMeaning(name string) meaning {
	if strings.Contains(strings.ToUpper(name), "ENVIRONMENT") {
		return environmentText
	}
	return meaningOf(strings.TrimRight(lastPart(name), "_0123456789"))
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// each goes over all texts and blobs of the database.
func each(db *sqlite.DB, batch func() error, do func(cell) error) error {
	names, err := db.Tables()
	if err != nil {
		return err
	}
	captured, err := capturedIDs(db, names)
	if err != nil {
		return err
	}
	for _, table := range names {
		cols, err := db.Columns(table)
		if err != nil {
			return err
		}
		var list []string
		for _, c := range cols {
			if strings.EqualFold(c.Name, "rowid") {
				return fmt.Errorf("table %s has a column %s of its own; such databases are not redacted", table, c.Name)
			}
			list = append(list, c.Name)
		}
		for after, more := int64(-1<<63), len(list) > 0; more; {
			if after, more, err = cells(db, table, list, captured, after, do); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
			if err := batch(); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
		}
	}
	return nil
}

// capturedIDs are the strings that hold what the program printed, and files that
// nsys read.
func capturedIDs(db *sqlite.DB, tables []string) (map[int64]bool, error) {
	ids := map[int64]bool{}
	for _, t := range tables {
		if t != "ProcessStreams" && t != "ANALYSIS_FILE" {
			continue
		}
		rows, err := db.Query("SELECT contentId FROM " + sqlite.Quote(t))
		if err != nil {
			continue // of a schema without it
		}
		for rows.Next() {
			ids[rows.Int(0)] = true
		}
		err = rows.Err()
		rows.Close()
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (d database) learn(ctx context.Context, path string, f *facts) error {
	db, done, err := d.open(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	j := &jsonCopy{f: f}
	err = each(db, func() error { return nil }, func(c cell) error {
		if c.meant == environmentText && c.name != "" {
			f.variable(lastPart(c.name), string(c.value)) // where the row's name holds that of the variable
		}
		j.learn(c.value, c.meant)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
