package query

import (
	"math"
	"sort"

	"reel/internal/sqlite"
)

// virtual is a table as SQLite sees it.
type virtual struct {
	*table
	parts []*part
}

// The plans of a query (IdxNum): a scan of all rows or of those that start within
// bounds (IdxStr says which), or, from byKey on, the rows whose column IdxNum-byKey
// has a value.
const (
	scanAll = iota
	byStart
	byKey
)

// bounds are the letters of IdxStr.
var bounds = map[sqlite.Op]byte{sqlite.Ge: 'G', sqlite.Gt: 'g', sqlite.Le: 'L', sqlite.Lt: 'l'}

// BestIndex picks the plan that reads the fewest rows. Values are compared again by
// SQLite, so that a plan may give too many rows, never too few.
func (v *virtual) BestIndex(x *sqlite.IndexInfo) error {
	n := 0
	for _, p := range v.parts {
		n += v.rows(p)
	}
	all := float64(n) + 1
	x.IdxNum, x.EstimatedCost, x.EstimatedRows = scanAll, all, int64(n)
	key, lower, upper := -1, -1, -1
	best := all
	for i, c := range x.Constraint {
		if !c.Usable || c.Column < 0 || c.Column >= len(v.cols) {
			continue
		}
		col := &v.cols[c.Column]
		switch c.Op {
		case sqlite.Eq:
			if col.of == nil || col.kind == words && x.Collation(i) != "BINARY" {
				continue
			}
			if cost := v.cost(col, all); cost < best {
				key, best = i, cost
			}
		case sqlite.Ge, sqlite.Gt:
			if col.begin && v.start != nil {
				lower = i
			}
		case sqlite.Le, sqlite.Lt:
			if col.begin && v.start != nil {
				upper = i
			}
		}
	}
	if key >= 0 {
		x.ConstraintUsage[key].ArgvIndex = 1
		x.IdxNum, x.EstimatedCost, x.EstimatedRows = byKey+x.Constraint[key].Column, best, int64(best)
		if v.cols[x.Constraint[key].Column].own {
			x.IdxFlags = sqlite.UniqueRow
		}
		return nil
	}
	arg := 0
	for _, i := range []int{lower, upper} {
		if i < 0 {
			continue
		}
		arg++
		x.ConstraintUsage[i].ArgvIndex = arg
		x.IdxStr += string(bounds[x.Constraint[i].Op])
		x.IdxNum = byStart
		x.EstimatedCost /= 4
		x.EstimatedRows /= 4
	}
	return nil
}

// cost guesses how many rows have one value of a column.
func (v *virtual) cost(col *column, all float64) float64 {
	if col.own {
		return 1
	}
	keys := 1
	for _, p := range v.parts {
		keys += col.keys(p)
	}
	return 2 + all/float64(keys)
}

// Open starts going over rows.
func (v *virtual) Open() (sqlite.Cursor, error) { return &cursor{v: v}, nil }

// cursor goes over rows: stretches of a part's rows, or lists of them.
type cursor struct {
	v     *virtual
	spans []span
	at    int // of spans
	i, hi int
	p     *part
	list  []int32 // nil: rows i to hi themselves
}

type span struct {
	p      *part
	lo, hi int
	list   []int32
}

// Filter begins anew, with the rows of a plan.
func (c *cursor) Filter(plan int, which string, args ...sqlite.Value) error {
	c.spans = c.spans[:0]
	for _, p := range c.v.parts {
		switch {
		case plan >= byKey && len(args) == 1 && c.key(p, &c.v.cols[plan-byKey], args[0]):
		case plan == byStart && c.start(p, which, args):
		default:
			c.spans = append(c.spans, span{p: p, hi: c.v.rows(p)})
		}
	}
	c.at = -1
	c.i, c.hi = 0, 0
	c.advance()
	return nil
}

// key adds the rows of a part whose column has a value; false: it cannot tell.
func (c *cursor) key(p *part, col *column, v sqlite.Value) bool {
	k, found, known := col.of(p, v)
	switch {
	case !known:
		return false
	case !found:
	case col.own:
		c.spans = append(c.spans, span{p: p, lo: int(k), hi: int(k) + 1})
	default:
		x := p.indexOf(c.v.table, col)
		if list := x.rows[x.from[k]:x.from[k+1]]; len(list) > 0 {
			c.spans = append(c.spans, span{p: p, hi: len(list), list: list})
		}
	}
	return true
}

// start adds the rows of a part that start within bounds.
func (c *cursor) start(p *part, which string, args []sqlite.Value) bool {
	from, to := int64(-1<<62), int64(1<<62)
	for i := range which {
		n, found, known := whole(args[i])
		if !known || !found && args[i].Type() != sqlite.Null {
			return false
		}
		switch {
		case !found:
			return true // nothing compares with NULL
		case which[i] == 'G' || which[i] == 'g':
			from = max(from, minus(n, p.shift))
		default:
			to = min(to, minus(n, p.shift))
		}
	}
	for _, t := range c.v.tracks(p) {
		lo := t[0] + sort.Search(t[1]-t[0], func(i int) bool { return c.v.table.start(p, t[0]+i) >= from })
		hi := t[0] + sort.Search(t[1]-t[0], func(i int) bool { return c.v.table.start(p, t[0]+i) > to })
		if lo < hi {
			c.spans = append(c.spans, span{p: p, lo: lo, hi: hi})
		}
	}
	return true
}

// minus subtracts and stops at the ends of what an int64 holds.
func minus(a, b int64) int64 {
	if d := a - b; (d < a) == (b > 0) {
		return d
	}
	if b > 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// advance goes to the next stretch that has rows.
func (c *cursor) advance() {
	for c.i >= c.hi {
		if c.at++; c.at >= len(c.spans) {
			c.at = len(c.spans)
			return
		}
		s := &c.spans[c.at]
		c.p, c.i, c.hi, c.list = s.p, s.lo, s.hi, s.list
	}
}

// Next goes to the next row.
func (c *cursor) Next() error {
	if c.i++; c.i >= c.hi {
		c.advance()
	}
	return nil
}

// EOF reports whether there is no row.
func (c *cursor) EOF() bool { return c.at >= len(c.spans) }

// Column gives a value of the row.
func (c *cursor) Column(ctx sqlite.Context, n int) error {
	c.v.cols[n].value(c.p, c.row(), ctx)
	return nil
}

func (c *cursor) row() int {
	if c.list != nil {
		return int(c.list[c.i])
	}
	return c.i
}

// RowID gives the row's number.
func (c *cursor) RowID() (int64, error) { return int64(c.at)<<32 | int64(c.row()), nil }
