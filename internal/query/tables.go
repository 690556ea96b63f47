package query

import (
	"reel/event"
	"reel/timeline"
)

// tables lists the tables: the one place that says what there is.
func tables() []*table {
	return []*table{rangeTable(), activityTable(), launchTable(), markTable(), counterTable(), requestTable(), stageTable(), stepTable(), gapTable(), trackTable(), stringTable()}
}

func rank() column {
	return number("rank", "the rank's number", func(p *part, _ int) int64 { return int64(p.Index) })
}

// join puts columns behind each other.
func join(cols []column, more ...column) []column { return append(cols, more...) }

func rangeTable() *table {
	at := func(f func(p *part, r timeline.RangeID) int64) func(*part, int) int64 {
		return func(p *part, i int) int64 { return f(p, timeline.RangeID(i)) }
	}
	start := func(p *part, i int) int64 { return p.TL.Ranges.Start[i] }
	name := func(p *part, i int) timeline.NameID { return p.TL.Ranges.Name[i] }
	return &table{name: "range", doc: "Named intervals on the host: operators, annotations, calls into the runtime, Python calls.",
		rows: func(p *part) int { return p.count[ranges] }, start: start,
		tracks: func(p *part) [][2]int { return rowsOf(p, p.TL.HostTracks()) },
		cols: join(join([]column{id(ranges, "its number"), rank(),
			ref("track_id", "the track it lies on", tracks, at(func(p *part, r timeline.RangeID) int64 { return int64(p.TL.RangeTrack(r)) }))},
			times(start, func(p *part, i int) int64 { return p.TL.Ranges.Dur[i] })...),
			named("name", "what it is called", name),
			ref("name_id", "its name in string", names, func(p *part, i int) int64 { return int64(name(p, i)) }),
			text("class", "what sort the producer wrote: op, annotation, runtime, driver, python, overhead, other", func(p *part, i int) string { return p.TL.Ranges.Class[i].String() }),
			text("role", "what the producer says that it is: request, loop, step, stage, …", func(p *part, i int) string { return p.TL.Ranges.Role[i].String() }),
			ref("parent_id", "the innermost range around it on its track", ranges, at(func(p *part, r timeline.RangeID) int64 { return int64(p.TL.Ranges.Parent[r]) })),
			ref("step_id", "the step in which it began", steps, at(func(p *part, r timeline.RangeID) int64 { return int64(p.rangeWhere(r).step) })),
			ref("stage_id", "the stage in which it began", stages, at(func(p *part, r timeline.RangeID) int64 { return int64(p.rangeWhere(r).stage) })))}
}

// rowsOf are the stretches of rows of some tracks.
func rowsOf(p *part, list []timeline.TrackID) [][2]int {
	out := make([][2]int, len(list))
	for i, id := range list {
		out[i] = [2]int{p.TL.Tracks[id].Lo, p.TL.Tracks[id].Hi}
	}
	return out
}

func activityTable() *table {
	start := func(p *part, i int) int64 { return p.TL.Activities.Start[i] }
	name := func(p *part, i int) timeline.NameID { return p.TL.Activities.Name[i] }
	return &table{name: "activity", doc: "Intervals on a device: kernels, copies, sets; waits and annotations are no work.",
		rows: func(p *part) int { return p.count[activities] }, start: start,
		tracks: func(p *part) [][2]int { return rowsOf(p, p.TL.DeviceTracks()) },
		cols: join(join([]column{id(activities, "its number"), rank(),
			ref("track_id", "the stream's track", tracks, func(p *part, i int) int64 { return int64(p.TL.ActivityTrack(i)) }),
			number("device", "the device's number", func(p *part, i int) int64 { return p.TL.Tracks[p.TL.ActivityTrack(i)].A }),
			number("stream", "the stream's number", func(p *part, i int) int64 { return p.TL.Tracks[p.TL.ActivityTrack(i)].B })},
			times(start, func(p *part, i int) int64 { return p.TL.Activities.Dur[i] })...),
			named("name", "what it is called", name),
			ref("name_id", "its name in string", names, func(p *part, i int) int64 { return int64(name(p, i)) }),
			text("class", "kernel, copy, set, sync, gpuannotation, work, unsound", func(p *part, i int) string { return p.TL.Activities.Class[i].String() }),
			number("work", "1 when the device worked: kernels, copies and sets", func(p *part, i int) int64 { return bit(p.TL.Activities.Class[i].IsWork()) }),
			maybe("bytes", "of a copy or set", func(p *part, i int) (int64, bool) { b := p.TL.Activities.Bytes[i]; return b, b != 0 }),
			ref("launch_id", "the call that launched it, in range; NULL when the trace does not hold it", ranges, func(p *part, i int) int64 { return int64(p.TL.Activities.Launch[i]) }),
			ref("owner_id", "the innermost operator or annotation around the launch, in range", ranges, func(p *part, i int) int64 { return int64(p.TL.Activities.Owner[i]) }),
			ref("step_id", "the step that launched it", steps, func(p *part, i int) int64 { return int64(p.activityWhere(i).step) }),
			ref("stage_id", "the stage that launched it", stages, func(p *part, i int) int64 { return int64(p.activityWhere(i).stage) }))}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func launchTable() *table {
	of := func(p *part, i int) timeline.RangeID { return timeline.RangeID(p.calls()[i]) }
	start := func(p *part, i int) int64 { return p.TL.Ranges.Start[of(p, i)] }
	name := func(p *part, i int) timeline.NameID { return p.TL.Ranges.Name[of(p, i)] }
	return &table{name: "launch", doc: "Calls into the device's runtime and driver: the ranges of these classes, with what they launched.",
		rows: func(p *part) int { return len(p.calls()) },
		cols: join(join([]column{
			ref("id", "its number in range, which activity.launch_id names", ranges, func(p *part, i int) int64 { return int64(of(p, i)) }), rank(),
			ref("track_id", "the thread's track", tracks, func(p *part, i int) int64 { return int64(p.TL.RangeTrack(of(p, i))) })},
			times(start, func(p *part, i int) int64 { return p.TL.Ranges.Dur[of(p, i)] })...),
			named("name", "what is called", name),
			text("class", "runtime or driver", func(p *part, i int) string { return p.TL.Ranges.Class[of(p, i)].String() }),
			ref("parent_id", "the innermost range around it", ranges, func(p *part, i int) int64 { return int64(p.TL.Ranges.Parent[of(p, i)]) }),
			number("activities", "how many activities it launched", func(p *part, i int) int64 { p.calls(); return p.launched(i) }),
			ref("step_id", "the step in which it began", steps, func(p *part, i int) int64 { return int64(p.rangeWhere(of(p, i)).step) }),
			ref("stage_id", "the stage in which it began", stages, func(p *part, i int) int64 { return int64(p.rangeWhere(of(p, i)).stage) }))}
}

func markTable() *table {
	return sampleTable(false, "mark", "Named instants; allocations are marks whose value is their bytes, negative when released.",
		text("class", "hostmem, devmem or other", func(p *part, i int) string { return p.TL.Marks.Class[p.samples(false)[i]].String() }))
}

func counterTable() *table {
	return sampleTable(true, "counter", "Samples of counters.")
}

// sampleTable is the table of marks or of counters' samples.
func sampleTable(counters bool, name, doc string, more ...column) *table {
	of := func(p *part, i int) int32 { return p.samples(counters)[i] }
	at := func(p *part, i int) int64 { return p.TL.Marks.At[of(p, i)] }
	begin := number("at_ns", "when, counted from the run's first event", func(p *part, i int) int64 { return at(p, i) + p.shift })
	begin.begin = true
	label := func(p *part, i int) timeline.NameID { return p.TL.Marks.Name[of(p, i)] }
	cols := []column{ref("id", "its number among marks and samples", marks, func(p *part, i int) int64 { return int64(of(p, i)) }), rank(),
		ref("track_id", "the track it lies on", tracks, func(p *part, i int) int64 { return int64(p.TL.Marks.Track[of(p, i)]) }), begin,
		named("name", "what it is called", label), number("value", "the sample, or bytes", func(p *part, i int) int64 { return p.TL.Marks.Value[of(p, i)] })}
	return &table{name: name, doc: doc, cols: join(cols, more...), rows: func(p *part) int { return len(p.samples(counters)) },
		start: at, tracks: func(p *part) [][2]int { return [][2]int{{0, len(p.samples(counters))}} }}
}

func trackTable() *table {
	of := func(p *part, i int) *timeline.Track { return &p.TL.Tracks[i] }
	on := func(want event.Place, f func(t *timeline.Track) int64) func(p *part, i int) (int64, bool) {
		return func(p *part, i int) (int64, bool) { t := of(p, i); return f(t), t.Place == want }
	}
	return &table{name: "track", doc: "Where events lie: threads, streams, and rows of a producer's own.",
		rows: func(p *part) int { return p.count[tracks] },
		cols: []column{id(tracks, "its number"), rank(),
			text("place", "thread, stream or row", func(p *part, i int) string { return placeWord(of(p, i).Place) }),
			maybe("pid", "of a thread: its process", on(event.Thread, func(t *timeline.Track) int64 { return t.A })),
			maybe("tid", "of a thread: its number", on(event.Thread, func(t *timeline.Track) int64 { return t.B })),
			maybe("device", "of a stream: its device", on(event.Stream, func(t *timeline.Track) int64 { return t.A })),
			maybe("stream", "of a stream: its number", on(event.Stream, func(t *timeline.Track) int64 { return t.B })),
			text("label", "of a row: what it goes by", func(p *part, i int) string { return of(p, i).Label }),
			text("name", "what it is called", func(p *part, i int) string { return of(p, i).Name })}}
}

func placeWord(p event.Place) string {
	switch p {
	case event.Thread:
		return "thread"
	case event.Stream:
		return "stream"
	case event.Logical:
		return "row"
	}
	return ""
}

func stringTable() *table {
	return &table{name: "string", doc: "All names, each once in a rank.", rows: func(p *part) int { return p.count[names] },
		cols: []column{id(names, "its number"), rank(), named("text", "the name", func(_ *part, i int) timeline.NameID { return timeline.NameID(i) })}}
}
