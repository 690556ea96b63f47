package nsys

import (
	"errors"
	"fmt"
	"slices"

	"reel/event"
	"reel/internal/sqlite"
)

// task is a stretch of a table.
type task struct {
	table  *table
	lo, hi int64 // row ids, both included
	whole  bool  // the table has none to go by: all of it

	out chan *event.Batch
	// What a worker found, to be read when out is closed.
	rows, kept, others int64
	err                error
}

// batchesAhead is how many batches of a task wait for the reader, and batchRows how many
// events one holds: a task of 65,536 rows never waits.
const (
	batchesAhead = 4
	batchRows    = 1 << 14
)

// maxTasks bounds the tasks of a table; beyond, its row ids are not what a writer gives.
const maxTasks = 1 << 16

// plan cuts the tables into tasks.
func (s *Source) plan(x *export) (tasks []*task) {
	add := func(t *table, lo, hi int64, whole bool) {
		tasks = append(tasks, &task{table: t, lo: lo, hi: hi, whole: whole, out: make(chan *event.Batch, batchesAhead)})
	}
	for _, t := range tables() {
		if !x.has(t.name, t.need...) || s.opt.Tables != nil && !slices.Contains(s.opt.Tables, t.name) {
			continue
		}
		lo, hi, ok := x.bounds(t.name)
		step := int64(s.opt.Chunk)
		if !ok || (hi-lo)/step >= maxTasks || (hi-lo)/64 > s.size {
			add(t, 0, 0, true)
			continue
		}
		for ; hi-lo >= step; lo += step {
			add(t, lo, lo+step-1, false)
		}
		add(t, lo, hi, false)
	}
	return tasks
}

// worker works on tasks until there are none.
func (s *Source) worker() {
	var db *sqlite.DB
	defer func() {
		if db != nil {
			db.Close()
		}
	}()
	e := newEmitter(s)
	for t := range s.work {
		if db == nil {
			if db, t.err = connect(s.ctx, s.r, s.size); t.err != nil {
				close(t.out)
				continue
			}
		}
		e.task = t
		t.err = s.scan(db, e, t)
		e.flush()
		if t.err != nil { // what a connection is like after an error is anybody's guess
			db.Close()
			db = nil
		}
		close(t.out)
		if s.ctx.Err() != nil {
			return
		}
	}
}

// scan reads the rows of a task.
func (s *Source) scan(db *sqlite.DB, e *emitter, t *task) error {
	rest, args := "WHERE rowid BETWEEN ? AND ?", []any{t.lo, t.hi}
	if t.whole {
		rest, args = "", nil
	}
	cols := e.keep.columns(t.table)
	rows, err := db.Query(s.x.selects(t.table.name, cols, rest), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		t.rows++
		t.table.row(e, rows)
		if e.full() && !e.flush() {
			return s.ctx.Err()
		}
	}
	return rows.Err()
}

// account takes over what a finished task found. Damage costs the rest of its stretch.
func (s *Source) account(t *task) error {
	s.rows[t.table.name] += t.kept
	s.info.Events += t.kept
	if t.others > 0 && s.who.order == 0 {
		s.warn.Add(event.Warning{Code: "other-process", Event: -1, Count: t.others,
			Text: "a row of " + t.table.name + " of a process that is no rank; left out"})
	}
	switch {
	case t.err == nil:
		return nil
	case s.ctx.Err() != nil:
		return s.ctxErr()
	case errors.Is(t.err, sqlite.ErrCorrupt), errors.Is(t.err, sqlite.ErrMemory), errors.Is(t.err, sqlite.ErrLong), errors.Is(t.err, sqlite.ErrNotDatabase):
		text := "a part of the table " + t.table.name + " is unreadable: " + t.err.Error()
		if !t.whole {
			lost := t.hi - t.lo + 1 - t.rows
			s.lost += max(0, lost)
			text = fmt.Sprintf("rows of the table %s are unreadable: %v", t.table.name, t.err)
			s.warn.Add(event.Warning{Code: "unreadable", Event: -1, Text: text, Count: max(1, lost)})
			return nil
		}
		s.lost++
		s.warn.Add(event.Warning{Code: "unreadable", Event: -1, Text: text})
		return nil
	}
	return fmt.Errorf("nsys: %s: table %s: %w", s.name, t.table.name, t.err)
}
