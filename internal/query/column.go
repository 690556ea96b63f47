package query

import (
	"reel/internal/sqlite"
	"reel/timeline"
)

// table is a virtual table: its rows are those of each part, one after the other.
type table struct {
	name, doc string
	cols      []column
	rows      func(p *part) int
	// start and tracks are set where rows can be found by their start: it ascends
	// within each stretch [lo, hi) of rows.
	start  func(p *part, i int) int64
	tracks func(p *part) [][2]int
}

// column is a column of a table.
type column struct {
	name, kind, doc string
	value           func(p *part, i int, c sqlite.Context)
	// Of columns by whose value rows are found: the key of a row, local to the part, or
	// -1; how many keys there are; and the key that an SQL value stands for. When the
	// value can stand for none that compares equal, known is false.
	key   func(p *part, i int) int64
	keys  func(p *part) int
	of    func(p *part, v sqlite.Value) (key int64, found, known bool)
	own   bool // a key is its row's number
	begin bool // it is the table's start
}

const (
	integer = "INTEGER"
	words   = "TEXT"
)

// number is a column of integers.
func number(name, doc string, f func(p *part, i int) int64) column {
	return column{name: name, kind: integer, doc: doc, value: func(p *part, i int, c sqlite.Context) { c.ResultInt64(f(p, i)) }}
}

// maybe is a column of integers that may be NULL.
func maybe(name, doc string, f func(p *part, i int) (int64, bool)) column {
	return column{name: name, kind: integer, doc: doc, value: func(p *part, i int, c sqlite.Context) {
		if v, ok := f(p, i); ok {
			c.ResultInt64(v)
		} else {
			c.ResultNull()
		}
	}}
}

// text is a column of texts; "" is NULL.
func text(name, doc string, f func(p *part, i int) string) column {
	return column{name: name, kind: words, doc: doc, value: func(p *part, i int, c sqlite.Context) {
		if s := f(p, i); s != "" {
			c.ResultText(s)
		} else {
			c.ResultNull()
		}
	}}
}

// ref is a column of ids, found by their value; f gives the entity's number within
// the part, or -1.
func ref(name, doc string, to entity, f func(p *part, i int) int64) column {
	return column{name: name, kind: integer, doc: doc, key: f,
		value: func(p *part, i int, c sqlite.Context) {
			if k := f(p, i); k >= 0 {
				c.ResultInt64(p.first[to] + k)
			} else {
				c.ResultNull()
			}
		},
		keys: func(p *part) int { return p.count[to] },
		of: func(p *part, v sqlite.Value) (int64, bool, bool) {
			n, ok, known := whole(v)
			k := n - p.first[to]
			return k, ok && k >= 0 && k < int64(p.count[to]), known
		}}
}

// whole is an SQL value as an integer; found is false for values that equal none.
func whole(v sqlite.Value) (n int64, found, known bool) {
	switch v.Type() {
	case sqlite.Integer:
		return v.Int64(), true, true
	case sqlite.Float:
		f := v.Float()
		n = int64(f)
		return n, float64(n) == f && f > -1<<53 && f < 1<<53, f > -1<<53 && f < 1<<53
	case sqlite.Null:
		return 0, false, true
	}
	return 0, false, false
}

// id is the column of a table's own ids.
func id(of entity, doc string) column {
	c := ref("id", doc, of, func(_ *part, i int) int64 { return int64(i) })
	c.own = true
	return c
}

// named is a column of interned names, found by their value.
func named(name, doc string, f func(p *part, i int) timeline.NameID) column {
	return column{name: name, kind: words, doc: doc,
		key:   func(p *part, i int) int64 { return int64(f(p, i)) },
		keys:  func(p *part) int { return p.count[names] },
		value: func(p *part, i int, c sqlite.Context) { c.ResultText(p.TL.Name(f(p, i))) },
		of: func(p *part, v sqlite.Value) (int64, bool, bool) {
			switch v.Type() {
			case sqlite.Text:
				k, ok := p.nameOf(v.Text())
				return int64(k), ok, true
			case sqlite.Null:
				return 0, false, true
			}
			return 0, false, false
		}}
}

// nameOf finds an interned name.
func (p *part) nameOf(s string) (timeline.NameID, bool) {
	if p.nameID == nil {
		p.nameID = make(map[string]timeline.NameID, p.count[names])
		for k := range p.count[names] {
			p.nameID[p.TL.Name(timeline.NameID(k))] = timeline.NameID(k)
		}
	}
	k, ok := p.nameID[s]
	return k, ok
}

// times are the columns start_ns, end_ns and dur_ns.
func times(start, dur func(p *part, i int) int64) []column {
	begin := number("start_ns", "when it starts, counted from the run's first event", func(p *part, i int) int64 { return start(p, i) + p.shift })
	begin.begin = true
	return []column{begin,
		number("end_ns", "when it ends", func(p *part, i int) int64 { return start(p, i) + dur(p, i) + p.shift }),
		number("dur_ns", "how long it lasts", dur)}
}

// index finds rows by a key: those of key k are rows[from[k]:from[k+1]].
type index struct {
	from, rows []int32
}

// indexOf makes, once, the index of a column.
func (p *part) indexOf(t *table, c *column) *index {
	name := t.name + "." + c.name
	if x := p.indexes[name]; x != nil {
		return x
	}
	n, keys := t.rows(p), c.keys(p)
	x := &index{from: make([]int32, keys+1)}
	for i := range n {
		if k := c.key(p, i); k >= 0 && k < int64(keys) {
			x.from[k+1]++
		}
	}
	for k := range keys {
		x.from[k+1] += x.from[k]
	}
	x.rows = make([]int32, x.from[keys])
	next := make([]int32, keys)
	for i := range n {
		if k := c.key(p, i); k >= 0 && k < int64(keys) {
			x.rows[x.from[k]+next[k]] = int32(i)
			next[k]++
		}
	}
	p.indexes[name] = x
	return x
}
