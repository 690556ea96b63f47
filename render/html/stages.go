package html

import (
	"strconv"

	"reel/analyze"
	"reel/internal/display"
)

// stageRow is a line of the stage table: one run of a stage, or several.
type stageRow struct {
	stage, name string
	cpu         int64
	busy, span  *int64
	runs        int
	at          []segment // when, on the request's own time
}

// requestPart says where the time of one request went.
func requestPart(r *analyze.RankSummary, i int, remark string) part {
	q := r.Requests[i]
	device := r.GPU != nil
	g := &grid{Heads: []head{{"stage", "text"}, {"on the host, 0 to " + ns(q.Duration), "when"}, {"CPU", "num"}}}
	if device {
		g.Heads = append(g.Heads, head{"device", "num"}, head{"span on device", "num"}, head{"busy of span", "bar"})
	} else {
		if events(r) {
			g.Heads = append(g.Heads, head{"between events of the device", "num"})
		}
		g.Heads = append(g.Heads, head{"of request", "bar"})
	}
	for _, row := range stageRows(r, q) {
		cells := []cell{{Text: row.stage, Note: row.name, Class: "stage"}, {Bar: &bar{Segments: row.at}}, dur(row.cpu)}
		if device {
			cells = append(cells, optDur(row.busy), optDur(row.span), barCell(row.busy, row.span, "busy"))
			if busy := value(row.busy); busy > 0 && row.cpu*10 < busy*4 {
				cells[0].Note = joined(row.name, "the CPU sees "+shareText(row.cpu, busy)+" of it")
			}
		} else {
			if events(r) {
				cells = append(cells, optDur(row.span))
			}
			cells = append(cells, barCell(&row.cpu, &q.Duration, "host"))
		}
		g.add(cells)
	}
	other := []cell{{Text: "other", Class: "stage"}, {}, dur(q.Other)}
	if device && r.Outside != nil && len(r.Requests) == 1 {
		other[0].Note = count(r.Outside.Activities, "activity", "activities")
		other = append(other, dur(r.Outside.GPUBusy))
	}
	g.add(other)
	return part{Title: "Request " + strconv.Itoa(q.Index) + remark,
		Note: display.Clean(joined(shortName(q.Name, q.Evidence), ns(q.Duration)+" on the host")), Grid: g}
}

// stageRows lists a request's stages in their order. Equal stages that are
// called again one after the other share a row.
func stageRows(r *analyze.RankSummary, q analyze.RequestInfo) []stageRow {
	var rows []stageRow
	seen := map[string]bool{}
	again := false
	loops := 0
	for _, s := range r.Stages {
		if s.Request != q.Index {
			continue
		}
		row := stageRow{display.Clean(s.Stage), display.Clean(shortName(s.Name, s.Evidence)), s.CPU, s.GPUBusy, s.GPUSpan, 1, nil}
		if s.Steps > 0 {
			row.at, row.name = loopSegments(r, q, loops), joined(count(s.Steps, "step", "steps"), row.name)
			loops++
		} else {
			row.at = []segment{{percent(s.Start-q.Start, q.Duration), visible(s.CPU, q.Duration), "s-" + stageClass(s.Stage), ns(s.CPU)}}
		}
		key := s.Stage + "\x00" + s.Name
		repeated := seen[key] && s.Steps == 0
		seen[key] = true
		if last := len(rows) - 1; repeated && again && rows[last].stage == row.stage {
			rows[last].join(row)
			continue
		}
		if again = repeated; repeated {
			row.name += " (again)"
		}
		rows = append(rows, row)
	}
	return rows
}

// join adds another run of a stage to the row.
func (s *stageRow) join(o stageRow) {
	s.runs++
	s.name = "again, " + strconv.Itoa(s.runs) + " runs"
	s.cpu += o.cpu
	s.busy, s.span = sum(s.busy, o.busy), sum(s.span, o.span)
	s.at = append(s.at, o.at...)
}

// sum is unknown when a part is.
func sum(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	v := *a + *b
	return &v
}

// events reports whether all that is known of the device are events around stages and
// steps.
func events(r *analyze.RankSummary) bool { return r.Timing == analyze.EventTimed }

// loopSegments are the steps of a request's nth loop on its time.
func loopSegments(r *analyze.RankSummary, q analyze.RequestInfo, loop int) []segment {
	var list []segment
	n, last := -1, -1
	for _, s := range r.Steps {
		if s.Request != q.Index {
			continue
		}
		if s.Loop != last {
			n, last = n+1, s.Loop
		}
		if n == loop {
			list = append(list, segment{percent(s.Start-q.Start, q.Duration), visible(s.CPU, q.Duration), "s-diffuse", "step " + strconv.Itoa(s.Index) + ": " + ns(s.CPU)})
		}
	}
	return list
}

// stageClass is how a stage is coloured.
func stageClass(stage string) string {
	switch stage {
	case "encode", "decode", "prepare", "finalize":
		return stage
	}
	return "other"
}
