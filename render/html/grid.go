package html

import (
	"strconv"

	"reel/internal/display"
	"reel/unit"
)

// grid is a table.
type grid struct {
	Heads []head
	Rows  [][]cell
	Foot  []cell
	Notes []string
	Sorts bool // columns can be sorted where scripts run
}

// add appends a row, with empty cells for those left out at the end.
func (g *grid) add(row []cell) {
	g.Rows = append(g.Rows, append(row, make([]cell, len(g.Heads)-len(row))...))
}

// head is a column. Text columns stand left, others right.
type head struct {
	Name  string
	Class string // "text", "num", "bar"
}

// cell is a value: its text for people and, for sorting, itself.
type cell struct {
	Text  string
	Note  string // in small print below
	Title string // what the text was cut from
	Value string // base unit; "" sorts last
	Bar   *bar
	Class string
}

// bar is a row of segments on a track; positions and lengths are percent of it.
type bar struct {
	Segments []segment
	Legend   []legend
	Label    string // for those who do not see it
}

type segment struct {
	X, W  ratio
	Class string
	Title string
}

type legend struct{ Class, Name, Value string }

// ratio is a number of percent, written short.
type ratio float64

func (r ratio) String() string { return strconv.FormatFloat(float64(r), 'f', -1, 64) }

// percent is part of whole on a bar, kept on it.
func percent(part, whole int64) ratio {
	if whole <= 0 {
		return 0
	}
	r := 100 * float64(part) / float64(whole)
	return ratio(float64(int64(100*min(100, max(0, r))+0.5)) / 100)
}

// visible is percent for a length that shall be seen, however short.
func visible(part, whole int64) ratio {
	const least = 0.3
	if part <= 0 || whole <= 0 {
		return 0
	}
	return max(least, percent(part, whole))
}

// share is a bar of one segment.
func share(part, whole int64, class string) *bar {
	return &bar{Segments: []segment{{W: visible(part, whole), Class: class}}, Label: shareText(part, whole)}
}

func text(s string) cell { return cell{Text: display.Clean(s), Value: display.Clean(s)} }

// name is a text that may be long and hostile.
func name(s string) cell {
	const shown, kept = 112, 600
	s = display.Clean(s)
	c := cell{Text: display.Shorten(s, shown), Value: display.Shorten(s, kept)}
	if c.Text != s {
		c.Title = c.Value
	}
	return c
}

func number(v int64) cell { return cell{Text: unit.Count(v).String(), Value: strconv.FormatInt(v, 10)} }

func dur(v int64) cell { return cell{Text: unit.Dur(v).String(), Value: strconv.FormatInt(v, 10)} }

func optDur(v *int64) cell {
	if v == nil {
		return cell{}
	}
	return dur(*v)
}

func shareCell(part, whole int64) cell {
	c := cell{Text: shareText(part, whole)}
	if whole > 0 {
		c.Value = strconv.FormatFloat(float64(part)/float64(whole), 'g', 6, 64)
	}
	return c
}

// barCell is a bar with its share beside it.
func barCell(part, whole *int64, class string) cell {
	if part == nil || whole == nil || *whole <= 0 {
		return cell{}
	}
	c := shareCell(*part, *whole)
	c.Bar = share(*part, *whole, class)
	return c
}
