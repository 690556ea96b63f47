package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/readervfs"
)

// guard turns a panic of the driver into an error: it panics when its memory is at its
// bound, and what it makes of a damaged file may run out of it. Nothing more is asked of
// the connection then.
func (db *DB) guard(err *error) {
	r := recover()
	if r == nil {
		return
	}
	db.broken = fmt.Errorf("%w (%v)", ErrCorrupt, r)
	if e, ok := r.(error); ok && e.Error() == outOfMemory {
		db.broken = ErrMemory
	}
	*err = db.broken
}

// outOfMemory is the text of the error that the driver panics with.
const outOfMemory = "sqlite3: out of memory"

// wrap gives the driver's errors our own names.
func (db *DB) wrap(err error) error {
	if err == nil {
		return nil
	}
	switch {
	case db.ctx.Err() != nil && (errors.Is(err, sqlite3.INTERRUPT) || errors.Is(err, sqlite3.IOERR)):
		return db.ctx.Err()
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.IOERR_SHORT_READ), errors.Is(err, sqlite3.CANTOPEN) && db.size > 0:
		return fmt.Errorf("%w (%w)", ErrCorrupt, err)
	case errors.Is(err, sqlite3.NOTADB):
		return fmt.Errorf("%w (%w)", ErrNotDatabase, err)
	case errors.Is(err, sqlite3.NOMEM):
		return ErrMemory
	case errors.Is(err, sqlite3.TOOBIG):
		return ErrLong
	}
	return err
}

// Close closes the database. It may be called twice.
func (db *DB) Close() (err error) {
	if db.reader != "" {
		defer readervfs.Delete(db.reader)
	}
	if db.conn == nil {
		return nil
	}
	conn, broken := db.conn, db.broken
	db.conn = nil
	conn.SetInterrupt(context.Background())
	for _, stmt := range slices.Collect(conn.Stmts()) {
		_ = db.release(stmt.Close)
	}
	err = db.release(conn.Close)
	if broken != nil {
		db.broken = broken
		return nil // told already
	}
	db.broken = errors.New("the database is closed")
	return err
}

// release closes a part of the connection, even when the driver has panicked before:
// ending a statement repeats its last error, and lack of memory is a panic.
func (db *DB) release(closing func() error) (err error) {
	defer db.guard(&err)
	return closing()
}

// reader is a database's bytes. It ends with the context.
type reader struct {
	ctx  context.Context
	r    io.ReaderAt
	size int64
}

func (r *reader) Size() (int64, error) { return r.size, nil }

func (r *reader) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.ReadAt(p, off)
}

// Seal lets nothing through from here on but SELECT: no other statement, no pragma,
// no file, no extension.
func (db *DB) Seal() (err error) {
	if db.broken != nil {
		return db.broken
	}
	defer db.guard(&err)
	return db.wrap(db.conn.SetAuthorizer(func(action sqlite3.AuthorizerActionCode, first, arg, _, _ string) sqlite3.AuthorizerReturnCode {
		switch action {
		case sqlite3.AUTH_SELECT, sqlite3.AUTH_READ, sqlite3.AUTH_RECURSIVE:
			return sqlite3.AUTH_OK
		case sqlite3.AUTH_FUNCTION:
			if arg != "load_extension" {
				return sqlite3.AUTH_OK
			}
		case sqlite3.AUTH_PRAGMA: // Columns asks
			if first == "table_info" {
				return sqlite3.AUTH_OK
			}
		}
		return sqlite3.AUTH_DENY
	}))
}
