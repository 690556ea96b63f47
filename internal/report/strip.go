package report

import (
	"slices"
	"strconv"
	"strings"

	"reel/internal/stats"
)

// levels are the heights of a strip's cells; the median has half of it.
var levels = []rune("▁▂▃▄▅▆▇█")

// strip draws one cell for each duration, or where there are more than the
// screen is wide for the longest of several.
func (p *page) strip(took []int64, what string) {
	middle := median(took)
	each := 1
	if room := p.Width - indent; p.Width > 0 && len(took) > room {
		each = (len(took) + room - 1) / room
	}
	var b strings.Builder
	for part := range slices.Chunk(took, each) {
		level := (8*slices.Max(part)/max(middle, 1) + 1) / 2 // 4 for the median
		b.WriteRune(levels[min(8, max(1, level))-1])
	}
	p.note(margin, b.String())
	if each > 1 {
		p.note(margin, "each cell is the longest of "+strconv.Itoa(each)+" "+what)
	}
}

func median(took []int64) int64 {
	m, _ := stats.Median(took)
	return int64(m)
}

// outlier is a step or request that took much longer or shorter than the others.
type outlier struct {
	name string
	took int64
}

// shownOutliers bounds how many outliers are named.
const shownOutliers = 8

func (p *page) outliers(list []outlier, middle int64) {
	var names []string
	for i, o := range list {
		if i == shownOutliers && len(list) > i+1 {
			names = append(names, count(len(list)-i, "more", "more"))
			break
		}
		names = append(names, o.name+" ("+dur(o.took)+", "+times(o.took, middle)+" the median)")
	}
	if len(names) > 0 {
		p.note(margin, "outliers: "+strings.Join(names, ", "))
	}
}
