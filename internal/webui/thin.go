package webui

import (
	"fmt"

	"reel/internal/lanes"
	"reel/render/html"
)

// What a page that needs nothing else can carry: columns of the picture, and rows.
const (
	thinCols = 2400
	thinRows = 96
	thinFold = 8 // rows of a track
)

// Thin is the timeline of a run as a picture of bounded size, for a page without a
// server: render/html.
func Thin(run *Run) *html.Timeline {
	p := newPicture(run)
	out := &html.Timeline{End: p.end, Cols: thinCols}
	left := 0
	for _, t := range p.tracks {
		rows := min(t.Rows, t.Fold, thinFold)
		if t.Rows > rows {
			left += t.Rows - rows
		}
		for row := range rows {
			if len(out.Rows) == thinRows {
				left += rows - row
				break
			}
			name := ""
			if row == 0 {
				name = t.Name
				if t.Part != "" {
					name += ", " + t.Part
				}
				if len(p.ranks) > 1 {
					name = fmt.Sprintf("rank %d: %s", p.ranks[t.Rank].rank.Index, name)
				}
			}
			out.Rows = append(out.Rows, html.TimelineRow{Name: name, Marks: p.thinRow(&t, row)})
		}
	}
	if left > 0 {
		out.Note = fmt.Sprintf("%d rows of deeper calls, or further tracks, are left out: 'reel view' has them.", left)
	}
	return out
}

// thinRow is one row: what is wide with its name, the rest as stretches of equal looks.
func (p *picture) thinRow(t *track, row int) (marks []html.TimelineMark) {
	r := p.ranks[t.Rank]
	c := r.columns(t.kind)
	width := float64(p.end) / thinCols
	lane := p.bands[t.Band+row/bandRows].lanes[row%bandRows]
	bins := make([]lanes.Bin, thinCols)
	var wide []html.TimelineMark
	lane.Bins(lanes.Grid{Width: width, N: thinCols}, bins, func(id int32) {
		from := float64(c.Start[id] - c.Base)
		wide = append(wide, html.TimelineMark{From: max(from/width, 0), To: min((from+float64(max(c.Dur[id], 0)))/width, thinCols), Colour: r.colourName(t.kind, id), Share: 1,
			Name: r.label(t.kind, int(id), rowName), Dur: max(c.Dur[id], 0)})
	})
	for k := 0; k < thinCols; {
		b := bins[k]
		if b.Cover == 0 || float64(c.Dur[b.Long]) >= lanes.MinWide*width {
			k++
			continue
		}
		colour, looks, from := r.colourName(t.kind, b.Long), b.Cover/64, k
		for k < thinCols && bins[k].Cover > 0 && bins[k].Cover/64 == looks && float64(c.Dur[bins[k].Long]) < lanes.MinWide*width && r.colourName(t.kind, bins[k].Long) == colour {
			k++
		}
		marks = append(marks, html.TimelineMark{From: float64(from), To: float64(k), Colour: colour, Share: float64(looks)/4 + 0.125})
	}
	return append(marks, wide...)
}

func (r *rankPicture) colourName(kind byte, id int32) string {
	return colours[r.colour(kind, id)&(1<<shadeShift-1)]
}
