package chrome

import (
	"cmp"
	"slices"

	"reel/analyze"
	"reel/event"
	"reel/timeline"
)

// ownSpan is an event of Reel's own tracks.
type ownSpan struct {
	row        int64
	start, end int64 // ns on the timeline
	name, args string
}

// own writes what Reel found in a rank as tracks of their own: requests, stages
// (a denoise loop is one) and steps, as the host saw them, and ranges that viewers
// lose. Reading a trace, Reel
// passes over them by their category. keep, if given, says which are wanted.
func own(o *out, r analyze.Rank, p place, shift int64, opt Options, keep func(start, dur int64) bool) {
	spans := onLanes(append(ownSpans(r, opt.Roles), crossing(r.TL)...))
	if keep != nil {
		spans = slices.DeleteFunc(spans, func(s ownSpan) bool { return !keep(s.start, s.end-s.start) })
	}
	if len(spans) == 0 {
		return
	}
	number := p.slot*pidStep + freePid(r)
	pid := itoa(number)
	o.meta(row{pid, "0"}, "process_name", `"name": `+quoted(p.title+"Reel"))
	o.meta(row{pid, "0"}, "process_labels", `"labels": "found by Reel"`)
	o.meta(row{pid, "0"}, "process_sort_index", `"sort_index": -1`)
	named := map[int64]bool{}
	for _, s := range spans {
		tid := itoa(number + s.row)
		if !named[s.row] {
			named[s.row] = true
			title := [...]string{ownRequests: "requests", ownStages: "stages", ownSteps: "steps", ownCrossing: "ranges that cross others"}[s.row%ownLane]
			o.meta(row{pid, tid}, "thread_name", `"name": "`+title+`"`)
			o.meta(row{pid, tid}, "thread_sort_index", `"sort_index": `+tid)
		}
		o.next().raw(`{"ph": "X", "cat": "reel", "name": `).str(s.name).raw(`, "pid": `).raw(pid).raw(`, "tid": `).raw(tid).
			raw(`, "ts": `).micros(s.start + shift).raw(`, "dur": `).micros(s.end - s.start).raw(`, "args": {`).raw(s.args).raw("}}")
	}
}

// freePid returns the number of Reel's own process, which no process of the rank has.
func freePid(r analyze.Rank) int64 {
	pid := int64(ownPid)
	for slices.ContainsFunc(r.TL.Tracks, func(t timeline.Track) bool { return t.A == pid }) {
		pid++
	}
	return pid
}

// ownSpans lists the spans by row, then start.
func ownSpans(r analyze.Rank, roles *analyze.Roles) []ownSpan {
	d := r.Derived
	if d == nil {
		return nil
	}
	numbers := measured(r, roles)
	var list []ownSpan
	add := func(row int64, s analyze.Span, name, args string) {
		list = append(list, ownSpan{row, s.Start, s.End, name, args})
	}
	for i, s := range d.Requests {
		add(ownRequests, s, "request "+itoa(int64(i)), described(s, false))
	}
	for i, s := range d.Stages {
		args := described(s, true) + numbers.stage(i)
		title := s.Stage
		if s.Name != "" && s.Name != s.Stage {
			title += ": " + s.Name
		}
		add(ownStages, s, title, args)
	}
	for i, s := range d.Steps {
		if i == 0 || d.Steps[i-1].Request != s.Request || d.Steps[i-1].Loop != s.Loop {
			add(ownStages, s, "diffuse: "+s.Name, described(s, true)+`, "loop": `+itoa(int64(s.Loop)))
		}
		loop := &list[lastLoop(list)]
		loop.end = max(loop.end, s.End)
		name := "step " + itoa(int64(s.Index))
		if s.Loop > 0 {
			name = "loop " + itoa(int64(s.Loop)) + " " + name
		}
		add(ownSteps, s, name, described(s, true)+`, "loop": `+itoa(int64(s.Loop))+`, "index": `+itoa(int64(s.Index))+numbers.step(i))
	}
	return list
}

// crossing lists operators and annotations that begin inside another range of
// their thread and outlast it. Viewers lose them where they belong: PyTorch's own
// ranges around steps do this when Python calls are recorded.
func crossing(tl *timeline.Timeline) (list []ownSpan) {
	r := &tl.Ranges
	for _, id := range tl.HostTracks() {
		t := tl.Tracks[id]
		var open []int64 // ends of the ranges that are drawn around
		for i := timeline.RangeID(t.Lo); i < timeline.RangeID(t.Hi); i++ {
			for len(open) > 0 && open[len(open)-1] <= r.Start[i] {
				open = open[:len(open)-1]
			}
			if len(open) == 0 || open[len(open)-1] >= r.End(i) {
				open = append(open, r.End(i))
			} else if c := r.Class[i]; c == event.Op || c == event.Annotation {
				list = append(list, ownSpan{ownCrossing, r.Start[i], r.End(i), tl.Name(r.Name[i]), `"thread": ` + itoa(t.B)})
			}
		}
	}
	return list
}

// lastLoop returns the stage that was added last.
func lastLoop(list []ownSpan) int {
	i := len(list) - 1
	for list[i].row != ownStages {
		i--
	}
	return i
}

// described is a span's arguments.
func described(s analyze.Span, inRequest bool) string {
	args := `"evidence": ` + quoted(string(s.Evidence))
	if s.Name != "" {
		args = `"name": ` + quoted(s.Name) + ", " + args
	}
	if inRequest {
		args += `, "request": ` + itoa(int64(s.Request))
	}
	return args
}

// onLanes sorts spans, and gives those of a row that overlap in part rows of
// their own. Those for which there are too few rows are left out.
func onLanes(list []ownSpan) []ownSpan {
	slices.SortStableFunc(list, func(a, b ownSpan) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	rows := map[int64]*lane{}
	kept := list[:0]
	for _, s := range list {
		for range maxLanes {
			if rows[s.row] == nil {
				rows[s.row] = newLane()
			}
			if rows[s.row].enter(s.start, s.end) {
				kept = append(kept, s)
				break
			}
			s.row += ownLane
		}
	}
	list = kept
	slices.SortStableFunc(list, func(a, b ownSpan) int { return cmp.Compare(a.row, b.row) })
	return list
}
