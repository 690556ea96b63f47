package report

import (
	"slices"
	"strconv"

	"reel/analyze"
	"reel/internal/stats"
	"reel/table"
)

// allRequests is how many requests are listed one by one.
const allRequests = 12

// requestTable lists the requests, or of many the first, shortest, median and
// longest one, all of them as a strip, and the outliers.
func (p *page) requestTable(r *analyze.RankSummary) {
	p.title(count(len(r.Requests), "request", "requests"))
	longest := int64(1)
	took := make([]int64, len(r.Requests))
	for i, q := range r.Requests {
		took[i], longest = q.Duration, max(longest, q.Duration)
	}
	cols := requestCols(r.GPU != nil)
	if len(r.Requests) <= allRequests {
		t := table.New("request", append(cols, table.Col{Unit: table.Text})...)
		for i := range r.Requests {
			t.Add(append(requestRow(r, i, longest), shortName(r.Requests[i].Name, r.Requests[i].Evidence))...)
		}
		p.table(t)
		return
	}
	t := table.New("requests", append([]table.Col{{Unit: table.Text}}, cols...)...)
	order := requestsByDuration(r.Requests)
	for _, x := range []struct {
		word string
		i    int
	}{{"first", 0}, {"shortest", order[0]}, {"median", typical(r.Requests)}, {"longest", order[len(order)-1]}} {
		t.Add(append([]any{x.word}, requestRow(r, x.i, longest)...)...)
	}
	p.table(t)
	p.strip(took, "requests")
	var odd []outlier
	middle := median(took)
	for _, i := range stats.Outliers(took, stats.OutlierOptions{MinShare: 0.1}) {
		odd = append(odd, outlier{"request " + strconv.Itoa(r.Requests[i].Index), took[i]})
	}
	p.outliers(odd, middle)
}

func requestCols(device bool) []table.Col {
	cols := []table.Col{{Name: "request", Unit: table.None}, {Name: "began at", Unit: table.Nanoseconds}, {Name: "on the host", Unit: table.Nanoseconds}}
	if device {
		cols = append(cols, table.Col{Name: "device", Unit: table.Nanoseconds})
	}
	return append(cols, table.Col{Name: "steps", Unit: table.Count}, table.Col{Name: "length", Unit: table.Bar})
}

func requestRow(r *analyze.RankSummary, i int, longest int64) []any {
	q := &r.Requests[i]
	busy, steps := requestWork(r, q.Index)
	row := []any{q.Index, q.Start, q.Duration}
	if r.GPU != nil {
		row = append(row, busy)
	}
	return append(row, steps, float64(q.Duration)/float64(longest))
}

// requestWork sums the device time of a request's stages, and counts its steps.
func requestWork(r *analyze.RankSummary, request int) (busy int64, steps int) {
	for _, s := range r.Stages {
		if s.Request == request {
			steps += s.Steps
			busy += value(s.GPUBusy)
		}
	}
	return busy, steps
}

func requestsByDuration(list []analyze.RequestInfo) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, list[a].Duration-list[b].Duration))) })
	return order
}

// typical is the request of median duration.
func typical(list []analyze.RequestInfo) int {
	order := requestsByDuration(list)
	return order[(len(order)-1)/2]
}
