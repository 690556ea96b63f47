package chrome

import (
	"encoding/json"

	"reel/event"
	"reel/timeline"
)

// categories are Kineto's words for classes.
var categories = map[event.Class]string{
	event.NoClass: "range", event.OtherRange: "range",
	event.Op: "cpu_op", event.Annotation: "user_annotation", event.Python: "python_function",
	event.Runtime: "cuda_runtime", event.Driver: "cuda_driver", event.Overhead: "overhead",
	event.Kernel: "kernel", event.Unsound: "kernel", event.Copy: "gpu_memcpy", event.Set: "gpu_memset",
	event.GPUAnnotation: "gpu_user_annotation", event.Sync: "cuda_sync", event.OtherActivity: "collective_comm",
}

// complete begins a complete event, up to its arguments.
func (w *rankWriter) complete(cat string, role event.Role, name timeline.NameID, r row, start, dur int64) {
	w.next().raw(`{"ph": "X", "cat": "`).raw(cat)
	if role != event.NoRole {
		w.raw(",").raw(role.String())
	}
	w.raw(`", "name": `).str(w.tl.Name(name)).raw(`, "pid": `).raw(r.pid).raw(`, "tid": `).raw(r.tid).
		raw(`, "ts": `).micros(start + w.shift).raw(`, "dur": `).micros(dur)
}

// arg begins an argument.
func (w *rankWriter) arg(first *bool, key string) *out {
	if *first {
		w.raw(`, "args": {`)
	} else {
		w.raw(", ")
	}
	*first = false
	return w.str(key).raw(": ")
}

func (w *rankWriter) endArgs(first bool) {
	if !first {
		w.raw("}")
	}
	w.raw("}")
}

// linkID is the id that links to a range: an operator's External id, a call's
// correlation.
func (w *rankWriter) linkID(r timeline.RangeID) int64 { return w.id(int64(r) + 1) }

// hostRanges writes the ranges of all host tracks.
func (w *rankWriter) hostRanges() {
	r := &w.tl.Ranges
	for _, id := range w.tl.HostTracks() {
		for i := timeline.RangeID(w.tl.Tracks[id].Lo); i < timeline.RangeID(w.tl.Tracks[id].Hi) && w.err == nil; i++ {
			w.complete(categories[r.Class[i]], r.Role[i], r.Name[i], w.rows[id], r.Start[i], r.Dur[i])
			first := true
			switch r.Class[i] {
			case event.Op, event.Annotation:
				w.arg(&first, "External id").int(w.linkID(i))
			case event.Runtime, event.Driver:
				if o := w.operator(i); o != timeline.NoRange {
					w.arg(&first, "External id").int(w.linkID(o))
				}
				w.arg(&first, "correlation").int(w.linkID(i))
			}
			for _, a := range w.args {
				if v := a.col[i]; v != 0 {
					w.value(w.arg(&first, a.key), w.tl.Name(v))
				}
			}
			w.endArgs(first)
		}
	}
}

// value writes an argument as the timeline keeps it: lists, objects and numbers
// as they are, anything else as a string.
func (w *rankWriter) value(o *out, text string) {
	if c := text[0]; (c == '[' || c == '{' || c == '-' || c-'0' <= 9) && json.Valid([]byte(text)) {
		o.raw(text)
		return
	}
	o.str(text)
}

// operator returns the operator that a call was made in.
func (w *rankWriter) operator(i timeline.RangeID) timeline.RangeID {
	for i != timeline.NoRange && w.tl.Ranges.Class[i] != event.Op {
		i = w.tl.Ranges.Parent[i]
	}
	return i
}

// activities writes the work of all streams, and an arrow from each launch.
func (w *rankWriter) activities() {
	a := &w.tl.Activities
	for _, id := range w.tl.DeviceTracks() {
		t := w.tl.Tracks[id]
		for i := t.Lo; i < t.Hi && w.err == nil; i++ {
			r := w.rows[id]
			if tid, ok := w.sub[i]; ok {
				r.tid = itoa(tid)
			}
			launch, owner := a.Launch[i], a.Owner[i]
			if launch != timeline.NoRange && !w.flows[launch] {
				w.flows[launch] = true
				w.flow("s", launch, w.rows[w.tl.RangeTrack(launch)], w.tl.Ranges.Start[launch])
			}
			w.complete(categories[a.Class[i]], event.NoRole, a.Name[i], r, a.Start[i], a.Dur[i])
			first := true
			if owner != timeline.NoRange {
				w.arg(&first, "External id").int(w.linkID(owner))
			}
			w.arg(&first, "device").int(t.A)
			w.arg(&first, "stream").int(t.B)
			if launch != timeline.NoRange {
				w.arg(&first, "correlation").int(w.linkID(launch))
			}
			if a.Bytes[i] != 0 {
				w.arg(&first, "bytes").int(a.Bytes[i])
			}
			w.endArgs(first)
			if launch != timeline.NoRange {
				w.flow("f", launch, r, a.Start[i])
			}
		}
	}
}

// flow writes one end of an arrow from a launch.
func (w *rankWriter) flow(ph string, launch timeline.RangeID, r row, at int64) {
	w.next().raw(`{"ph": "`).raw(ph).raw(`", "id": `).int(w.linkID(launch)).raw(`, "pid": `).raw(r.pid).
		raw(`, "tid": `).raw(r.tid).raw(`, "ts": `).micros(at + w.shift).raw(`, "cat": "ac2g", "name": "ac2g"`)
	if ph == "f" {
		w.raw(`, "bp": "e"`)
	}
	w.raw("}")
}

// marks writes instants and samples.
func (w *rankWriter) marks() {
	m := &w.tl.Marks
	for i, at := range m.At {
		name, r := w.tl.Name(m.Name[i]), w.rows[m.Track[i]]
		ph, cat, arg := `"i", "s": "t"`, "cpu_instant_event", ""
		switch m.Class[i] {
		case event.HostMemory:
			name, arg = "[memory]", `"Bytes": `+itoa(m.Value[i])+`, "Device Type": 0`
		case event.DeviceMemory:
			name, arg = "[memory]", `"Bytes": `+itoa(m.Value[i])+`, "Device Type": 1`
		case event.NoClass:
			ph, cat, arg = `"C"`, "counter", `"value": `+itoa(m.Value[i])
		}
		w.next().raw(`{"ph": `).raw(ph).raw(`, "cat": "`).raw(cat).raw(`", "name": `).str(name).
			raw(`, "pid": `).raw(r.pid).raw(`, "tid": `).raw(r.tid).raw(`, "ts": `).micros(at + w.shift)
		if arg != "" {
			w.raw(`, "args": {`).raw(arg).raw("}")
		}
		w.raw("}")
		if w.err != nil {
			return
		}
	}
}
