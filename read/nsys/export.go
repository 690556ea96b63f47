package nsys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"reel/internal/sqlite"
)

// export is an open export: its connection and what tables it has.
type export struct {
	name   string
	db     *sqlite.DB
	tables map[string]columns
	names  []string // of the tables, sorted
	texts  *texts   // once New has read them
}

// columns are the names of a table's columns.
type columns map[string]bool

// telling are the tables that make a database an export.
var telling = []string{"NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
	"META_DATA_EXPORT", "META_DATA_CAPTURE", "TARGET_INFO_SESSION_START_TIME"}

// maxTables bounds how many tables a file may have; exports have about a hundred.
const maxTables = 4096

func openExport(ctx context.Context, r io.ReaderAt, size int64, name string) (*export, error) {
	db, err := connect(ctx, r, size)
	x := &export{name: name, db: db, tables: map[string]columns{}}
	if errors.Is(err, sqlite.ErrNotDatabase) {
		return nil, fmt.Errorf("nsys: %s: %w: %w", name, err, ErrNotExport)
	}
	if err != nil {
		return nil, x.fail(err)
	}
	if err := x.schema(); err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

// maxValue bounds one value that is read, bytes.
const maxValue = 16 << 20

// connect opens a connection. A scan needs little: pages are read once, in order.
func connect(ctx context.Context, r io.ReaderAt, size int64) (*sqlite.DB, error) {
	return sqlite.Open(ctx, r, size, sqlite.Options{MaxMemory: 64 << 20, MaxValue: maxValue, Cache: 2 << 20})
}

func (x *export) close() { x.db.Close() }

// fail names the file in an error.
func (x *export) fail(err error) error { return fmt.Errorf("nsys: %s: %w", x.name, err) }

// schema lists the tables and their columns.
func (x *export) schema() error {
	names, err := x.db.Tables()
	if err != nil {
		return x.fail(err)
	}
	if len(names) > maxTables {
		return x.fail(fmt.Errorf("%d tables: %w", len(names), ErrNotExport))
	}
	x.names = names
	for _, t := range names {
		cols, err := x.db.Columns(t)
		if err != nil {
			continue // what of it is readable, nobody can tell
		}
		x.tables[t] = columns{}
		for _, c := range cols {
			x.tables[t][c.Name] = true
		}
	}
	known := false
	for _, t := range telling {
		known = known || x.tables[t] != nil
	}
	if !known {
		return fmt.Errorf("nsys: %s: an SQLite database without a table of Nsight Systems: %w", x.name, ErrNotExport)
	}
	return nil
}

// has reports whether a table exists and has all of these columns.
func (x *export) has(table string, cols ...string) bool {
	t := x.tables[table]
	for _, c := range cols {
		if !t[c] {
			return false
		}
	}
	return t != nil
}

// selects writes the SELECT of a table's columns: those that the table lacks are NULL.
func (x *export) selects(table string, cols []string, rest string) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range cols {
		if i > 0 {
			b.WriteString(", ")
		}
		if x.tables[table][c] {
			b.WriteString(sqlite.Quote(c))
		} else {
			b.WriteString("NULL")
		}
	}
	// A stranger's index may contradict its table.
	return b.String() + " FROM " + sqlite.Quote(table) + " NOT INDEXED " + rest
}

// maxSmall bounds the rows that are read of tables about the session.
const maxSmall = 1 << 16

// each calls row for the rows of a small table, if the file has it. What cannot be read
// of such a table is left out: it is not worth the rest.
func (x *export) each(table string, cols []string, row func(*sqlite.Rows)) {
	if !x.has(table) {
		return
	}
	rows, err := x.db.Query(x.selects(table, cols, fmt.Sprintf("LIMIT %d", maxSmall)))
	if err != nil {
		return
	}
	defer rows.Close()
	for rows.Next() {
		row(rows)
	}
}

// maxWord bounds what is kept of a text about the session, bytes: a name, a version, a
// message of nsys.
const maxWord = 1 << 10

// short returns a text about the session, cut where it is longer than any should be.
func short(r *sqlite.Rows, i int) string {
	b := r.Text(i)
	if len(b) <= maxWord {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:maxWord]), "") + "…"
}
