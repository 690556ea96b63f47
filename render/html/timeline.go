package html

import (
	"bufio"
	"fmt"
	"html/template"
	"io"
	"strings"

	"reel/analyze"
	"reel/internal/display"
)

// Timeline is a run as rows of intervals, thinned to what a picture shows: what a page
// that needs nothing else can carry.
type Timeline struct {
	End  int64 // ns; the picture begins at 0
	Cols int   // columns of the picture
	Rows []TimelineRow
	Note string // what was left out
}

// TimelineRow is one row of the picture.
type TimelineRow struct {
	Name  string // of its track, on the first row of it
	Marks []TimelineMark
}

// TimelineMark is an interval, or several that are too short to be told apart.
type TimelineMark struct {
	From, To float64 // columns
	Colour   string  // "diffuse", "matrix", …: see style.css
	Share    float64 // of it that is covered, above 0 to 1
	Name     string  // of one interval; "" of several
	Dur      int64   // ns, of one interval
}

// WriteWith is Write with a timeline below the summary; nil is none.
func WriteWith(w io.Writer, d *analyze.Document, ops []*analyze.OpsReport, t *Timeline) error {
	p := newPage(d, ops)
	if t != nil && len(t.Rows) > 0 {
		p.Timeline = newPicture(t)
	}
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, p); err != nil {
		return err
	}
	return b.Flush()
}

// picture is a timeline as the template draws it.
type picture struct {
	Width, Height int
	Rows          []pictureRow
	Ticks         []pictureTick
	Note          string
}

type pictureRow struct {
	Name  string
	Y     int
	Thin  []thinMarks
	Marks []pictureMark
}

// thinMarks are the marks without a name of one colour and share, as one path.
type thinMarks struct {
	Class   string
	Opacity string
	Path    template.HTMLAttr
}

type pictureMark struct {
	Class, Title string
	X, W         string
}

type pictureTick struct {
	X    string
	Text string
}

const pictureRowHeight = 14

func newPicture(t *Timeline) *picture {
	p := &picture{Width: t.Cols, Height: len(t.Rows)*pictureRowHeight + 22, Note: display.Clean(t.Note)}
	for i, row := range t.Rows {
		r := pictureRow{Name: display.Clean(row.Name), Y: 20 + i*pictureRowHeight}
		paths := map[string]int{}
		var texts []*strings.Builder
		for _, m := range row.Marks {
			class := "t-" + m.Colour
			if m.Name != "" {
				r.Marks = append(r.Marks, pictureMark{class, display.Clean(m.Name) + ": " + ns(m.Dur), fmt.Sprintf("%.2f", m.From), fmt.Sprintf("%.2f", max(m.To-m.From-0.3, 0.7))})
				continue
			}
			opacity := fmt.Sprintf("%.1f", 0.3+0.7*m.Share)
			key := class + opacity
			k, ok := paths[key]
			if !ok {
				k = len(r.Thin)
				paths[key] = k
				r.Thin, texts = append(r.Thin, thinMarks{Class: class, Opacity: opacity}), append(texts, &strings.Builder{})
			}
			fmt.Fprintf(texts[k], "M%.1f %dh%.1fv%dh%.1fz", m.From, r.Y, m.To-m.From, pictureRowHeight-1, m.From-m.To)
		}
		for k, b := range texts {
			r.Thin[k].Path = template.HTMLAttr(`d="` + b.String() + `"`) // numbers and letters of ours alone
		}
		p.Rows = append(p.Rows, r)
	}
	const ticks = 8
	for k := range ticks {
		p.Ticks = append(p.Ticks, pictureTick{fmt.Sprintf("%.1f", float64(t.Cols*k)/ticks), ns(t.End * int64(k) / ticks)})
	}
	return p
}
