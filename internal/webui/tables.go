package webui

import (
	"cmp"
	"slices"

	"reel/analyze"
	"reel/internal/nsysstats"
	"reel/internal/report"
)

// maxTable bounds the rows of a table that travel to the page.
const maxTable = 5000

func reportNames() []string { return nsysstats.Names() }

// ops is the operator table of all ranks.
func (st *state) ops(q *query) (any, error) {
	by := q.word("by", "name", "shape", "stack")
	if q.err != nil {
		return nil, q.err
	}
	return st.memo.get("ops "+by, func() any {
		var all []*analyze.OpsReport
		for _, p := range st.pic.ranks {
			r := analyze.Ops(p.rank.TL, analyze.OpsOptions{By: analyze.OpsBy(by)})
			all = append(all, &r)
		}
		m := report.MergeOps(all, maxTable)
		for i := range m.Rows {
			m.Rows[i].Name = short(m.Rows[i].Name, listName)
			m.Rows[i].InputShapes = short(m.Rows[i].InputShapes, listName)
			for k := range m.Rows[i].Stack {
				m.Rows[i].Stack[k] = short(m.Rows[i].Stack[k], listName)
			}
		}
		return m
	}), nil
}

// kernelRow is the work of one name on the device.
type kernelRow struct {
	Name  string `json:"name"`
	Class string `json:"class"`
	Count int64  `json:"count"`
	Sum   int64  `json:"sum_ns"`
	Min   int64  `json:"min_ns"`
	Max   int64  `json:"max_ns"`
	Bytes int64  `json:"bytes,omitempty"`
	Ref   string `json:"ref"` // the longest
}

// kernels is the work on the devices by name.
func (st *state) kernels(*query) (any, error) {
	return st.memo.get("kernels", func() any {
		at := map[string]int{}
		var rows []kernelRow
		for rank, p := range st.pic.ranks {
			a := &p.rank.TL.Activities
			for _, i := range p.work {
				name := p.name(a.Name[i], detailName)
				k, ok := at[name]
				if !ok {
					k = len(rows)
					at[name] = k
					rows = append(rows, kernelRow{Name: short(name, listName), Class: colours[p.paint.device[i]&(1<<shadeShift-1)], Min: a.Dur[i], Max: -1})
				}
				r := &rows[k]
				r.Count++
				r.Sum += a.Dur[i]
				r.Min = min(r.Min, a.Dur[i])
				r.Bytes += a.Bytes[i]
				if a.Dur[i] > r.Max {
					r.Max, r.Ref = a.Dur[i], ref{rank, 'd', int(i)}.String()
				}
			}
		}
		slices.SortFunc(rows, func(a, b kernelRow) int { return cmp.Or(cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.Name, b.Name)) })
		return struct {
			Rows  []kernelRow `json:"rows"`
			Total int         `json:"rows_total"`
		}{append([]kernelRow{}, rows[:min(len(rows), maxTable)]...), len(rows)}
	}), nil
}

// statsJSON is a report of nsys stats.
type statsJSON struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Skipped string   `json:"skipped,omitempty"`
	Cols    []string `json:"cols"`
	Text    []bool   `json:"text"` // the column holds words
	Rows    [][]any  `json:"rows"`
	Total   int      `json:"rows_total"`
	Notes   []string `json:"notes,omitempty"`
}

// stats gives a report by its name.
func (st *state) stats(q *query) (any, error) {
	name := q.word("report", reportNames()...)
	if q.err != nil {
		return nil, q.err
	}
	got := st.memo.get("stats "+name, func() any {
		var srcs []nsysstats.Source
		for _, p := range st.pic.ranks {
			srcs = append(srcs, nsysstats.Source{TL: p.rank.TL})
		}
		r, err := nsysstats.Run(srcs, name, nsysstats.Options{Native: true, Limit: maxTable})
		if err != nil {
			return err
		}
		return statsOf(r)
	})
	if err, ok := got.(error); ok {
		return nil, err
	}
	return got, nil
}

func statsOf(r *nsysstats.Report) *statsJSON {
	out := &statsJSON{Name: r.Name, Title: r.Title, Skipped: r.Skipped, Notes: r.Notes, Total: r.Len, Rows: [][]any{}}
	for _, c := range r.Cols {
		out.Cols, out.Text = append(out.Cols, c.Head), append(out.Text, false)
	}
	for i := range min(r.Len, maxTable) {
		cells := r.Row(i)
		row := make([]any, len(cells))
		for k, c := range cells {
			if s, ok := c.Str(); ok {
				row[k], out.Text[k] = short(s, listName), true
			} else if f, ok := c.Float(); ok {
				row[k] = f
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
