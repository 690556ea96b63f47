package html

import (
	"fmt"
	"strconv"

	"reel/analyze"
	"reel/internal/display"
	"reel/unit"
)

// rankParts are the parts of one rank.
func rankParts(r *analyze.RankSummary, ops *analyze.OpsReport) []part {
	var parts []part
	if r.GPU != nil {
		parts = append(parts, devicePart(r))
	}
	parts = append(parts, requestParts(r)...)
	parts = append(parts, stepParts(r)...)
	if ops != nil && len(ops.Rows) > 0 {
		parts = append(parts, opsPart(ops))
	}
	return parts
}

// compositionNames are the parts of a device's time.
var compositionNames = []legend{{Class: "busy", Name: "compute"}, {Class: "comm", Name: "communication, exposed"}, {Class: "copy", Name: "copies, exposed"}, {Class: "idle", Name: "idle"}}

// composition is what a device did with its time, on a track of the given length.
func composition(g *analyze.GPU, length int64) *bar {
	b := &bar{Label: "busy " + shareText(g.Busy, g.Span)}
	compute := min(g.Compute, g.Busy)
	comm := min(g.ExposedComm, g.Busy-compute)
	times := []int64{compute, comm, g.Busy - compute - comm, g.Idle}
	var at int64
	for i, l := range compositionNames {
		if times[i] <= 0 {
			continue
		}
		b.Segments = append(b.Segments, segment{percent(at, length), visible(times[i], length), l.Class, l.Name + " " + ns(times[i])})
		l.Value = ns(times[i]) + ", " + shareText(times[i], g.Span)
		b.Legend = append(b.Legend, l)
		at += times[i]
	}
	return b
}

func devicePart(r *analyze.RankSummary) part {
	g := r.GPU
	p := part{Title: "Device", Note: "From its first activity to its last: " + ns(g.Span) + ".", Bar: composition(g, g.Span)}
	if len(r.Devices) > 1 {
		p.Grid = &grid{Heads: []head{{"device", "text"}, {"", "bar"}, {"busy", "num"}, {"span", "num"}, {"compute", "num"}, {"communication", "num"}, {"copies", "num"}, {"idle", "num"}}}
		for i := range r.Devices {
			x := &r.Devices[i]
			p.Grid.Rows = append(p.Grid.Rows, []cell{{Text: strconv.FormatInt(x.ID, 10), Note: display.Clean(x.Name)}, {Bar: composition(&x.GPU, g.Span)},
				shareCell(x.GPU.Busy, x.GPU.Span), dur(x.GPU.Span), dur(x.GPU.Compute), dur(x.GPU.Comm), dur(x.GPU.Copy), dur(x.GPU.Idle)})
		}
	}
	if n := r.Links.Unattributed; n > 0 {
		p.Note += fmt.Sprintf(" %s of %s belong to no launch in this trace (begun before it, or replayed by a graph): counted here, in no stage.",
			unit.Count(n), count(g.Activities, "activity", "activities"))
	}
	return p
}

// Bounds of what is shown of many requests.
const (
	fullRequests  = 3
	shownRequests = 24
)

// requestParts are the stages of each request, or of the typical one of many.
func requestParts(r *analyze.RankSummary) []part {
	if len(r.Stages) == 0 {
		note := "No stage and no denoise step was found: neither named ranges, nor known annotations, modules or calls, nor work that repeats."
		return append([]part{{Title: "Stages", Note: note}}, requestList(r)...)
	}
	if len(r.Requests) > fullRequests {
		return append(requestList(r), requestPart(r, typical(r.Requests), " (the median one)"))
	}
	var parts []part
	for i := range r.Requests {
		parts = append(parts, requestPart(r, i, ""))
	}
	return parts
}

// requestList lists requests, one a row.
func requestList(r *analyze.RankSummary) []part {
	if len(r.Requests) == 0 {
		return nil
	}
	g := &grid{Sorts: true, Heads: []head{{"request", "num"}, {"", "text"}, {"began at", "num"}, {"on the host", "num"}, {"", "bar"}, {"device", "num"}, {"steps", "num"}}}
	longest := int64(1)
	for _, q := range r.Requests {
		longest = max(longest, q.Duration)
	}
	for i, q := range r.Requests {
		if i == shownRequests && len(r.Requests) > shownRequests+1 {
			g.Notes = append(g.Notes, fmt.Sprintf("… and %s more; the summary as JSON has all.", unit.Count(len(r.Requests)-i)))
			break
		}
		busy, steps := requestWork(r, q.Index)
		row := []cell{{Text: strconv.Itoa(q.Index), Value: strconv.Itoa(q.Index)}, name(shortName(q.Name, q.Evidence)), dur(q.Start), dur(q.Duration),
			{Bar: share(q.Duration, longest, "host"), Value: strconv.FormatInt(q.Duration, 10)}, {}, number(int64(steps))}
		if r.GPU != nil {
			row[5] = dur(busy)
		}
		g.add(row)
	}
	return []part{{Title: count(len(r.Requests), "request", "requests"), Grid: g}}
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
