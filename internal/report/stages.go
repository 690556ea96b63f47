package report

import (
	"strconv"

	"reel/analyze"
	"reel/table"
)

// maxRequests is how many requests are shown each with its stages.
const maxRequests = 3

// requests writes the stage tables: of every request when they are few, and
// otherwise a list of the requests and the stages of the typical one.
func (p *page) requests(r *analyze.RankSummary) {
	if len(r.Requests) <= maxRequests {
		for i := range r.Requests {
			p.gap()
			p.stageTable(r, i, "")
		}
		return
	}
	p.gap()
	p.requestTable(r)
	p.gap()
	p.stageTable(r, typical(r.Requests), " (the median one)")
}

// stageRow is a line of the stage table: one run of a stage, or several.
type stageRow struct {
	stage, name string
	cpu         int64
	busy, span  *int64
	calls       int
}

// stageTable writes where the time of one request went.
func (p *page) stageTable(r *analyze.RankSummary, request int, remark string) {
	q := r.Requests[request]
	device := r.GPU != nil
	cols := []table.Col{{Name: "stage", Unit: table.Text}, {Unit: table.Text}, {Name: "CPU", Unit: table.Nanoseconds}}
	if device {
		cols = append(cols, table.Col{Name: "device", Unit: table.Nanoseconds}, table.Col{Name: p.long("span", "span on device"), Unit: table.Nanoseconds},
			table.Col{Name: p.long("busy", "busy of span"), Unit: table.Bar})
	} else {
		if events(r) {
			cols = append(cols, table.Col{Name: "device", Unit: table.Nanoseconds})
		}
		cols = append(cols, table.Col{Name: p.long("share", "of request"), Unit: table.Bar})
	}
	t := table.New("stages", append(cols, table.Col{Unit: table.Text})...)
	for _, row := range stageRows(r, q.Index) {
		if device {
			t.Add(row.stage, row.name, row.cpu, opt(row.busy), opt(row.span), ratio(row.busy, row.span), sees(row))
			continue
		}
		cells := []any{row.stage, row.name, row.cpu}
		if events(r) {
			cells = append(cells, opt(row.span))
		}
		t.Add(append(cells, float64(row.cpu)/float64(max(q.Duration, 1)))...)
	}
	switch {
	case device && r.Outside != nil && r.Outside.Activities > 0 && len(r.Requests) == 1:
		t.Add("other", count(r.Outside.Activities, "activity", "activities"), q.Other, r.Outside.GPUBusy)
	case events(r):
		t.Add("other", "", q.Other, nil, float64(q.Other)/float64(max(q.Duration, 1)))
	case !device:
		t.Add("other", "", q.Other, float64(q.Other)/float64(max(q.Duration, 1)))
	default:
		t.Add("other", "", q.Other)
	}
	p.requestTitle(q, remark)
	p.table(t)
}

// events reports whether all that is known of the device are events around stages and
// steps.
func events(r *analyze.RankSummary) bool { return r.Timing == analyze.EventTimed }

// requestTitle is "request 0 · execute_diffusion_1_256x256 · 1.19 s on the host".
func (p *page) requestTitle(q analyze.RequestInfo, remark string) {
	if q.WarmUp {
		remark += " (warm-up)"
	}
	p.title("request "+strconv.Itoa(q.Index)+remark, shortName(q.Name, q.Evidence), dur(q.Duration)+" on the host")
}

// stageRows lists a request's stages in their order. Equal stages that are
// called again one after the other share a row, so that a second run of the
// encoders (for a negative prompt, say) is one line.
func stageRows(r *analyze.RankSummary, request int) []stageRow {
	var rows []stageRow
	seen := map[string]bool{}
	again := false
	loops := 0
	for _, s := range r.Stages {
		if s.Request != request {
			continue
		}
		row := stageRow{s.Stage, shortName(s.Name, s.Evidence), s.CPU, s.GPUBusy, s.GPUSpan, 1}
		if s.Steps > 0 {
			row.name = count(s.Steps, "step", "steps")
			if loops > 0 || moreLoops(r, request) {
				row.name = "loop " + strconv.Itoa(loops) + ", " + row.name
			}
			loops++
		}
		key := s.Stage + "\x00" + s.Name
		repeated := seen[key] && s.Steps == 0
		seen[key] = true
		if last := len(rows) - 1; repeated && again && rows[last].stage == row.stage {
			rows[last].join(row)
			continue
		}
		again = repeated
		rows = append(rows, row)
		if repeated {
			rows[len(rows)-1].name += " (again)"
		}
	}
	return rows
}

// join adds another run of a stage to the row.
func (s *stageRow) join(o stageRow) {
	s.calls++
	s.name = "(again, " + strconv.Itoa(s.calls) + " calls)"
	s.cpu += o.cpu
	s.busy, s.span = sum(s.busy, o.busy), sum(s.span, o.span)
}

func sum(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	v := *a + *b
	return &v
}

// moreLoops reports whether a request has several denoise loops.
func moreLoops(r *analyze.RankSummary, request int) bool {
	for _, s := range r.Steps {
		if s.Request == request && s.Loop > 0 {
			return true
		}
	}
	return false
}
