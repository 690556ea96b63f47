package sqlite

import "github.com/ncruces/go-sqlite3"

// What a virtual table is made of: the driver's own interfaces. A Table tells through
// BestIndex which constraints it can use, and opens Cursors over its rows; a Cursor gives
// values to a Context. Values passed to Cursor.Filter are valid during the call.
type (
	Table      = sqlite3.VTab
	Cursor     = sqlite3.VTabCursor
	IndexInfo  = sqlite3.IndexInfo
	IndexUsage = sqlite3.IndexConstraintUsage
	Context    = sqlite3.Context
	Value      = sqlite3.Value
	Op         = sqlite3.IndexConstraintOp
)

// The constraints that a Table may use (IndexInfo.Constraint[i].Op).
const (
	Eq        = sqlite3.INDEX_CONSTRAINT_EQ
	Ne        = sqlite3.INDEX_CONSTRAINT_NE
	Gt        = sqlite3.INDEX_CONSTRAINT_GT
	Ge        = sqlite3.INDEX_CONSTRAINT_GE
	Lt        = sqlite3.INDEX_CONSTRAINT_LT
	Le        = sqlite3.INDEX_CONSTRAINT_LE
	Like      = sqlite3.INDEX_CONSTRAINT_LIKE
	Glob      = sqlite3.INDEX_CONSTRAINT_GLOB
	IsNull    = sqlite3.INDEX_CONSTRAINT_ISNULL
	IsNotNull = sqlite3.INDEX_CONSTRAINT_ISNOTNULL
	Limit     = sqlite3.INDEX_CONSTRAINT_LIMIT
	Offset    = sqlite3.INDEX_CONSTRAINT_OFFSET
)

// UniqueRow says in IndexInfo.IdxFlags that at most one row meets the constraints.
const UniqueRow = sqlite3.INDEX_SCAN_UNIQUE

// AddTable makes t a table of the database under a name; columns is what would stand
// between the parentheses of its CREATE TABLE: "start INTEGER, name TEXT". A panic of t
// becomes an error of the query.
func (db *DB) AddTable(name, columns string, t Table) (err error) {
	if db.broken != nil {
		return db.broken
	}
	defer db.guard(&err)
	//lint:ignore SA1019 the generic method in its place needs a newer Go than ours
	return db.wrap(sqlite3.CreateModule(db.conn, name, nil, func(conn *sqlite3.Conn, _, _, _ string, _ ...string) (Table, error) {
		if err := conn.VTabConfig(sqlite3.VTAB_INNOCUOUS); err != nil {
			return nil, err
		}
		return t, conn.DeclareVTab("CREATE TABLE x(" + columns + ")")
	}))
}

// AddFunction makes f a function of SQL, of n arguments, or any number for -1; the same
// arguments give the same result.
func (db *DB) AddFunction(name string, n int, f func(Context, ...Value)) (err error) {
	if db.broken != nil {
		return db.broken
	}
	defer db.guard(&err)
	return db.wrap(db.conn.CreateFunction(name, n, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, f))
}
