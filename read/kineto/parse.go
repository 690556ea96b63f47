package kineto

import "reel/event"

// status says how the reading of one event, or of a chunk, ended.
type status uint8

const (
	sound   status = iota // read, or the chunk ended between two events
	partial               // the data ended inside an event
	damaged               // this is no event by any rule we know
	closed                // the array of events was closed
)

// parser turns JSON text of events into batches. One parser serves one
// goroutine.
type parser struct {
	opt     Options
	wanted  []string // opt.Args
	lenient bool     // strings end only where JSON could go on: set for repairs
	wary    bool     // an event of this chunk ran on into the next: none may any more

	out     *event.Batch
	events  int64 // events seen in this chunk, flows and meta included
	skipped int64 // events read that nobody asked for
	lost    int64 // bytes of damaged events passed over
	tracks  map[event.Track]event.TrackID
	last    [2]trackMemo
	cat     []byte // the category of the previous event, and what it is
	catSort sort
	catRole event.Role
	// accelerator is the sort of device that a category told of, in this chunk or
	// one before.
	accelerator string
	scratch     []byte
	escaped     bool // the text read last had escapes
	final       bool // this chunk is the text's last
	flags       flags
	raw         *rawParser // of a reading of texts (OpenRaw), not of meanings
}

type trackMemo struct {
	track event.Track
	id    event.TrackID
	set   bool
}

// flags are repairs made inside the event at hand.
type flags struct{ trailingComma, literal, quote bool }

// row is the event being read.
type row struct {
	ph        byte
	hasCat    bool
	hasName   bool
	hasTS     bool
	hasDur    bool
	sort      sort
	name      event.Str
	pid, tid  ident
	ts, dur   int64
	id        int64
	link, op  int64
	value     int64
	devMemory bool
	argsAt    int
	args      int // rows of the argument columns before this event
}

func newParser(opt Options) *parser {
	p := &parser{opt: opt, wanted: opt.Args, tracks: map[event.Track]event.TrackID{}}
	if opt.raw {
		p.raw = &rawParser{}
	}
	return p
}

// chunk reads the events in b[i:end] into out. It returns where it stopped: at
// end (sound), at the start of an unfinished event (partial), or behind the
// bracket that closes the array (closed). b goes on for padding bytes of pad.
func (p *parser) chunk(b []byte, i, end int, out *event.Batch) (int, status) {
	out.Reset()
	p.out, p.events, p.skipped, p.lost, p.wary = out, 0, 0, 0, false
	clear(p.tracks)
	p.last = [2]trackMemo{}
	for {
		commas := 0
		for b[i] <= ' ' || b[i] == ',' {
			commas += boolInt(b[i] == ',')
			i++
		}
		switch {
		case i >= end:
			return end, sound
		case b[i] == ']':
			return i + 1, closed
		}
		p.separated(b, i, commas)
		next, st := p.event(b, i)
		if st == partial {
			return i, partial
		}
		i = next
		p.events++
	}
}

// event reads the event at b[i], repaired where it must be.
func (p *parser) event(b []byte, i int) (int, status) {
	if p.raw != nil {
		return p.rawEvent(b, i)
	}
	if p.wary {
		if next, st := p.within(b, i, nextLike(b, i, len(b)-padding), false); st == sound {
			return next, sound
		}
		return p.repair(b, i)
	}
	next, st := p.one(b, i)
	if st == damaged || st == partial && p.runsOn(b, i) {
		next, st = p.repair(b, i)
	}
	return next, st
}

// one reads the event at b[i], if there is one.
func (p *parser) one(b []byte, i int) (int, status) {
	if b[i] != '{' {
		return i, damaged
	}
	r := row{argsAt: -1, args: len(p.out.ArgKey)}
	p.flags = flags{}
	end, st := p.fields(b, i+1, &r)
	if st == sound && r.argsAt >= 0 { // args stood before ph or cat
		_, st = p.args(b, r.argsAt+1, &r)
	}
	if st == sound && end-i > longEvent && swallows(b, i, end) {
		st = damaged
	}
	if st != sound {
		p.out.ArgKey, p.out.ArgKind, p.out.ArgVal = p.out.ArgKey[:r.args], p.out.ArgKind[:r.args], p.out.ArgVal[:r.args]
		return i, st
	}
	p.emit(&r)
	return end, sound
}

// fault tells an event that is cut off by the end of the data from a bad one;
// i is where reading failed, or its complement.
func fault(b []byte, i int) status {
	if max(i, ^i) >= len(b)-padding {
		return partial
	}
	return damaged
}

// separated checks what stands before the event at b[i]: one comma, unless it is
// a list's or a chunk's first.
func (p *parser) separated(b []byte, i, commas int) {
	if commas > 1 {
		p.warn("trailing-comma", "a comma too many; passed over")
	}
	if commas > 0 {
		return
	}
	for i--; i >= 0 && b[i] <= ' '; i-- {
	}
	if i >= 0 && b[i] == '}' {
		p.warn("missing-comma", "no comma before an event; read all the same")
	}
}

func boolInt(v bool) int {
	if v {
		return 1
	}
	return 0
}
