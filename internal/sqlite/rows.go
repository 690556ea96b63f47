package sqlite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// Type is the type of a value.
type Type = sqlite3.Datatype

// The types of values.
const (
	Integer = sqlite3.INTEGER
	Float   = sqlite3.FLOAT
	Text    = sqlite3.TEXT
	Blob    = sqlite3.BLOB
	Null    = sqlite3.NULL
)

// Rows are the rows of a query. Columns count from 0.
type Rows struct {
	db   *DB
	stmt *sqlite3.Stmt
	err  error
	// What a file of strangers may still claim to hold, see claim.
	rows, bytes int64
}

// smallestRow is below what any row of a table takes in a file, bytes.
const smallestRow = 4

// Query starts a query of one SELECT; args are int64, int, float64, string, []byte,
// bool or nil, for the places of its ?. The rows must be closed.
func (db *DB) Query(sql string, args ...any) (_ *Rows, err error) {
	if db.broken != nil {
		return nil, db.broken
	}
	defer db.guard(&err)
	stmt, tail, err := db.conn.Prepare(sql)
	switch {
	case err != nil:
		return nil, db.wrap(err)
	case stmt == nil:
		return nil, errors.New("the query is empty")
	case strings.Trim(tail, " \t\r\n;") != "":
		stmt.Close()
		return nil, errors.New("more than one statement in a query")
	case stmt.ColumnCount() == 0:
		stmt.Close()
		return nil, errors.New("the statement gives no rows")
	}
	for i, a := range args {
		if err := bind(stmt, i+1, a); err != nil {
			stmt.Close()
			return nil, db.wrap(err)
		}
	}
	return &Rows{db: db, stmt: stmt, rows: db.size / smallestRow, bytes: db.size}, nil
}

func bind(s *sqlite3.Stmt, i int, v any) error {
	switch v := v.(type) {
	case nil:
		return s.BindNull(i)
	case int64:
		return s.BindInt64(i, v)
	case int:
		return s.BindInt(i, v)
	case float64:
		return s.BindFloat(i, v)
	case string:
		return s.BindText(i, v)
	case []byte:
		return s.BindBlob(i, v)
	case bool:
		return s.BindBool(i, v)
	}
	return fmt.Errorf("a %T is no SQL value", v)
}

// Next steps to the next row; false is the end, or an error that Err tells.
func (r *Rows) Next() (ok bool) {
	if r.err != nil || r.db.broken != nil {
		return false
	}
	defer r.db.guard(&r.err)
	if !r.stmt.Step() {
		r.err = r.db.wrap(r.stmt.Err())
		return false
	}
	if r.db.size > 0 {
		if r.rows--; r.rows < 0 {
			r.err = fmt.Errorf("%w: a table claims more rows than the file has room for", ErrCorrupt)
			return false
		}
	}
	return true
}

// Err returns what ended the rows early.
func (r *Rows) Err() error {
	if r.err == nil && r.db.conn == nil {
		return r.db.broken
	}
	return r.err
}

// Close ends the query. It may be called twice.
func (r *Rows) Close() (err error) {
	if r.db.broken != nil {
		return nil // Err has told
	}
	defer r.db.guard(&err)
	r.stmt.Close() // repeats the error of the last step
	return nil
}

// Names returns the names of the columns.
func (r *Rows) Names() (names []string) {
	if r.db.broken != nil {
		return nil
	}
	defer r.db.guard(&r.err)
	for i := range r.stmt.ColumnCount() {
		names = append(names, r.stmt.ColumnName(i))
	}
	return names
}

// Type returns the type of a value of the row.
func (r *Rows) Type(i int) Type { return r.stmt.ColumnType(i) }

// IsNull reports whether a value of the row is NULL.
func (r *Rows) IsNull(i int) bool { return r.stmt.ColumnType(i) == sqlite3.NULL }

// Int returns a value as an integer; what is none gives 0, or the number its text begins with.
func (r *Rows) Int(i int) int64 { return r.stmt.ColumnInt64(i) }

// Float returns a value as a number.
func (r *Rows) Float(i int) float64 { return r.stmt.ColumnFloat(i) }

// Text returns a text or blob without a copy, embedded NULs included; it is valid until
// the next call of a method. NULL is nil.
func (r *Rows) Text(i int) (b []byte) {
	if r.err != nil || r.db.broken != nil {
		return nil
	}
	defer r.db.guard(&r.err)
	if r.db.utf16 {
		b = r.stmt.ColumnRawText(i)
	} else { // what column_text gives, without its copy
		b = r.stmt.ColumnRawBlob(i)
	}
	if r.db.size > 0 {
		if r.bytes -= int64(len(b)); r.bytes < 0 {
			r.err = fmt.Errorf("%w: a table claims more text than the file has room for", ErrCorrupt)
			return nil
		}
	}
	if err := r.stmt.Err(); err != nil {
		r.err = r.db.wrap(err)
		return nil
	}
	return b
}

// Exec runs statements that give no rows.
func (db *DB) Exec(sql string) (err error) {
	if db.broken != nil {
		return db.broken
	}
	defer db.guard(&err)
	return db.wrap(db.conn.Exec(sql))
}

// Insert prepares an INSERT, or any statement without rows, to be run many times; the
// returned function takes its arguments as Query does. Without arguments it ends.
func (db *DB) Insert(sql string) (_ func(args ...any) error, err error) {
	if db.broken != nil {
		return nil, db.broken
	}
	defer db.guard(&err)
	stmt, _, err := db.conn.Prepare(sql)
	if err != nil {
		return nil, db.wrap(err)
	}
	return func(args ...any) (err error) {
		if db.broken != nil {
			return db.broken
		}
		defer db.guard(&err)
		if len(args) == 0 {
			return db.wrap(stmt.Close())
		}
		for i, a := range args {
			if err := bind(stmt, i+1, a); err != nil {
				return db.wrap(err)
			}
		}
		return db.wrap(stmt.Exec())
	}, nil
}
