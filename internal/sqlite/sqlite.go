// Package sqlite is a thin wrapper of the SQLite driver, in pure Go, and the only
// package that imports it. It opens databases that strangers wrote for reading,
// makes and edits databases of our own, and answers SQL over virtual tables.
//
//	Open       a database behind an io.ReaderAt, for reading; nothing is written, locked
//	           or created beside it, and a journal or write-ahead log there is not read
//	Create     a new database file, for writing; Edit: one that exists
//	Memory     an empty database in memory, for SQL over virtual tables
//	DB.Query   rows: Next, Int, Float, Text, IsNull, Type, Err, Close
//	DB.Exec    statements without rows; DB.Insert: many rows of one table
//	DB.Tables, DB.Columns   what there is; DB.Missing: what a cut file lacks
//	DB.AddTable   a virtual table: the driver's own interfaces, under the names Table, Cursor,
//	           IndexInfo, IndexUsage, Context and Value; Eq, Gt, … are its constraints
//	DB.Seal    from here on only SELECT
//
// Memory is bounded (Options.MaxMemory), and so is each value and, of databases that
// strangers wrote, what a query may claim to hold: never more rows or bytes than the
// file could have. Damage, contradictions and lack of memory are errors, never panics;
// a cancelled context ends a query. It knows no schema and no profiling.
package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/readervfs"
)

// Options bound what a database may take. The zero value is right for reading exports.
type Options struct {
	MaxMemory int64 // bytes that SQLite may use, caches included; 0 is 128 MiB, at most 4 GiB
	MaxValue  int   // bytes of one text or blob, beyond which reading it is an error; 0 is 64 MiB
	Cache     int   // bytes of the page cache; 0 is 4 MiB
}

func (o Options) withDefaults() Options {
	if o.MaxMemory <= 0 {
		o.MaxMemory = 128 << 20
	}
	if o.MaxValue <= 0 {
		o.MaxValue = 64 << 20
	}
	if o.Cache <= 0 {
		o.Cache = 4 << 20
	}
	o.MaxMemory = min(o.MaxMemory, 4<<30)
	return o
}

// The errors that callers tell apart (errors.Is).
var (
	ErrNotDatabase = errors.New("not an SQLite database")
	ErrCorrupt     = errors.New("the database is damaged")
	ErrMemory      = errors.New("the query needs more memory than it may take")
	ErrLong        = errors.New("a text or blob is longer than may be read")
)

// DB is an open database. It is used by one goroutine.
type DB struct {
	conn    *sqlite3.Conn
	ctx     context.Context
	size    int64  // of the file, when strangers wrote it; else 0
	claimed int64  // its size as its header has it; 0 when not said
	reader  string // name under which the driver knows the reader
	utf16   bool   // its texts are
	broken  error  // the driver panicked: nothing more is asked of it
}

// Magic is how every SQLite file begins.
const Magic = "SQLite format 3\x00"

// Open opens the database of size bytes behind r for reading. It must not change
// meanwhile. The context ends the opening, and every query, early.
func Open(ctx context.Context, r io.ReaderAt, size int64, opt Options) (*DB, error) {
	head := make([]byte, 100)
	n, err := r.ReadAt(head, 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case !strings.HasPrefix(string(head[:n]), Magic):
		return nil, ErrNotDatabase
	}
	db := &DB{size: max(size, 1), utf16: head[59] > 1, claimed: claimedSize(head)}
	db.reader = fmt.Sprintf("reel%p", db)
	readervfs.Create(db.reader, &reader{ctx, r, size})
	err = db.open(ctx, "file:"+db.reader+"?vfs=reader&mode=ro", opt,
		"PRAGMA trusted_schema=0", "PRAGMA cell_size_check=1", "PRAGMA query_only=1")
	if err == nil {
		err = db.Seal()
	}
	if err == nil {
		_, err = db.Tables() // reads the schema
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// claimedSize reads a file's size out of its header (https://sqlite.org/fileformat.html,
// 1.3): the size of a page at 16, their number at 28, which holds when the counters of
// changes at 24 and 92 agree.
func claimedSize(head []byte) int64 {
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 65536
	}
	if !bytes.Equal(head[24:28], head[92:96]) {
		return 0
	}
	return page * int64(binary.BigEndian.Uint32(head[28:]))
}

// Missing returns how many bytes at the end of the file its header counts and the file
// does not have, and how many it counts in all; 0 when it does not say.
func (db *DB) Missing() (missing, of int64) { return max(0, db.claimed-db.size), db.claimed }

// Memory opens an empty database in memory.
func Memory(ctx context.Context, opt Options) (*DB, error) { return opened(ctx, ":memory:", opt) }

// Create makes a new database at path, which must not exist.
func Create(ctx context.Context, path string, opt Options) (*DB, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	f.Close()
	return Edit(ctx, path, opt)
}

// Edit opens the database at path for reading and writing. A journal beside it that an
// interrupted writer left is played back, as SQLite does.
func Edit(ctx context.Context, path string, opt Options) (*DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: "mode=rw"}
	return opened(ctx, name.String(), opt)
}

func opened(ctx context.Context, name string, opt Options) (*DB, error) {
	db := &DB{}
	if err := db.open(ctx, name, opt); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// open connects and sets the limits that hold for every database.
func (db *DB) open(ctx context.Context, name string, opt Options, more ...string) (err error) {
	opt, db.ctx = opt.withDefaults(), ctx
	defer db.guard(&err)
	db.conn, err = sqlite3.OpenContext(sqlite3.WithMaxMemory(ctx, opt.MaxMemory), name)
	if err != nil {
		return db.wrap(err)
	}
	db.conn.SetInterrupt(ctx)
	db.conn.Limit(sqlite3.LIMIT_LENGTH, opt.MaxValue)
	db.conn.Limit(sqlite3.LIMIT_ATTACHED, 0)
	for c, on := range map[sqlite3.DBConfig]bool{
		sqlite3.DBCONFIG_ENABLE_LOAD_EXTENSION: false,
		sqlite3.DBCONFIG_ENABLE_TRIGGER:        false,
		sqlite3.DBCONFIG_WRITABLE_SCHEMA:       db.size > 0, // else a file that was cut does not open at all
	} {
		if _, err := db.conn.Config(c, on); err != nil {
			return db.wrap(err)
		}
	}
	for _, sql := range append([]string{fmt.Sprintf("PRAGMA cache_size=-%d", max(1, opt.Cache>>10)), "PRAGMA temp_store=MEMORY"}, more...) {
		if err := db.conn.Exec(sql); err != nil {
			return db.wrap(err)
		}
	}
	return nil
}
