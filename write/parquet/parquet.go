// Package parquet writes a run as Parquet tables, for people who go on with
// DuckDB, pandas, Polars or Spark:
//
//	select name, count(*), sum(dur_ns) from 'run/activities.parquet' group by all order by 3 desc
//
// Four tables, a file each: ranges (what the host did), activities (what devices
// did), launches (the calls that caused activities) and derived (requests, stages
// and steps as Reel found them). Rows of several ranks stand in the order of the
// ranks, and no row group holds rows of two. Ids are positions within a rank:
// a join needs rank and id.
//
// Times are nanoseconds; starts are on one clock for all ranks, which the file's
// key "clock" names: "unix" counts from 1970, "trace" does not. Absent values are
// null. It keeps no arguments, marks or counters.
package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"reel/analyze"
	"reel/internal/walk"
)

// Table names one of the tables.
type Table string

// The tables.
const (
	Ranges     Table = "ranges"
	Activities Table = "activities"
	Launches   Table = "launches"
	Derived    Table = "derived"
)

// Tables lists the tables.
func Tables() []Table { return []Table{Ranges, Activities, Launches, Derived} }

// File returns the name of a table's file: "ranges.parquet".
func (t Table) File() string { return string(t) + ".parquet" }

// Options says how to write a table.
type Options struct {
	GroupRows int // rows of a rank after which a further row group begins; 0 is 1,048,576
}

// Write writes one table of the ranks. It streams: besides the names it holds one
// row group, compressed. The errors are those of w, and an unknown table.
func Write(w io.Writer, table Table, ranks []analyze.Rank, opt Options) error {
	if opt.GroupRows <= 0 {
		opt.GroupRows = 1 << 20
	}
	clock := walk.NewClock(ranks)
	var err error
	switch table {
	case Ranges:
		err = write(w, clock, ranks, opt, rangeRows)
	case Activities:
		err = write(w, clock, ranks, opt, activityRows)
	case Launches:
		err = write(w, clock, ranks, opt, launchRows)
	case Derived:
		err = write(w, clock, ranks, opt, derivedRows)
	default:
		return fmt.Errorf("parquet: no table %q: want one of %v", table, Tables())
	}
	if err != nil {
		return fmt.Errorf("parquet: %s: %w", table, err)
	}
	return nil
}

// batchRows is how many rows go to the encoder at once.
const batchRows = 1024

// sink takes the rows of one table.
type sink[T any] struct {
	to    *parquet.GenericWriter[T]
	rows  []T
	group int // rows in the row group
	limit int
	err   error
}

func write[T any](w io.Writer, clock walk.Clock, ranks []analyze.Rank, opt Options, rows func(*rank, *sink[T])) error {
	unit := "trace"
	if clock.Unix {
		unit = "unix"
	}
	s := &sink[T]{limit: opt.GroupRows, to: parquet.NewGenericWriter[T](w,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("reel", "1", ""),
		parquet.KeyValueMetadata("clock", unit))}
	for i, r := range ranks {
		rows(newRank(r, clock.Offset[i]), s)
		s.flush()
	}
	if s.err != nil {
		return s.err
	}
	return s.to.Close()
}

// add adds a row.
func (s *sink[T]) add(row T) {
	s.rows = append(s.rows, row)
	if len(s.rows) == batchRows {
		s.send()
	}
	if s.group+len(s.rows) >= s.limit {
		s.flush()
	}
}

func (s *sink[T]) send() {
	if s.err == nil {
		_, s.err = s.to.Write(s.rows)
	}
	s.group += len(s.rows)
	s.rows = s.rows[:0]
}

// flush ends the row group.
func (s *sink[T]) flush() {
	s.send()
	if s.err == nil && s.group > 0 {
		s.err = s.to.Flush()
	}
	s.group = 0
}
