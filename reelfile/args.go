package reelfile

import "math"

// maxArgs bounds the arguments of one event.
const maxArgs = 64

// What an extension record holds.
const (
	extInt   = 1
	extFloat = 2
	extText  = 3
	extRaw   = 4
	extLink  = 5
	extValue = 6
	extOp    = 7
	extStep  = 8
	extIndex = 9
	extDur   = 10
)

// Arg is one argument of a record beyond its own: keyed for people, or one of
// the event's own fields.
type Arg struct {
	key  Str
	what uint8
	data uint64
}

// IntArg is an integer under a key.
func IntArg(key Str, v int64) Arg { return Arg{key, extInt, uint64(v)} }

// TextArg is a text under a key.
func TextArg(key, v Str) Arg { return Arg{key, extText, uint64(v)} }

// RawArg is the JSON text of an array, object or literal under a key.
func RawArg(key, v Str) Arg { return Arg{key, extRaw, uint64(v)} }

// LinkArg gives a record whose payload is another one its link as well.
func LinkArg(v int64) Arg { return Arg{what: extLink, data: uint64(v)} }

// ValueArg gives a record whose payload is another one its value as well: the
// bytes of a copy, the frames of a mark.
func ValueArg(v int64) Arg { return Arg{what: extValue, data: uint64(v)} }

// FloatArg is a number under a key.
func FloatArg(key Str, v float64) Arg { return Arg{key, extFloat, math.Float64bits(v)} }

// BeginArgs is Begin with arguments, 64 at most.
func (t *Track) BeginArgs(d Desc, arg int64, ticks uint64, args ...Arg) Slot {
	c, i, d := t.extended(d, args)
	if c == nil {
		return Slot{}
	}
	r := &c.rec[i]
	r.start, r.what, r.arg = ticks, uint64(d), uint64(arg)
	storeRelease(&r.word, c.open)
	return Slot{c, r, ticks, d &^ (maxExt << descExt), arg}
}

// WriteArgs is Write with arguments, 64 at most.
func (t *Track) WriteArgs(d Desc, arg int64, ticks, dur uint64, args ...Arg) bool {
	c, i, d := t.extended(d, args)
	if c == nil {
		return false
	}
	r := &c.rec[i]
	r.start, r.what, r.arg = ticks, uint64(d), uint64(arg)
	storeRelease(&r.word, c.open+(slotDone-slotOpen)|min(dur, maxDur)<<16)
	return true
}

// extended reserves a record's slots and writes its extensions.
func (t *Track) extended(d Desc, args []Arg) (*chunk, uint32, Desc) {
	most := min(maxArgs, t.w.chunkBytes/recordSize/2)
	if len(args) > most {
		t.w.count(countArgs, len(args)-most)
		args = args[:most]
	}
	n := uint32(len(args))
	c := t.cur.Load()
	i := c.n.Add(1+n) - 1 - n
	if i+n >= uint32(len(c.rec)) {
		c.void(i)
		if c, i = t.reserve(c, 1+n); c == nil {
			return nil, 0, d
		}
	}
	done := c.open + (slotDone - slotOpen)
	for k, a := range args {
		r := &c.rec[i+1+uint32(k)]
		r.start, r.what, r.arg = a.data, uint64(a.key)|uint64(ext)<<descKind|uint64(a.what)<<descClass, 0
		storeRelease(&r.word, done)
	}
	return c, i, d | Desc(n)<<descExt
}
