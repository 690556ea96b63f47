package html

import (
	"fmt"

	"reel/analyze"
)

// Bounds of what is shown of many steps.
const (
	stripColumns = 240
	columnWidth  = 88
	stripWidth   = 960
	namedColumns = 8
	narrowColumn = 5
	shownSteps   = 200
	shownOdd     = 8
)

// stepParts are a strip for each loop, and all steps as a table.
func stepParts(r *analyze.RankSummary) []part {
	if len(r.Steps) == 0 {
		return nil
	}
	var loops [][]analyze.StepInfo
	for i, s := range r.Steps {
		if i == 0 || s.Request != r.Steps[i-1].Request || s.Loop != r.Steps[i-1].Loop {
			loops = append(loops, nil)
		}
		loops[len(loops)-1] = append(loops[len(loops)-1], s)
	}
	p := part{Title: "Steps", Note: "Each column is a step, as high as it was long on the host."}
	if r.GPU != nil {
		p.Note = "Each column is a step, as high as it was long: the longer of its time on the host and its span on the device. " +
			"Its lower part is the time in which the device was busy."
	}
	if len(loops) > fullRequests {
		p.Strips = []strip{newStrip(r.Steps, "all "+count(len(loops), "loop", "loops"))}
	} else {
		for _, steps := range loops {
			title := ""
			if len(loops) > 1 {
				title = fmt.Sprintf("request %d, loop %d", steps[0].Request, steps[0].Loop)
			}
			p.Strips = append(p.Strips, newStrip(steps, title))
		}
	}
	p.Grid, p.Fold = stepGrid(r), count(len(r.Steps), "step", "steps")+" as a table"
	return []part{p}
}

// stepGrid lists the steps.
func stepGrid(r *analyze.RankSummary) *grid {
	g := &grid{Sorts: true, Heads: []head{{"step", "num"}, {"CPU", "num"}}}
	device := r.GPU != nil
	several := len(r.Requests) > 1
	if several {
		g.Heads = append([]head{{"request", "num"}}, g.Heads...)
	}
	if device {
		g.Heads = append(g.Heads, head{"device", "num"}, head{"span on device", "num"}, head{"idle on device", "num"}, head{"busy of span", "bar"}, head{"activities", "num"}, head{"launches", "num"})
	}
	if events(r) {
		g.Heads = append(g.Heads, head{"between events of the device", "num"})
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if i == shownSteps && len(r.Steps) > shownSteps+1 {
			g.Notes = append(g.Notes, fmt.Sprintf("… and %d more; the summary as JSON has all.", len(r.Steps)-i))
			break
		}
		var row []cell
		if several {
			row = append(row, number(int64(s.Request)))
		}
		row = append(row, number(int64(s.Index)), dur(s.CPU))
		if device {
			row = append(row, optDur(s.GPUBusy), optDur(s.GPUSpan), optDur(s.GPUIdle), barCell(s.GPUBusy, s.GPUSpan, "busy"), number(int64(s.Activities)), number(int64(s.Launches)))
		}
		if events(r) {
			row = append(row, optDur(s.GPUSpan))
		}
		g.add(row)
	}
	return g
}
