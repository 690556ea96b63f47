package kineto

import (
	"bytes"

	"reel/event"
)

// emit appends the event in r to the batch, or warns why it cannot.
func (p *parser) emit(r *row) {
	p.noteRepairs()
	kind, class := event.NoKind, event.NoClass
	switch r.ph {
	case 'X':
		if p.skips(r) {
			p.skipped++
			return
		}
		kind, class = p.complete(r)
	case 'i', 'I', 'R':
		kind, class = event.Mark, p.markClass(r)
	case 'C':
		kind = event.Counter
	case 'M':
		kind = event.Meta
	case 's', 't', 'f':
		if p.skips(r) {
			p.skipped++
			return
		}
		kind, r.link = event.Flow, r.id
	case 0:
		p.warn("no-phase", "no phase (ph)")
	default:
		p.warn("unknown-phase", "phase (ph) of a kind that Kineto does not write; not read")
	}
	if kind == event.NoKind || kind != event.Meta && !p.timed(r) {
		o := p.out
		o.ArgKey, o.ArgKind, o.ArgVal = o.ArgKey[:r.args], o.ArgKind[:r.args], o.ArgVal[:r.args]
		return
	}
	p.push(r, kind, class)
}

func (p *parser) push(r *row, kind event.Kind, class event.Class) {
	o := p.out
	o.Kind = append(o.Kind, kind)
	o.Class = append(o.Class, class)
	o.Role = append(o.Role, p.role(r))
	o.Track = append(o.Track, p.track(r, kind))
	o.Name = append(o.Name, r.name)
	o.Start = append(o.Start, r.ts)
	o.Dur = append(o.Dur, r.dur)
	o.Link = append(o.Link, r.link)
	o.Op = append(o.Op, r.op)
	o.Value = append(o.Value, r.value)
	o.ArgEnd = append(o.ArgEnd, uint32(len(o.ArgKey)))
}

// complete returns what a complete event is.
func (p *parser) complete(r *row) (event.Kind, event.Class) {
	if !r.hasDur {
		p.warn("no-duration", "complete event without a duration; taken as 0")
	}
	if !r.hasCat { // torch's legacy writer has no categories
		r.sort = sortOf(nil)
	}
	kind, class := r.sort.kind, r.sort.class
	if class == event.Kernel && bytes.HasPrefix(p.cat, []byte("mtia")) && bytes.HasPrefix(p.out.Strings.Bytes(r.name), []byte("event_")) {
		class = event.Sync
	}
	return kind, class
}

func (p *parser) markClass(r *row) event.Class {
	if !bytes.Equal(p.out.Strings.Bytes(r.name), []byte("[memory]")) {
		return event.OtherMark
	}
	if r.devMemory {
		return event.DeviceMemory
	}
	return event.HostMemory
}

// timed checks the times of an event.
func (p *parser) timed(r *row) bool {
	if !r.hasTS {
		p.warn("no-time", "no time (ts) that is a number; left out")
		return false
	}
	if r.dur < 0 {
		p.warn("negative-duration", "dur is negative; taken as 0")
		r.dur = 0
	}
	if limit := int64(1) << 62; r.ts > limit || r.ts < -limit || r.dur > limit {
		p.warn("time-range", "time beyond any clock; left out")
		return false
	}
	return true
}

func (p *parser) noteRepairs() {
	if p.flags == (flags{}) {
		return
	}
	if p.flags.trailingComma {
		p.warn("trailing-comma", "a comma too many; passed over")
	}
	if p.flags.literal {
		p.warn("not-a-number", "a value that is no JSON (inf, nan); kept as text")
	}
	if p.flags.quote {
		p.warn("unescaped-quote", "a quote inside a text was not escaped; repaired")
	}
}

// track returns where the event lies.
func (p *parser) track(r *row, kind event.Kind) event.TrackID {
	t := event.Track{Place: event.Thread, A: r.pid.n, B: r.tid.n}
	if kind == event.Activity {
		t.Place = event.Stream
	} else if r.pid.text != 0 || r.tid.text != 0 {
		t.Label = p.label(r)
		if r.pid.text != 0 && t.A == 0 {
			t.Place = event.Logical
		}
	}
	for i := range p.last {
		if p.last[i].set && p.last[i].track == t {
			return p.last[i].id
		}
	}
	id, ok := p.tracks[t]
	if !ok {
		id = event.TrackID(len(p.out.Tracks))
		p.out.Tracks = append(p.out.Tracks, t)
		p.tracks[t] = id
	}
	p.last[1], p.last[0] = p.last[0], trackMemo{t, id, true}
	return id
}

func (p *parser) label(r *row) string {
	a, b := p.out.Strings.Get(r.pid.text), p.out.Strings.Get(r.tid.text)
	if a == "" || b == "" {
		return a + b
	}
	return a + "/" + b
}
