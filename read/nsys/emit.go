package nsys

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"reel/event"
	"reel/internal/sqlite"
)

// emitter turns rows into the events of a batch. Each worker has one.
type emitter struct {
	s    *Source
	task *task
	out  *event.Batch

	// What the batch holds already: names by their place among the texts, as they are
	// and as calls; tracks. An entry is of this batch when its epoch is.
	names, calls []cached
	epoch        uint32
	tracks       map[event.Track]event.TrackID
	last         struct {
		track event.Track
		id    event.TrackID
		set   bool
	}
	keep wanted
}

type cached struct {
	epoch uint32
	str   event.Str
}

// wanted are the arguments that are kept.
type wanted struct{ domain, style, unfinished, category, color, payload, data, more bool }

// columns returns the columns of a table that are read; "" stands for one that nobody
// wants: reading them all doubles the time of a report.
func (k *wanted) columns(t *table) []string {
	cols := slices.Clone(t.cols)
	for i := len(cols) - t.args; i < len(cols); i++ {
		want := k.more
		switch c := cols[i]; {
		case k.more:
		case c == "category":
			want = k.category
		case c == "color":
			want = k.color
		case strings.HasSuffix(c, "Value") && c != "returnValue":
			want = k.payload
		case strings.HasPrefix(c, "jsonText"):
			want = k.data
		}
		if !want {
			cols[i] = ""
		}
	}
	return cols
}

func newEmitter(s *Source) *emitter {
	n := s.x.texts.count()
	e := &emitter{s: s, names: make([]cached, n), calls: make([]cached, n), tracks: map[event.Track]event.TrackID{}}
	k := s.opt.keeps
	e.keep = wanted{k("domain"), k("style"), k("unfinished"), k("category"), k("color"), k("payload"), k("data"), s.opt.AllArgs}
	e.fresh()
	return e
}

// fresh takes an empty batch.
func (e *emitter) fresh() {
	select {
	case e.out = <-e.s.free:
		e.out.Reset()
	default:
		e.out = &event.Batch{}
	}
	e.epoch++
	clear(e.tracks)
	e.last.set = false
}

func (e *emitter) full() bool { return e.out.Len() >= batchRows }

// flush hands the batch on; false means that nobody takes it.
func (e *emitter) flush() bool {
	if e.out.Len() == 0 && len(e.out.Warnings) == 0 {
		return true
	}
	select {
	case e.task.out <- e.out:
	case <-e.s.ctx.Done():
		return false
	}
	e.fresh()
	return true
}

// mine reports whether a row of a process belongs to this rank. Rows that do not say go
// to the first; so do those of processes that are no rank, where there is but one.
func (e *emitter) mine(pid int64) bool {
	w := &e.s.who
	switch {
	case w.Alone || pid == w.Process || pid == 0 && w.order == 0:
		e.task.kept++
		return true
	}
	for _, p := range w.all {
		if p == pid {
			return false
		}
	}
	e.task.others++
	return false
}

// link makes a correlation, which is unique within its process, unique in the rank. Where
// work on the device does not say its process, it can only be what it is.
func (e *emitter) link(pid, correlation int64) int64 {
	if own := e.s.who.Process; own == 0 || pid == 0 || pid == own || correlation == 0 {
		return correlation
	}
	return pid<<32 ^ correlation
}

func (e *emitter) warn(code, text string) {
	for i := range e.out.Warnings {
		if w := &e.out.Warnings[i]; w.Code == code && w.Text == text {
			w.Count++
			return
		}
	}
	e.out.Warnings = append(e.out.Warnings, event.Warning{Code: code, Text: text, Event: -1, Count: 1})
}

// row is an event in the making.
type row struct {
	kind        event.Kind
	class       event.Class
	track       event.Track
	name        event.Str
	start, end  int64
	link, value int64
}

// maxTime bounds times, ns; so does the reader of Kineto's traces.
const maxTime = int64(1) << 62

// push appends r; ok says that its arguments may follow.
func (e *emitter) push(r *row) (ok bool) {
	if r.start > maxTime || r.start < -maxTime || r.end > maxTime || r.end < -maxTime {
		e.warn("time-range", "a time beyond any clock; left out")
		return false
	}
	dur := r.end - r.start
	if dur < 0 {
		e.warn("negative-duration", "an end before its start; taken as a duration of 0")
		dur = 0
	}
	o := e.out
	o.Kind, o.Class, o.Role = append(o.Kind, r.kind), append(o.Class, r.class), append(o.Role, event.NoRole)
	o.Track, o.Name = append(o.Track, e.track(r.track)), append(o.Name, r.name)
	o.Start, o.Dur = append(o.Start, r.start), append(o.Dur, dur)
	o.Link, o.Op, o.Value = append(o.Link, r.link), append(o.Op, 0), append(o.Value, r.value)
	o.ArgEnd = append(o.ArgEnd, uint32(len(o.ArgKey)))
	return true
}

func (e *emitter) track(t event.Track) event.TrackID {
	if e.last.set && e.last.track == t {
		return e.last.id
	}
	id, ok := e.tracks[t]
	if !ok {
		id = event.TrackID(len(e.out.Tracks))
		e.out.Tracks = append(e.out.Tracks, t)
		e.tracks[t] = id
	}
	e.last.track, e.last.id, e.last.set = t, id, true
	return id
}

// The kinds of arguments; each belongs to the event that was pushed last.
func (e *emitter) arg(key string, kind event.ArgKind, v uint64) {
	o := e.out
	if n := len(o.ArgEnd); n > 0 {
		o.ArgKey, o.ArgKind, o.ArgVal = append(o.ArgKey, o.Strings.Add(key)), append(o.ArgKind, kind), append(o.ArgVal, v)
		o.ArgEnd[n-1] = uint32(len(o.ArgKey))
	}
}

func (e *emitter) argInt(key string, v int64) { e.arg(key, event.ArgInt, uint64(v)) }

func (e *emitter) argText(key, v string) { e.arg(key, event.ArgText, uint64(e.out.Strings.Add(v))) }

// nameOf returns the name of an id; "" is the name of none.
func (e *emitter) nameOf(r *sqlite.Rows, col int) event.Str {
	return e.cachedName(e.names, r, col, func(b []byte) []byte { return b })
}

// callOf returns the name of a call into CUDA without the version of its entry point.
func (e *emitter) callOf(r *sqlite.Rows, col int) event.Str {
	return e.cachedName(e.calls, r, col, callName)
}

func (e *emitter) cachedName(cache []cached, r *sqlite.Rows, col int, shown func([]byte) []byte) event.Str {
	id := r.Int(col)
	if id == 0 && r.IsNull(col) {
		return 0
	}
	place, ok := e.s.x.texts.place(id)
	if !ok {
		e.warn("missing-name", "a name that is not among the texts; shown by its number")
		return e.out.Strings.Add("name " + strconv.FormatInt(id, 10))
	}
	c := &cache[place]
	if c.epoch != e.epoch {
		c.epoch, c.str = e.epoch, e.out.Strings.AddBytes(shown(e.s.x.texts.at(place)))
	}
	return c.str
}

// callName cuts the version of an entry point off a call's name, "_v" and four digits,
// as nsys' own tables do (cudaLaunchKernel_v7000); five digits stay.
func callName(name []byte) []byte {
	k := len(name) - len("_v7000")
	if k > 0 && name[k] == '_' && name[k+1] == 'v' && len(bytes.Trim(name[k+2:], "0123456789")) == 0 {
		return name[:k]
	}
	return name
}
