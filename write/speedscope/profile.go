package speedscope

import (
	"bufio"
	"encoding/json"
	"strconv"
	"strings"

	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// writer writes the file. The first error stays.
type writer struct {
	out    *bufio.Writer
	err    error
	many   bool            // there are several ranks
	frames strings.Builder // shared frames, as JSON
	ids    map[string]uint32
	sweep  walk.Sweep
	begun  bool // a profile was written
	line   []byte

	// Of the rank at hand:
	tl     *timeline.Timeline
	offset int64       // to the time written
	end    int64       // of the trace, time written
	names  [2][]uint32 // each name's frame + 1: as a Python call, as anything else

	// Of the profile at hand:
	row   walk.Row
	frame func(timeline.RangeID) uint32
	path  []timeline.RangeID // open now, from the root
	next  []timeline.RangeID
	now   int64 // where the last stretch ended
	comma bool
	lo    int64 // of its time, time written
	hi    int64

	// Of the stream at hand:
	start, dur []int64
	parent     []timeline.RangeID
	activity   []int32
	lasting    []timeline.RangeID
}

func (w *writer) raw(s string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(s)
	}
}

func (w *writer) text(s string) { w.raw(quoted(s)) }

// quoted returns s as JSON.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(walk.Text(s)) // text is never refused
	return strings.TrimSuffix(b.String(), "\n")
}

// profile writes one profile.
func (w *writer) profile(name string, row walk.Row, frame func(timeline.RangeID) uint32) {
	w.row, w.frame, w.comma = row, frame, false
	if w.begun {
		w.raw(",")
	}
	w.begun = true
	w.raw("\n{\"type\":\"evented\",\"name\":")
	w.text(name)
	w.raw(`,"unit":"nanoseconds","events":[`)
	w.lo, w.hi = 0, w.end
	w.sweep.Run(row, w)
	w.closeTo(0)
	w.raw("],\"startValue\":" + strconv.FormatInt(w.lo, 10) + `,"endValue":` + strconv.FormatInt(w.hi, 10) + "}")
}

// Enter is of no use here.
func (w *writer) Enter(timeline.RangeID, uint32) uint32 { return 0 }

// Spend makes row's stack the open one from a certain time on. Rows are numbered
// by start, so a row's holders have smaller numbers.
func (w *writer) Spend(row timeline.RangeID, _ uint32, from, to int64) {
	if len(w.path) > 0 && from > w.now {
		w.closeTo(0)
	}
	w.next = w.next[:0]
	for x := row; ; x = w.row.Parent[x] {
		n := len(w.path)
		for n > 0 && w.path[n-1] > x {
			n--
		}
		w.closeTo(n)
		if x == timeline.NoRange || n > 0 && w.path[n-1] == x {
			break
		}
		w.next = append(w.next, x)
	}
	for i := len(w.next) - 1; i >= 0; i-- {
		w.event('O', w.next[i], from)
		w.path = append(w.path, w.next[i])
	}
	w.now = to
}

// closeTo closes all but the outermost n frames.
func (w *writer) closeTo(n int) {
	for k := len(w.path) - 1; k >= n; k-- {
		w.event('C', w.path[k], w.now)
	}
	w.path = w.path[:min(n, len(w.path))]
}

func (w *writer) event(kind byte, row timeline.RangeID, at int64) {
	b := w.line[:0]
	if w.comma {
		b = append(b, ',')
	}
	w.comma = true
	at += w.offset
	w.lo, w.hi = min(w.lo, at), max(w.hi, at)
	b = append(append(append(b, "\n{\"type\":\""...), kind), "\",\"frame\":"...)
	b = strconv.AppendUint(b, uint64(w.frame(row)), 10)
	b = append(strconv.AppendInt(append(b, ",\"at\":"...), at, 10), '}')
	w.line = b
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

func (w *writer) hostFrame(row timeline.RangeID) uint32 {
	return w.frameOf(w.tl.Ranges.Name[row], w.tl.Ranges.Class[row] == event.Python)
}

func (w *writer) deviceFrame(row timeline.RangeID) uint32 {
	return w.frameOf(w.tl.Activities.Name[w.activity[row]], false)
}

// frameOf returns the frame of a name. A Python call's has a file and a line.
func (w *writer) frameOf(id timeline.NameID, python bool) uint32 {
	side := 1
	if python {
		side = 0
	}
	k := &w.names[side][id]
	if *k == 0 {
		name := w.tl.Name(id)
		call, ok := walk.ParseCall(name)
		switch {
		case ok && python:
			*k = w.share(`{"name":` + quoted(call.String()) + `,"file":` + quoted(call.File) + `,"line":` + strconv.Itoa(call.Line) + `}`)
		case name == "":
			*k = w.share(`{"name":"(no name)"}`)
		default:
			*k = w.share(`{"name":` + quoted(name) + `}`)
		}
	}
	return *k - 1
}

// share returns the number of a frame, from 1.
func (w *writer) share(frame string) uint32 {
	id, ok := w.ids[frame]
	if !ok {
		if len(w.ids) > 0 {
			w.frames.WriteByte(',')
		}
		w.frames.WriteString("\n" + frame)
		id = uint32(len(w.ids)) + 1
		w.ids[frame] = id
	}
	return id
}
