package table

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"reel/unit"
)

// Cell is one value: an integer, a float, a text, or absent. The zero Cell is
// absent.
type Cell struct {
	kind kind
	num  int64 // the integer, or the bits of the float
	str  string
}

type kind uint8

const (
	absent kind = iota
	integer
	float
	text
)

// Absent is the cell without a value.
var Absent = Cell{}

// Int makes a cell of an integer in the column's base unit.
func Int(v int64) Cell { return Cell{kind: integer, num: v} }

// Float makes a cell of a number in the column's base unit. NaN and the
// infinities are no values: the cell is absent.
func Float(v float64) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Absent
	}
	return Cell{kind: float, num: int64(math.Float64bits(v))}
}

// Str makes a cell of a text, which may be empty and may hold anything;
// renderers make it harmless.
func Str(v string) Cell { return Cell{kind: text, str: v} }

// Of makes a cell of a Go value: nil is absent, integers and the unit types
// are numbers, strings are texts, a Cell is itself. Unsigned values beyond
// int64 become floats, everything else the text that fmt.Sprint gives.
func Of(v any) Cell {
	switch v := v.(type) {
	case nil:
		return Absent
	case Cell:
		return v
	case string:
		return Str(v)
	case int:
		return Int(int64(v))
	case int64:
		return Int(v)
	case int32:
		return Int(int64(v))
	case uint32:
		return Int(int64(v))
	case uint64:
		if v > math.MaxInt64 {
			return Float(float64(v))
		}
		return Int(int64(v))
	case float64:
		return Float(v)
	case unit.Dur:
		return Int(int64(v))
	case unit.Bytes:
		return Int(int64(v))
	case unit.Count:
		return Int(int64(v))
	case unit.Percent:
		return Float(float64(v))
	}
	return Str(fmt.Sprint(v))
}

// IsAbsent reports whether the cell has no value.
func (c Cell) IsAbsent() bool { return c.kind == absent }

// Int gives the value of an integer cell.
func (c Cell) Int() (v int64, ok bool) { return c.num, c.kind == integer }

// Str gives the value of a text cell.
func (c Cell) Str() (v string, ok bool) { return c.str, c.kind == text }

// Float gives the value of an integer or float cell.
func (c Cell) Float() (v float64, ok bool) {
	switch c.kind {
	case integer:
		return float64(c.num), true
	case float:
		return math.Float64frombits(uint64(c.num)), true
	}
	return 0, false
}

// Raw writes the value for a program: base unit, no grouping, no exponent. ok is false when it
// is absent.
func (c Cell) Raw() (v string, ok bool) {
	switch c.kind {
	case integer:
		return strconv.FormatInt(c.num, 10), true
	case float:
		f, _ := c.Float()
		return strconv.FormatFloat(f, 'f', -1, 64), true
	case text:
		return c.str, true
	}
	return "", false
}

// Format writes a cell of this column for a person; an absent one is "". Texts
// are given as they are, so the caller has to make them harmless. A bar is
// written as a share in percent.
func (c Col) Format(cell Cell) string {
	if cell.kind == text || cell.kind == absent {
		return cell.str
	}
	f, _ := cell.Float()
	whole := cell.num
	if cell.kind == float {
		whole = int64(math.Round(max(-1<<62, min(f, 1<<62))))
	}
	switch c.Unit {
	case Nanoseconds:
		return unit.Dur(whole).String()
	case Bytes:
		return unit.Bytes(whole).String()
	case Count:
		return unit.Count(whole).String()
	case Percent:
		return unit.Percent(f).String()
	case Bar:
		return unit.Percent(100 * f).String()
	}
	if cell.kind == integer {
		return strconv.FormatInt(whole, 10)
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// Compare orders cells: numbers by value, then texts, then absent ones.
func Compare(a, b Cell) int {
	if ra, rb := rank(a), rank(b); ra != rb {
		return cmp.Compare(ra, rb)
	}
	switch {
	case a.kind == text:
		return strings.Compare(a.str, b.str)
	case a.kind == integer && b.kind == integer:
		return cmp.Compare(a.num, b.num)
	}
	fa, _ := a.Float()
	fb, _ := b.Float()
	return cmp.Compare(fa, fb)
}

func rank(c Cell) int {
	switch c.kind {
	case integer, float:
		return 0
	case text:
		return 1
	}
	return 2
}
