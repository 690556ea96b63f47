package query

import (
	"context"
	"fmt"
	"strings"

	"reel/analyze"
	"reel/internal/sqlite"
)

// MaxMemory bounds what a query may take beside the timelines, bytes.
const MaxMemory = 512 << 20

// DB answers queries about the ranks of one run. It is used by one goroutine.
type DB struct {
	db *sqlite.DB
}

// Open makes the tables of some ranks, which stay as they are; the context ends
// every query.
func Open(ctx context.Context, ranks []analyze.Rank) (*DB, error) {
	db, err := sqlite.Memory(ctx, sqlite.Options{MaxMemory: MaxMemory})
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	if err := fill(db, newParts(ranks)); err != nil {
		db.Close()
		return nil, fmt.Errorf("query: %w", err)
	}
	return &DB{db}, nil
}

func fill(db *sqlite.DB, parts []*part) error {
	for _, t := range tables() {
		var cols []string
		for _, c := range t.cols {
			cols = append(cols, sqlite.Quote(c.name)+" "+c.kind)
		}
		if err := db.AddTable(t.name, strings.Join(cols, ", "), &virtual{t, parts}); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	for _, v := range views() {
		if err := db.Exec("CREATE VIEW " + v.name + " AS " + v.sql); err != nil {
			return fmt.Errorf("view %s: %w", v.name, err)
		}
	}
	return db.Seal()
}

// Query starts a query of one SELECT. The rows must be closed.
func (d *DB) Query(sql string) (*sqlite.Rows, error) { return d.db.Query(sql) }

// Close closes the database.
func (d *DB) Close() error { return d.db.Close() }
