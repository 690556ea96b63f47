package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small makes a database of n rows in a table t(id, name, value) and returns its bytes.
func small(t testing.TB, n int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a b?#%41.sqlite") // a name that a URI could misread
	db, err := Create(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Exec("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL); CREATE VIEW v AS SELECT * FROM t; BEGIN"); err != nil {
		t.Fatal(err)
	}
	insert, err := db.Insert("INSERT INTO t VALUES(?,?,?)")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := insert(int64(i), fmt.Sprintf("name\x00%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(insert(), db.Exec("COMMIT"), db.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, b []byte) *DB {
	t.Helper()
	db, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestRead(t *testing.T) {
	db := open(t, small(t, 1000))
	names, err := db.Tables()
	if err != nil || strings.Join(names, " ") != "t" {
		t.Errorf("tables %q, %v", names, err)
	}
	cols, err := db.Columns("t")
	if want := `[{id INTEGER false true} {name TEXT true false} {value REAL false false}]`; err != nil || fmt.Sprint(cols) != want {
		t.Errorf("columns %v, %v; want %s", cols, err, want)
	}
	if cols, err := db.Columns("absent"); err != nil || cols != nil {
		t.Errorf("columns of no table: %v, %v", cols, err)
	}
	rows, err := db.Query("SELECT id, name, value FROM t WHERE id >= ?", 998)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows.Names(), " "); got != "id name value" {
		t.Errorf("names %s", got)
	}
	for want := int64(998); rows.Next(); want++ {
		if rows.Int(0) != want || string(rows.Text(1)) != fmt.Sprintf("name\x00%d", want) || !rows.IsNull(2) || rows.Type(0) != Integer || rows.Text(2) != nil {
			t.Errorf("row %d: %d %q", want, rows.Int(0), rows.Text(1))
		}
	}
	if err := errors.Join(rows.Err(), rows.Close(), rows.Close()); err != nil {
		t.Error(err)
	}
}

// TestBudget: a query of a stranger's database gives no more than its file can hold.
func TestBudget(t *testing.T) {
	db := open(t, small(t, 1000))
	for _, db.size = range []int64{3996, 5000} { // too small for the rows, and for the texts
		if n, err := count(db, "SELECT id, name FROM t"); n == 1000 || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes: %d rows, %v", db.size, n, err)
		}
	}
}

// TestSealed: a database of strangers can be read and nothing else.
func TestSealed(t *testing.T) {
	db := open(t, small(t, 1))
	for _, sql := range []string{"DELETE FROM t", "ATTACH 'x.db' AS x", "PRAGMA journal_mode=wal", "CREATE TEMP TABLE a(b)",
		"SELECT load_extension('x')", "SELECT 1; SELECT 2", "", "VACUUM INTO 'x'", "SELECT nonsense FROM"} {
		if rows, err := db.Query(sql); err == nil {
			t.Errorf("%q goes through", sql)
			rows.Close()
		}
		if sql != "" && !strings.HasPrefix(sql, "SELECT 1;") && db.Exec(sql) == nil {
			t.Errorf("%q is executed", sql)
		}
	}
	if rows, err := db.Query("SELECT ?", struct{}{}); err == nil {
		rows.Close()
		t.Error("a struct is bound")
	}
}

// TestNothingBeside: reading leaves no file, and takes none, beside the database, which
// may be in the folder of somebody else.
func TestNothingBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.sqlite")
	db, err := Create(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Exec("PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES(7)"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(context.Background(), path, Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("create over a file: %v", err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, _ := f.Stat()
	rdb, err := Open(context.Background(), f, st.Size(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rdb.Close()
	rows, err := rdb.Query("SELECT a FROM t")
	if err != nil || !rows.Next() || rows.Int(0) != 7 {
		t.Errorf("a database of write-ahead mode: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files %v", entries)
	}
}

func TestNotADatabase(t *testing.T) {
	for name, b := range map[string][]byte{"empty": nil, "text": []byte("hello"), "magic": []byte(Magic)[:10]} {
		if _, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), Options{}); !errors.Is(err, ErrNotDatabase) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := small(t, 3000)
	for name, b := range map[string][]byte{"magic only": []byte(Magic), "zeros": append([]byte(Magic), make([]byte, 8192)...)} {
		if db, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), Options{}); err == nil {
			db.Close()
			t.Errorf("%s opens", name)
		}
	}
	cut := open(t, b[:len(b)/2])
	if missing, of := cut.Missing(); missing != int64(len(b)-len(b)/2) || of != int64(len(b)) {
		t.Errorf("%d of %d bytes missing", missing, of)
	}
	if missing, of := open(t, b).Missing(); missing != 0 || of != int64(len(b)) {
		t.Errorf("%d of %d bytes missing from a whole file", missing, of)
	}
	if n, err := count(cut, "SELECT id, name FROM t"); n == 0 || n == 3000 || !errors.Is(err, ErrCorrupt) {
		t.Errorf("cut: %d rows, %v", n, err)
	}
}

// count steps through a query and reads each text.
func count(db *DB, sql string) (n int, err error) {
	rows, err := db.Query(sql)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		rows.Text(1)
		n++
	}
	return n, rows.Err()
}

const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) "

// TestLimits: memory, the length of a value and a cancelled context are errors.
func TestLimits(t *testing.T) {
	db, err := Memory(context.Background(), Options{MaxMemory: 8 << 20, MaxValue: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := count(db, "SELECT 1, zeroblob(2000000)"); err == nil {
		t.Error("a long value passes")
	}
	if _, err := count(db, endless+"SELECT n, zeroblob(900000) AS z FROM c ORDER BY -n"); !errors.Is(err, ErrMemory) {
		t.Errorf("endless memory: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	db, err := Memory(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.AddFunction("stop", 1, func(c Context, v ...Value) {
		if v[0].Int64() == 100 {
			cancel()
		}
		c.ResultInt64(v[0].Int64())
	}); err != nil {
		t.Fatal(err)
	}
	if n, err := count(db, endless+"SELECT sum(stop(n)) FROM c"); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows, %v", n, err)
	}
	if _, err := db.Query("SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
	b := small(t, 10)
	if _, err := Open(ctx, bytes.NewReader(b), int64(len(b)), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("open after cancel: %v", err)
	}
}

// slice is a virtual table over numbers.
type slice []int64

func (s slice) BestIndex(i *IndexInfo) error { i.EstimatedCost = float64(len(s)); return nil }
func (s slice) Open() (Cursor, error)        { return &sliceCursor{s: s}, nil }

type sliceCursor struct {
	s slice
	i int
}

func (c *sliceCursor) Filter(int, string, ...Value) error { c.i = 0; return nil }
func (c *sliceCursor) Next() error                        { c.i++; return nil }
func (c *sliceCursor) EOF() bool                          { return c.i >= len(c.s) }
func (c *sliceCursor) RowID() (int64, error)              { return int64(c.i), nil }
func (c *sliceCursor) Column(ctx Context, n int) error {
	if n == 1 {
		panic("no such thing")
	}
	ctx.ResultInt64(c.s[c.i])
	return nil
}

func TestTable(t *testing.T) {
	db, err := Memory(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = errors.Join(db.AddTable("numbers", "n INTEGER, bad TEXT", slice{3, 4, 5}),
		db.AddFunction("twice", 1, func(ctx Context, v ...Value) { ctx.ResultInt64(2 * v[0].Int64()) }),
		db.Exec("CREATE VIEW big AS SELECT n FROM numbers WHERE n > 3"), db.Seal())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query("SELECT sum(twice(n)) FROM big")
	if err != nil || !rows.Next() || rows.Int(0) != 18 {
		t.Fatalf("%v", err)
	}
	rows.Close()
	if _, err := count(db, "SELECT n, bad FROM numbers"); err == nil {
		t.Error("a panic of a table passes")
	}
	if _, err := db.Query("SELECT 1"); err == nil {
		t.Error("after a panic the connection is used again")
	}
}

// broken is a file that cannot be read.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

func TestUnreadable(t *testing.T) {
	if _, err := Open(context.Background(), broken{}, 4096, Options{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
}
