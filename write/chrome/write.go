package chrome

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"

	"reel/analyze"
	"reel/timeline"
)

// Write writes one trace of all ranks to w. It holds what timelines hold: ranges
// with the arguments that were kept, activities with their launches as arrows,
// marks and samples. Ids of operators and correlations are numbered anew.
func Write(ctx context.Context, w io.Writer, ranks []analyze.Rank, opt Options) (Stats, error) {
	o := &out{ctx: ctx, w: w}
	if len(ranks) == 0 {
		return Stats{}, errNoRanks
	}
	c, parts := newClock(ranks), places(ranks)
	header(o, ranks, parts, c)
	st := Stats{Notes: c.notes}
	for i, r := range ranks {
		p := newRankWriter(o, r, parts[i], c.shift[i], opt)
		st.Moved += int64(len(p.sub))
		st.Notes = append(st.Notes, crowded(r, p.left)...)
		p.processes()
		p.hostRanges()
		p.activities()
		p.marks()
		if !opt.Plain {
			own(o, r, parts[i], c.shift[i], opt, nil)
		}
		if o.err != nil {
			break
		}
	}
	if o.events == 0 { // a list without an event is no trace
		o.meta(row{"0", "0"}, "process_name", `"name": "no events"`)
	}
	st.Events = o.events
	o.raw("\n]}\n")
	return st, o.flush()
}

// rankWriter writes the events of one rank.
type rankWriter struct {
	*out
	place
	tl    *timeline.Timeline
	shift int64 // ns
	rows  []row // by track
	sub   map[int]int64
	lanes []subTrack
	left  int // activities without a row of their own
	args  []keptArg
	flows []bool // launches whose arrow has begun
}

// keptArg is an argument that the timeline has of its ranges.
type keptArg struct {
	key string
	col []timeline.NameID
}

func newRankWriter(o *out, r analyze.Rank, p place, shift int64, opt Options) *rankWriter {
	rw := &rankWriter{out: o, place: p, tl: r.TL, shift: shift, flows: make([]bool, r.TL.Ranges.Len())}
	for _, t := range r.TL.Tracks {
		rw.rows = append(rw.rows, p.row(t.Track))
	}
	rw.sub, rw.lanes, rw.left = p.subTracks(r.TL)
	keys := opt.Args
	if keys == nil {
		keys = analyze.OpsArgs
	}
	for _, key := range keys {
		if col := r.TL.RangeArg(key); col != nil {
			rw.args = append(rw.args, keptArg{key, col})
		}
	}
	return rw
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// processes names processes, devices and their rows.
func (w *rankWriter) processes() {
	seen := map[string]bool{}
	for _, id := range w.tl.HostTracks() {
		t := w.tl.Tracks[id]
		if pid := w.rows[id].pid; !seen[pid] {
			seen[pid] = true
			title := "process " + itoa(t.A)
			if pid[0] == '"' {
				title = ""
			}
			w.process(pid, title, "CPU", t.A)
		}
		w.meta(w.rows[id], "thread_name", `"name": `+quoted(cmp.Or(t.Name, "thread "+itoa(t.B))))
	}
	names := map[int64]string{}
	for _, d := range w.tl.Info.Devices {
		names[d.ID] = d.Name
	}
	for _, id := range w.tl.DeviceTracks() {
		t := w.tl.Tracks[id]
		if pid := w.rows[id].pid; !seen[pid] {
			seen[pid] = true
			gpu := "GPU " + itoa(t.A)
			w.process(pid, cmp.Or(names[t.A], gpu), gpu, 1<<24+t.A)
		}
		w.meta(w.rows[id], "thread_name", `"name": `+quoted(cmp.Or(t.Name, "stream "+itoa(t.B))))
	}
	for _, s := range w.lanes {
		w.meta(row{itoa(w.pid(s.device)), itoa(s.tid)}, "thread_name", `"name": `+quoted(s.name()))
	}
}

// process names a process; one whose id is a name has no title.
func (w *rankWriter) process(pid, title, label string, order int64) {
	r := row{pid, "0"}
	if title == "" {
		return
	}
	w.meta(r, "process_name", `"name": `+quoted(w.title+title))
	w.meta(r, "process_labels", `"labels": `+quoted(label))
	w.meta(r, "process_sort_index", `"sort_index": `+itoa(order))
}

// meta writes a metadata event.
func (o *out) meta(r row, name, arg string) {
	o.next().raw(`{"ph": "M", "name": `).str(name).raw(`, "pid": `).raw(r.pid).raw(`, "tid": `).raw(r.tid).
		raw(`, "ts": 0, "args": {`).raw(arg).raw("}}")
}

var errNoRanks = errors.New("chrome: nothing to write")
