package reelfile

import (
	"math"
	"strconv"

	"reel/event"
)

// fields is what the argument and the extensions of a record say.
type fields struct {
	payload         Payload
	arg             uint64
	ticks           uint64
	link, op, value int64
	from            int // arguments of the batch before
}

// extensions reads what the argument and the extensions say.
func (x *fields) extensions(s *Source, b *event.Batch, exts []byte, tag uint64) {
	x.from = len(b.ArgKey)
	switch x.payload {
	case Link:
		x.link = int64(x.arg)
	case Value:
		x.value = int64(x.arg)
	case Float:
		f := math.Float64frombits(x.arg)
		if math.Abs(f) < 1<<62 {
			x.value = int64(math.Round(f))
		}
		s.arg(b, "value", event.ArgFloat, x.arg)
	}
	for ; len(exts) > 0; exts = exts[recordSize:] {
		w, data, d := word(exts, 0), word(exts, 1), Desc(word(exts, 2))
		if w&3 != slotDone || w>>2&tagMask != tag || d.kind() != ext {
			s.fault("bad-record", "a record lacks one of its extensions", 1)
			continue
		}
		x.extension(s, b, d, data)
	}
}

func (x *fields) extension(s *Source, b *event.Batch, d Desc, data uint64) {
	key := s.str(b, uint32(d.name()))
	add := func(k event.ArgKind, v uint64) {
		b.ArgKey, b.ArgKind, b.ArgVal = append(b.ArgKey, key), append(b.ArgKind, k), append(b.ArgVal, v)
	}
	switch d.class() {
	case extInt:
		add(event.ArgInt, data)
	case extFloat:
		add(event.ArgFloat, data)
	case extText:
		add(event.ArgText, uint64(s.str(b, uint32(min(data, math.MaxUint32)))))
	case extRaw:
		add(event.ArgRaw, uint64(s.str(b, uint32(min(data, math.MaxUint32)))))
	case extLink:
		x.link = int64(data)
	case extValue:
		x.value = int64(data)
	case extOp:
		x.op = int64(data)
	case extStep:
		x.payload, x.arg = Step, data
	case extIndex:
		x.payload, x.arg = Index, data
	case extDur:
		x.ticks = data
	default:
		s.fault("bad-record", "an extension is of no known kind", 1)
	}
}

// label returns the name with its step or index.
func (s *Source) label(b *event.Batch, name event.Str, x *fields) event.Str {
	if x.payload != Step && x.payload != Index {
		return name
	}
	t := append(s.text[:0], b.Strings.Bytes(name)...)
	if x.payload == Index {
		t = append(strconv.AppendInt(append(t, '['), int64(x.arg), 10), ']')
	} else {
		step, gen := unpair(x.arg)
		t = append(t, " ["...)
		if gen != 0 {
			t = append(strconv.AppendUint(append(t, "gen "...), uint64(gen), 10), ", "...)
		}
		t = append(strconv.AppendUint(append(t, "step "...), uint64(step), 10), ']')
		s.arg(b, "step", event.ArgInt, uint64(step))
		s.arg(b, "generation", event.ArgInt, uint64(gen))
	}
	s.text = t
	return b.Strings.AddBytes(t)
}
