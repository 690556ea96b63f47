package parquet

import (
	"reel/analyze"
	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// rangeRow is a row of the table ranges.
type rangeRow struct {
	Rank    int32  `parquet:"rank"`
	ID      int64  `parquet:"id,delta"`
	Parent  *int64 `parquet:"parent,optional"` // the innermost range that holds it
	Process *int64 `parquet:"process,optional"`
	Thread  *int64 `parquet:"thread,optional"`
	Track   string `parquet:"track,dict"`
	Class   string `parquet:"class,dict"`
	Role    string `parquet:"role,optional,dict"`
	Name    string `parquet:"name,dict"`
	Start   int64  `parquet:"start_ns,delta"`
	Dur     int64  `parquet:"dur_ns"`
	partRow
}

// activityRow is a row of the table activities.
type activityRow struct {
	Rank   int32  `parquet:"rank"`
	ID     int64  `parquet:"id,delta"`
	Device *int64 `parquet:"device,optional"`
	Stream *int64 `parquet:"stream,optional"`
	Track  string `parquet:"track,dict"`
	Class  string `parquet:"class,dict"` // "unsound": the times cannot be true
	Name   string `parquet:"name,dict"`
	Start  int64  `parquet:"start_ns,delta"`
	Dur    int64  `parquet:"dur_ns"`
	Bytes  int64  `parquet:"bytes,optional"`
	Launch *int64 `parquet:"launch,optional"` // the range that caused it
	Owner  *int64 `parquet:"owner,optional"`  // the innermost operator or annotation around the launch
	partRow
}

// launchRow is a row of the table launches.
type launchRow struct {
	Rank       int32  `parquet:"rank"`
	ID         int64  `parquet:"id,delta"` // of its range
	Process    *int64 `parquet:"process,optional"`
	Thread     *int64 `parquet:"thread,optional"`
	Name       string `parquet:"name,dict"`
	Op         string `parquet:"op,optional,dict"` // the innermost operator or annotation around it
	Start      int64  `parquet:"start_ns,delta"`
	Dur        int64  `parquet:"dur_ns"`
	Activities int32  `parquet:"activities"`
	DeviceDur  int64  `parquet:"device_ns"`            // sum of theirs
	FirstStart int64  `parquet:"first_start_ns,delta"` // of theirs
	Delay      int64  `parquet:"delay_ns"`             // from Start to FirstStart
	partRow
}

// partRow says in which stage or step something was launched.
type partRow struct {
	Request *int32 `parquet:"request,optional"`
	Stage   string `parquet:"stage,optional,dict"`
	Loop    *int32 `parquet:"loop,optional"`
	Step    *int32 `parquet:"step,optional"`
}

// rank is the rank at hand.
type rank struct {
	analyze.Rank
	tl     *timeline.Timeline
	offset int64
	parts  *walk.Parts
	clean  []string // names as valid UTF-8
	cache  map[walk.Part]partRow
}

func newRank(r analyze.Rank, offset int64) *rank {
	return &rank{Rank: r, tl: r.TL, offset: offset, parts: walk.NewParts(r.TL, r.Derived),
		clean: make([]string, r.TL.Names()), cache: map[walk.Part]partRow{}}
}

func (r *rank) name(id timeline.NameID) string {
	if r.clean[id] == "" && id != 0 {
		r.clean[id] = walk.Text(r.tl.Name(id))
	}
	return r.clean[id]
}

func (r *rank) part(x walk.Part) partRow {
	row, ok := r.cache[x]
	if s := r.parts.Span(x); !ok && s != nil {
		request, loop, step := int32(s.Request), int32(s.Loop), int32(s.Index)
		row.Request = &request
		name, number := r.parts.Names(x)
		if row.Stage = name; number != "" {
			row.Loop, row.Step = &loop, &step
		}
		r.cache[x] = row
	}
	return row
}

// ids returns a track's two ids; they are absent where it has text ids.
func ids(t *timeline.Track) (a, b *int64) {
	if t.Label != "" || t.Place != event.Thread && t.Place != event.Stream {
		return nil, nil
	}
	return &t.A, &t.B
}

// maybe returns a range's id, nil for none.
func maybe(r timeline.RangeID) *int64 {
	if r == timeline.NoRange {
		return nil
	}
	id := int64(r)
	return &id
}

func rangeRows(r *rank, s *sink[rangeRow]) {
	c := &r.tl.Ranges
	for _, id := range r.tl.HostTracks() {
		t := &r.tl.Tracks[id]
		process, thread := ids(t)
		name := walk.TrackName(t)
		for i := timeline.RangeID(t.Lo); i < timeline.RangeID(t.Hi) && s.err == nil; i++ {
			s.add(rangeRow{int32(r.Index), int64(i), maybe(c.Parent[i]), process, thread, name, c.Class[i].String(), c.Role[i].String(),
				r.name(c.Name[i]), c.Start[i] + r.offset, c.Dur[i], r.part(r.parts.At(id, c.Start[i]))})
		}
	}
}

func activityRows(r *rank, s *sink[activityRow]) {
	a := &r.tl.Activities
	for _, id := range r.tl.DeviceTracks() {
		t := &r.tl.Tracks[id]
		device, stream := ids(t)
		name := walk.TrackName(t)
		for i := t.Lo; i < t.Hi && s.err == nil; i++ {
			s.add(activityRow{int32(r.Index), int64(i), device, stream, name, a.Class[i].String(), r.name(a.Name[i]),
				a.Start[i] + r.offset, a.Dur[i], a.Bytes[i], maybe(a.Launch[i]), maybe(a.Owner[i]), r.part(r.parts.OfActivity(i))})
		}
	}
}

func launchRows(r *rank, s *sink[launchRow]) {
	c, a := &r.tl.Ranges, &r.tl.Activities
	causes := walk.NewCauses(r.tl)
	for _, id := range r.tl.HostTracks() {
		t := &r.tl.Tracks[id]
		process, thread := ids(t)
		for i := timeline.RangeID(t.Lo); i < timeline.RangeID(t.Hi) && s.err == nil; i++ {
			list := causes.Of(i)
			if len(list) == 0 || a.Launch[list[0]] != i {
				continue
			}
			row := launchRow{Rank: int32(r.Index), ID: int64(i), Process: process, Thread: thread, Name: r.name(c.Name[i]),
				Start: c.Start[i] + r.offset, Dur: c.Dur[i], Activities: int32(len(list)), FirstStart: a.Start[list[0]] + r.offset,
				partRow: r.part(r.parts.At(id, c.Start[i]))}
			if o := a.Owner[list[0]]; o != timeline.NoRange {
				row.Op = r.name(c.Name[o])
			}
			for _, k := range list {
				row.DeviceDur += a.Dur[k]
				row.FirstStart = min(row.FirstStart, a.Start[k]+r.offset)
			}
			row.Delay = row.FirstStart - row.Start
			s.add(row)
		}
	}
}
