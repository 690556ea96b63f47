package sqlite

import "github.com/ncruces/go-sqlite3"

// Vacuum rebuilds the database that Edit opened, so that nothing is left of what was
// deleted or replaced: no free page, no slack within pages. It takes the database's
// size again on the disk, in a temporary file.
func (db *DB) Vacuum() (err error) {
	if db.broken != nil {
		return db.broken
	}
	defer db.guard(&err)
	// SQLite attaches the copy that it makes; nobody else may.
	limit := db.conn.Limit(sqlite3.LIMIT_ATTACHED, 1)
	defer db.conn.Limit(sqlite3.LIMIT_ATTACHED, limit)
	if err := db.conn.Exec("PRAGMA temp_store=FILE"); err != nil {
		return db.wrap(err)
	}
	return db.wrap(db.conn.Exec("VACUUM"))
}
