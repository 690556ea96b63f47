// Package nsysgen writes synthetic exports of Nsight Systems: small ones for tests, one
// for each case that a reader must get right, in the columns of two generations, and big
// ones for measurements. What is in them is made up; names of tables and columns are
// those of public exports and of the documentation. No export of NVIDIA's is needed or
// copied.
package nsysgen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"reel/internal/sqlite"
)

// Schema is a generation of columns.
type Schema string

// The generations.
const (
	New Schema = "3.25.0" // nsys 2026.2
	Old Schema = "3.17.2" // nsys 2025.1, and of kernels the columns of 2021
)

var products = map[Schema]string{New: "2026.2.1.210", Old: "2025.1.3.140"}

// row is a row by its columns; those not named are NULL, or 0 and "" where they must not be.
type row map[string]any

// writer writes an export: tables appear with their first row, as in real ones.
type writer struct {
	db     *sqlite.DB
	schema Schema
	tables map[string]*sink
	texts  map[string]int64
	err    error
}

// sink takes the rows of one table.
type sink struct {
	cols   []column
	insert func(...any) error
	args   []any
}

// newWriter makes the file. One transaction holds all: an export is written once.
func newWriter(ctx context.Context, path string, schema Schema) (*writer, error) {
	db, err := sqlite.Create(ctx, path, sqlite.Options{Cache: 32 << 20})
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, schema: schema, tables: map[string]*sink{}, texts: map[string]int64{}}
	w.exec("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN")
	return w, nil
}

func (w *writer) exec(sql string) {
	if w.err == nil {
		w.err = w.db.Exec(sql)
	}
}

// table returns a table, made if it is not there.
func (w *writer) table(name string) *sink {
	if s := w.tables[name]; s != nil || w.err != nil {
		return s
	}
	cols := columnsOf(w.schema, name)
	if len(cols) == 0 {
		w.err = fmt.Errorf("no table %s is known", name)
		return nil
	}
	return w.make(name, cols)
}

// make makes a table of these columns.
func (w *writer) make(name string, cols []column) *sink {
	w.exec(create(name, cols))
	if w.err != nil {
		return nil
	}
	s := &sink{cols: cols, args: make([]any, len(cols))}
	s.insert, w.err = w.db.Insert("INSERT INTO " + sqlite.Quote(name) + " VALUES(" + strings.TrimSuffix(strings.Repeat("?,", len(cols)), ",") + ")")
	w.tables[name] = s
	return s
}

// add adds a row. Columns that the generation does not have are dropped.
func (w *writer) add(table string, r row) {
	s := w.table(table)
	if w.err != nil {
		return
	}
	for i, c := range s.cols {
		v, ok := r[c.name]
		switch {
		case ok:
		case c.null:
			v = nil
		case c.kind == "T":
			v = ""
		default:
			v = 0
		}
		s.args[i] = v
	}
	w.err = s.insert(s.args...)
}

// text returns the id of a name.
func (w *writer) text(s string) int64 {
	id, ok := w.texts[s]
	if !ok {
		id = int64(len(w.texts))
		w.texts[s] = id
		w.add("StringIds", row{"id": id, "value": s})
	}
	return id
}

// meta writes what stands about the session.
func (w *writer) meta(stop int64) {
	parts := strings.Split(string(w.schema), ".")
	for _, kv := range [][2]string{{"EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"}, {"EXPORT_PRODUCT_VERSION", products[w.schema]},
		{"EXPORT_SCHEMA_VERSION", string(w.schema)}, {"EXPORT_SCHEMA_VERSION_MAJOR", parts[0]}, {"EXPORT_SCHEMA_VERSION_MINOR", parts[1]}} {
		w.add("META_DATA_EXPORT", row{"name": kv[0], "value": kv[1]})
	}
	w.add("TARGET_INFO_SESSION_START_TIME", row{"utcEpochNs": 1_780_000_000_000_000_000, "utcTime": "2026-05-28T20:26:40", "localTime": "2026-05-28T20:26:40"})
	w.add("ANALYSIS_DETAILS", row{"duration": stop, "stopTime": stop})
	for _, v := range []string{"NvtxEvents", "Cuda"} {
		w.add("META_DATA_CAPTURE", row{"name": "CAPTURE_EVENT_TYPE", "value": v})
	}
	w.add("META_DATA_CAPTURE", row{"name": "DEVICE_DISPLAY_NAME", "value": "render-box"})
}

// close ends the file.
func (w *writer) close() error {
	names := make([]string, 0, len(w.tables))
	for name := range w.tables {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if s := w.tables[name]; w.err == nil && s.insert != nil {
			w.err = s.insert()
		}
	}
	w.exec("COMMIT")
	if err := w.db.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}
