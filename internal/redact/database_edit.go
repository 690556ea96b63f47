package redact

import (
	"context"
	"errors"
	"fmt"
	"os"

	"reel/internal/sqlite"
)

// change is a new value of a cell.
type change struct {
	column string
	row    int64
	value  any
}

func (d database) write(ctx context.Context, path, temp string, f *facts, t tally) error {
	out, err := os.OpenFile(temp, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	err = copyFile(ctx, path, out)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	db, err := sqlite.Edit(ctx, temp, sqlite.Options{MaxValue: maxValue, MaxMemory: 2 << 30, Cache: 64 << 20})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := d.edit(db, f, t); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return db.Close()
}

func (database) edit(db *sqlite.DB, f *facts, t tally) error {
	for _, sql := range []string{"PRAGMA trusted_schema=0", "PRAGMA journal_mode=DELETE", "PRAGMA journal_mode=MEMORY", "PRAGMA secure_delete=1",
		"PRAGMA foreign_keys=0", "PRAGMA ignore_check_constraints=1", "DROP TABLE IF EXISTS sqlite_stat4", "BEGIN"} {
		if err := db.Exec(sql); err != nil {
			return err
		}
	}
	if err := plain(db); err != nil {
		return err
	}
	var changes []change
	table, a := "", args{}
	err := each(db, func() error {
		defer func() { changes = changes[:0] }()
		return update(db, table, changes)
	}, func(c cell) error {
		table = c.table
		value, place, changed := c.value, c.table+"."+c.column, false
		if c.meant != ordinaryText && len(value) > 0 {
			if to, kind := c.meant.instead(&a, value); to != "" && to != string(value) {
				value, changed = []byte(to), true
				t.add(kind, place)
			}
		}
		if !changed {
			value, changed = f.scrub(value, func() string { return place }, t)
		}
		if !changed {
			return nil
		}
		x := change{c.column, c.row, string(value)}
		if c.blob {
			x.value = append([]byte(nil), value...)
		}
		changes = append(changes, x)
		return nil
	})
	if err != nil {
		return err
	}
	if err := db.Exec("COMMIT"); err != nil {
		return err
	}
	return db.Vacuum()
}

// plain refuses databases whose tables cannot be rewritten row by row: Nsight Systems
// writes none.
func plain(db *sqlite.DB) error {
	rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type = 'table' AND (rootpage = 0 OR sql LIKE '%WITHOUT ROWID%')")
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		return fmt.Errorf("table %s is virtual or has no row ids; such databases are not redacted", rows.Text(0))
	}
	return rows.Err()
}

// update writes changes to a table.
func update(db *sqlite.DB, table string, changes []change) error {
	by := map[string]func(...any) error{}
	defer func() {
		for _, f := range by {
			_ = f() // ends it
		}
	}()
	for _, c := range changes {
		f, ok := by[c.column]
		if !ok {
			var err error
			if f, err = db.Insert(fmt.Sprintf("UPDATE OR FAIL %s SET %s = ?1 WHERE rowid = ?2", sqlite.Quote(table), sqlite.Quote(c.column))); err != nil {
				return err
			}
			by[c.column] = f
		}
		err := f(c.value, c.row)
		if err != nil { // a column of different values: tell them apart
			if s, ok := c.value.(string); ok {
				err = f(fmt.Sprintf("%s (%d)", s, c.row), c.row)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (database) check(temp string, f *facts) error {
	for _, left := range []string{"-journal", "-wal", "-shm"} {
		if _, err := os.Stat(temp + left); err == nil {
			return errors.Join(fmt.Errorf("%w: a journal beside the output", ErrLeft), os.Remove(temp+left))
		}
	}
	return checkBytes(temp, f)
}
