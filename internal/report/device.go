package report

import (
	"reel/analyze"
	"reel/table"
)

// deviceLine says in a line or two what the device did.
func (p *page) deviceLine(r *analyze.RankSummary) {
	g := r.GPU
	if g == nil {
		return
	}
	p.gap()
	p.title("device")
	parts := []string{"compute " + dur(g.Compute)}
	if g.Comm > 0 {
		parts = append(parts, "communication "+dur(g.Comm)+" ("+exposed(g.ExposedComm, g.Comm)+")")
	}
	if g.Copy > 0 {
		parts = append(parts, "copies "+dur(g.Copy)+" ("+exposed(g.ExposedCopy, g.Copy)+")")
	}
	parts = append(parts, "idle "+dur(g.Idle)+" ("+share(g.Idle, g.Span)+")", count(g.Activities, "activity", "activities"))
	p.joined("", indent, parts)
	if r.Outside != nil && len(r.Requests) > 1 {
		p.note(margin, "outside every stage: "+count(r.Outside.Activities, "activity", "activities")+", "+dur(r.Outside.GPUBusy)+" on the device")
	}
	p.eachDevice(r)
}

// exposed says how much of something is not hidden under compute.
func exposed(part, whole int64) string {
	switch part {
	case 0:
		return "none exposed"
	case whole:
		return "all exposed"
	}
	return dur(part) + " exposed"
}

// device writes what the device did as a table, when no stage divides its work.
func (p *page) device(r *analyze.RankSummary) {
	if r.GPU == nil {
		return
	}
	name := "device"
	if len(r.Devices) > 1 {
		name = "all devices"
	}
	p.gap()
	p.deviceTable(name, r.GPU)
	p.eachDevice(r)
}

// eachDevice has a row for each device of a rank with several.
func (p *page) eachDevice(r *analyze.RankSummary) {
	if len(r.Devices) <= 1 {
		return
	}
	t := table.New("devices", append([]table.Col{{Name: "device", Unit: table.None}}, p.gpuCols()...)...)
	for i := range r.Devices {
		t.Add(append([]any{r.Devices[i].ID}, p.gpuRow(&r.Devices[i].GPU)...)...)
	}
	p.gap()
	p.table(t)
}

// gpuCols are the columns of tables with a device's work in each row.
func (p *page) gpuCols() []table.Col {
	var cols []table.Col
	for _, name := range []string{"span", "busy", "compute", "comm", "exposed", "idle"} {
		cols = append(cols, table.Col{Name: name, Unit: table.Nanoseconds})
	}
	cols = append(cols, table.Col{Name: "overlap", Unit: table.Percent})
	if p.wide() {
		cols = append(cols, table.Col{Name: "copy", Unit: table.Nanoseconds}, table.Col{Name: "busy of span", Unit: table.Bar})
	}
	return cols
}

func (p *page) gpuRow(g *analyze.GPU) []any {
	row := []any{g.Span, g.Busy, g.Compute, g.Comm, g.ExposedComm, g.Idle, nil}
	if g.CommOverlapPercent != nil {
		row[6] = *g.CommOverlapPercent
	}
	if p.wide() {
		row = append(row, g.Copy, g.BusyPercent/100)
	}
	return row
}

func (p *page) deviceTable(name string, g *analyze.GPU) {
	t := table.New("device", table.Col{Name: name, Unit: table.Text}, table.Col{Name: "time", Unit: table.Nanoseconds},
		table.Col{Name: "of span", Unit: table.Percent}, table.Col{Unit: table.Bar}, table.Col{Unit: table.Text})
	add := func(name string, v int64, remark any) {
		t.Add(name, v, 100*float64(v)/float64(max(g.Span, 1)), float64(v)/float64(max(g.Span, 1)), remark)
	}
	add("busy", g.Busy, count(g.Activities, "activity", "activities"))
	add("  compute", g.Compute, nil)
	if g.Comm > 0 {
		add("  communication", g.Comm, exposed(g.ExposedComm, g.Comm))
	}
	if g.Copy > 0 {
		add("  copies", g.Copy, exposed(g.ExposedCopy, g.Copy))
	}
	add("idle", g.Idle, nil)
	t.SetTotal("span", g.Span)
	p.table(t)
}
