package query

import (
	"reel/analyze"
)

// spanTable is the table of requests, stages or steps.
func spanTable(name, doc string, of entity, list func(d *analyze.Derived) []analyze.Span, more func(at func(p *part, i int) *analyze.Span) []column) *table {
	at := func(p *part, i int) *analyze.Span { return &list(p.Derived)[i] }
	start := func(p *part, i int) int64 { return at(p, i).Start }
	cols := append([]column{id(of, "its number"), rank()}, more(at)...)
	cols = join(cols, times(start, func(p *part, i int) int64 { return at(p, i).Dur() })...)
	cols = join(cols, text("name", "what it is called", func(p *part, i int) string { return at(p, i).Name }),
		ref("range_id", "the range it stands on, in range", ranges, func(p *part, i int) int64 { return int64(at(p, i).Range) }),
		ref("track_id", "the track it lies on", tracks, func(p *part, i int) int64 { return int64(at(p, i).Track) }),
		text("evidence", "how it was recognised: range, annotation, module, call, pattern", func(p *part, i int) string { return string(at(p, i).Evidence) }))
	return &table{name: name, doc: doc, cols: cols, rows: func(p *part) int { return p.count[of] }}
}

type spanAt = func(p *part, i int) *analyze.Span

func requestTable() *table {
	return spanTable("request", "Generations, as Reel recognised them; times are the host's.", requests,
		func(d *analyze.Derived) []analyze.Span { return d.Requests }, func(at spanAt) []column {
			return []column{number("request", "its place among the rank's requests, from 0", func(p *part, i int) int64 { return int64(at(p, i).Index) }),
				number("warm_up", "1 when the producer called it a warm-up", func(p *part, i int) int64 { return bit(at(p, i).WarmUp) })}
		})
}

func ofRequest(at spanAt) column {
	return number("request", "the request it belongs to, from 0", func(p *part, i int) int64 { return int64(at(p, i).Request) })
}

func stageTable() *table {
	return spanTable("stage", "Named parts of requests, the denoise steps aside; times are the host's.", stages,
		func(d *analyze.Derived) []analyze.Span { return d.Stages }, func(at spanAt) []column {
			return []column{ofRequest(at), text("stage", "encode, decode, …", func(p *part, i int) string { return at(p, i).Stage })}
		})
}

func stepTable() *table {
	return spanTable("step", "Iterations of denoise loops; times are the host's.", steps,
		func(d *analyze.Derived) []analyze.Span { return d.Steps }, func(at spanAt) []column {
			return []column{ofRequest(at), number("loop", "its loop, from 0", func(p *part, i int) int64 { return int64(at(p, i).Loop) }),
				number("step", "its place in the loop, from 0", func(p *part, i int) int64 { return int64(at(p, i).Index) })}
		})
}

// gapTable is the table of the stretches in which a device had no work.
func gapTable() *table {
	of := func(p *part, i int) *gap { return &p.idle()[i] }
	start := func(p *part, i int) int64 { return of(p, i).start }
	where := func(p *part, i int) spanRow { return p.activityWhere(int(of(p, i).after)) }
	return &table{name: "gap", doc: "Stretches between two pieces of work in which no stream of a device had any.",
		rows: func(p *part) int { return len(p.idle()) },
		cols: join(join([]column{rank(), number("device", "the device's number", func(p *part, i int) int64 { return of(p, i).device })},
			times(start, func(p *part, i int) int64 { return of(p, i).end - of(p, i).start })...),
			ref("before_id", "the work that ended last before it, in activity", activities, func(p *part, i int) int64 { return int64(of(p, i).before) }),
			ref("after_id", "the work that ended it, in activity", activities, func(p *part, i int) int64 { return int64(of(p, i).after) }),
			ref("step_id", "the step that launched the work that ended it", steps, func(p *part, i int) int64 { return int64(where(p, i).step) }),
			ref("stage_id", "the stage that did", stages, func(p *part, i int) int64 { return int64(where(p, i).stage) }))}
}
