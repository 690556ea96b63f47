package reelfile

import "reel/event"

// maxOpen bounds how many unfinished ranges are kept for the end.
const maxOpen = 1 << 18

// openBatch is how many unfinished ranges come at once.
const openBatch = 2048

// decode gives the records of a chunk.
func (s *Source) decode(b *event.Batch, c chunkInfo, body []byte) {
	if name := s.nameOf(c.name); name != "" && s.named[c.track] != name {
		s.named[c.track] = name
		b.Add(event.Event{Kind: event.Meta, Track: c.track, Name: metaThreadName,
			Args: []event.Arg{{Key: "name", Kind: event.ArgText, Text: name}}})
	}
	track := b.TrackID(c.track)
	tag := c.word >> 32 & tagMask
	free := int64(0)
	for i, n := 0, len(body)/recordSize; i < n; i++ {
		r := body[i*recordSize:]
		w := word(r, 0)
		if w&3 == slotFree {
			free++
			continue
		}
		if free > 0 {
			s.fault("half-written", "a record was half written when its program ended", free)
			free = 0
		}
		if w>>2&tagMask != tag {
			s.fault("mixed-record", "a record is not of its chunk", 1)
			continue
		}
		if w&3 == slotVoid {
			continue
		}
		d := Desc(word(r, 2))
		k := min(d.ext(), n-i-1)
		s.record(b, c, track, r, body[(i+1)*recordSize:(i+1+k)*recordSize])
		i += k
	}
}

// record gives one record, whose extensions follow.
func (s *Source) record(b *event.Batch, c chunkInfo, track event.TrackID, r, exts []byte) {
	w, d := word(r, 0), Desc(word(r, 2))
	kind := kinds[d.kind()]
	if kind.kind == event.NoKind {
		s.fault("bad-record", "a record is of no known kind", 1)
		return
	}
	start, ok := s.times.at(c.clock, word(r, 1))
	ticks := w >> 16
	x := fields{payload: d.payload(), arg: word(r, 3), ticks: ticks}
	x.extensions(s, b, exts, w>>2&tagMask)
	end, ok2 := start, true
	if x.ticks > 0 {
		end, ok2 = s.times.at(c.clock, word(r, 1)+x.ticks)
	}
	if !ok || !ok2 {
		s.fault("bad-time", "a record's time is beyond any clock; left out", 1)
		b.ArgKey, b.ArgKind, b.ArgVal = b.ArgKey[:x.from], b.ArgKind[:x.from], b.ArgVal[:x.from]
		return
	}
	s.latest = max(s.latest, end)
	class := kind.class
	if code := d.class(); code != 0 {
		class = event.Class(classOf[code])
	}
	name := s.str(b, uint32(d.name()))
	if d.kind() == Async {
		track = b.TrackID(event.Track{Place: event.Logical, Label: b.Strings.Get(name)})
	}
	name = s.label(b, name, &x)
	if t := d.timing(); t != Usual && (t == Device) != (d.kind() == Activity) || t == Synced {
		s.arg(b, "timed", event.ArgText, uint64(b.Strings.Add([...]string{"", "host", "synced", "device"}[t])))
	}
	b.Kind, b.Class, b.Role = append(b.Kind, kind.kind), append(b.Class, class), append(b.Role, event.Role(roleOf[d.role()]))
	b.Track, b.Name = append(b.Track, track), append(b.Name, name)
	b.Start, b.Dur = append(b.Start, start), append(b.Dur, end-start)
	b.Link, b.Op, b.Value = append(b.Link, x.link), append(b.Op, x.op), append(b.Value, x.value)
	b.ArgEnd = append(b.ArgEnd, uint32(len(b.ArgKey)))
	if w&3 == slotOpen {
		s.keepOpen(b)
	}
}

// arg adds an argument to the event that is being made.
func (s *Source) arg(b *event.Batch, key string, kind event.ArgKind, v uint64) {
	b.ArgKey = append(b.ArgKey, b.Strings.Add(key))
	b.ArgKind, b.ArgVal = append(b.ArgKind, kind), append(b.ArgVal, v)
}

// keepOpen takes the last event, a range that has not ended, for the end.
func (s *Source) keepOpen(b *event.Batch) {
	s.fault("unfinished", "a range had not ended", 1)
	i := b.Len() - 1
	if len(s.open) >= maxOpen {
		b.Dur[i] = max(s.latest-b.Start[i], 0)
		return
	}
	s.open = append(s.open, b.Event(i))
	lo, _ := b.ArgRange(i)
	b.Kind, b.Class, b.Role = b.Kind[:i], b.Class[:i], b.Role[:i]
	b.Track, b.Name, b.Start, b.Dur = b.Track[:i], b.Name[:i], b.Start[:i], b.Dur[:i]
	b.Link, b.Op, b.Value, b.ArgEnd = b.Link[:i], b.Op[:i], b.Value[:i], b.ArgEnd[:i]
	b.ArgKey, b.ArgKind, b.ArgVal = b.ArgKey[:lo], b.ArgKind[:lo], b.ArgVal[:lo]
}

// closeOpen gives unfinished ranges, which last up to the latest time seen.
func (s *Source) closeOpen(b *event.Batch) {
	n := min(len(s.open), openBatch)
	for _, e := range s.open[:n] {
		e.Dur = max(s.latest-e.Start, 0)
		e.Args = append(e.Args, event.Arg{Key: "unfinished", Kind: event.ArgRaw, Text: "true"})
		b.Add(e)
	}
	s.open = s.open[n:]
}
