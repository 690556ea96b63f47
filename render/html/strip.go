package html

import (
	"fmt"
	"strconv"

	"reel/analyze"
	"reel/internal/stats"
)

// strip is the steps of a loop side by side: a column each, as high as the step was
// long, filled as far as the device was busy.
type strip struct {
	Title   string
	Columns []column
	Width   int   // of the drawing, in units; a column is unitWidth
	Middle  ratio // height of the median, percent from the top
	Unit    int   // width of a column
	Axis    []legend
	Each    bool // the axis names each column
	Notes   []string
	Device  bool
}

type column struct {
	X             int
	Y, H, BY, BH  ratio // percent of the height: the column, and its busy part
	Class, Legend string
}

func newStrip(steps []analyze.StepInfo, title string) strip {
	middle := medianTook(steps)
	longest := max(middle, 1)
	for i := range steps {
		longest = max(longest, took(&steps[i]))
	}
	s := strip{Title: title, Middle: 100 - percent(middle, longest), Device: steps[0].GPUBusy != nil}
	each := (len(steps) + stripColumns - 1) / stripColumns
	s.Unit = max(narrowColumn, min(columnWidth, stripWidth*each/len(steps)))
	odd := map[int]bool{}
	outliers := stats.Outliers(allTook(steps), stats.OutlierOptions{MinShare: 0.1})
	for _, i := range outliers {
		odd[i/each] = true
	}
	for i := 0; i < len(steps); i += each {
		top := &steps[i]
		for k := i; k < min(i+each, len(steps)); k++ {
			if took(&steps[k]) > took(top) {
				top = &steps[k]
			}
		}
		s.Columns = append(s.Columns, newColumn(top, len(s.Columns)*s.Unit, longest, odd[i/each]))
	}
	s.Width = len(s.Columns) * s.Unit
	s.axis(steps)
	s.Notes = stripNotes(steps, outliers, middle)
	if each > 1 {
		s.Notes = append(s.Notes, fmt.Sprintf("Each column is the longest of %d steps.", each))
	}
	return s
}

// axis names the columns when they are few, and otherwise the first and the last.
func (s *strip) axis(steps []analyze.StepInfo) {
	if s.Each = len(steps) <= namedColumns; !s.Each {
		steps = []analyze.StepInfo{steps[0], steps[len(steps)-1]}
	}
	for i := range steps {
		l := legend{Name: "step " + strconv.Itoa(steps[i].Index)}
		if s.Each {
			l.Value = ns(took(&steps[i]))
		}
		s.Axis = append(s.Axis, l)
	}
}

func newColumn(s *analyze.StepInfo, x int, longest int64, odd bool) column {
	c := column{X: x, H: percent(took(s), longest), Class: "step", Legend: fmt.Sprintf("step %d: %s on the host", s.Index, ns(s.CPU))}
	if odd {
		c.Class = "step odd"
	}
	c.Y = 100 - c.H
	if s.GPUBusy != nil {
		c.BH = percent(*s.GPUBusy, longest)
		c.BY = 100 - c.BH
		c.Legend += fmt.Sprintf(", device busy %s of %s", ns(*s.GPUBusy), ns(value(s.GPUSpan)))
	} else if s.GPUSpan != nil {
		c.Legend += fmt.Sprintf(", %s on the device", ns(*s.GPUSpan))
	}
	return c
}

func allTook(steps []analyze.StepInfo) []int64 {
	out := make([]int64, len(steps))
	for i := range steps {
		out[i] = took(&steps[i])
	}
	return out
}

// stripNotes says what is to be seen.
func stripNotes(steps []analyze.StepInfo, outliers []int, middle int64) []string {
	notes := []string{"The line is the median: " + ns(middle) + "."}
	for k, i := range outliers {
		if k == shownOdd && len(outliers) > k+1 {
			return append(notes, fmt.Sprintf("%d more steps are far from it.", len(outliers)-k))
		}
		s := &steps[i]
		notes = append(notes, fmt.Sprintf("Step %d took %s, %s the median.", s.Index, ns(took(s)), times(took(s), middle)))
	}
	return notes
}
