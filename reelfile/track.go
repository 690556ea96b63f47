package reelfile

import (
	"sync/atomic"

	"reel/event"
)

// Track is a handle for writing on a track. It holds a chunk of its own, not one
// for each thread: goroutines may share a handle and write at the same time, and
// a goroutine may move between threads. It takes its chunk with the first record.
type Track struct {
	cur   atomic.Pointer[chunk]
	w     *Writer
	track event.Track
	id    uint32
	label Str
	name  Str // under w.mu
	clock ClockID
	_     [56]byte // 128 bytes: handles of different goroutines share no cache line
}

// Track returns a new handle for a track, under a name for people.
func (w *Writer) Track(t event.Track, name string) *Track { return w.TrackOn(t, name, 0) }

// TrackOn is Track for times of an added clock, such as a device's.
func (w *Writer) TrackOn(t event.Track, name string, clock ClockID) *Track {
	h := &Track{w: w, track: t, clock: clock, label: w.Intern(t.Label), name: w.Intern(name)}
	w.mu.Lock()
	w.tracks++
	h.id = w.tracks
	w.mu.Unlock()
	h.cur.Store(empty(h))
	return h
}

// Rename gives the track another name; readers show the latest.
func (t *Track) Rename(name string) {
	s := t.w.Intern(name)
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.name = s
	if c := t.cur.Load(); len(c.rec) > 0 && !c.sealed {
		atomic.StoreUint64(&c.piece.words[cLabel], pair(uint32(t.label), uint32(s)))
	}
}

// Slot is a range that has begun. The zero Slot is one that was dropped; ending
// it does nothing.
type Slot struct {
	c     *chunk
	r     *record
	start uint64
	what  Desc
	arg   int64
}

// Begin begins a range, or an asynchronous one, at a time in ticks. The record
// is in the file from now on, as one that has not ended.
func (t *Track) Begin(d Desc, arg int64, ticks uint64) (s Slot) {
	t.BeginTo(&s, d, arg, ticks)
	return s
}

// BeginTo is Begin into a Slot that the caller has, whatever it held: that saves
// the copying of 40 bytes.
func (t *Track) BeginTo(s *Slot, d Desc, arg int64, ticks uint64) {
	c := t.cur.Load()
	i := c.n.Add(1) - 1
	if i >= uint32(len(c.rec)) {
		if c, i = t.reserve(c, 1); c == nil {
			*s = Slot{}
			return
		}
	}
	r := &c.rec[i]
	r.start, r.what, r.arg = ticks, uint64(d), uint64(arg)
	storeRelease(&r.word, c.open)
	s.c, s.r, s.start, s.what, s.arg = c, r, ticks, d, arg
}

// End ends the range and reports whether it was written: it is dropped when the
// begin was. A range whose slot was recycled meanwhile is written anew, whole.
// Of two calls for one Slot, or for copies of it, one counts.
func (s *Slot) End(ticks uint64) bool {
	if s.r == nil {
		return false
	}
	dur := ticks - s.start
	if dur > maxDur {
		if dur = maxDur; int64(ticks-s.start) < 0 {
			dur = 0
		}
	}
	word := s.c.open + (slotDone - slotOpen) | dur<<16
	if !s.c.flight {
		storeRelease(&s.r.word, word)
		return true
	}
	return atomic.CompareAndSwapUint64(&s.r.word, s.c.open, word) || s.late(dur)
}

// late ends a range whose slot is its own no longer.
func (s *Slot) late(dur uint64) bool {
	if w := atomic.LoadUint64(&s.r.word); w&3 == slotDone && w>>2&tagMask == s.c.open>>2&tagMask {
		return false // ended before
	}
	t := s.c.track
	t.w.count(countLate, 1)
	return t.Write(s.what, s.arg, s.start, dur)
}

// Write writes a complete record: a mark or a sample (of no duration), an
// activity, a range. It reports whether there was room.
func (t *Track) Write(d Desc, arg int64, ticks, dur uint64) bool {
	c := t.cur.Load()
	i := c.n.Add(1) - 1
	if i >= uint32(len(c.rec)) {
		if c, i = t.reserve(c, 1); c == nil {
			return false
		}
	}
	r := &c.rec[i]
	r.start, r.what, r.arg = ticks, uint64(d), uint64(arg)
	storeRelease(&r.word, c.open+(slotDone-slotOpen)|min(dur, maxDur)<<16)
	return true
}

// Mark writes an instant.
func (t *Track) Mark(d Desc, arg int64, ticks uint64) bool { return t.Write(d, arg, ticks, 0) }

// void gives the slots from i on up, which were reserved and do not suffice.
func (c *chunk) void(i uint32) {
	for ; i < uint32(len(c.rec)); i++ {
		storeRelease(&c.rec[i].word, c.open+(slotVoid-slotOpen))
	}
}

// reserve gets n slots in a new chunk, c being full. Without room it counts a
// dropped event and returns nil.
func (t *Track) reserve(c *chunk, n uint32) (*chunk, uint32) {
	for {
		if c = t.advance(c); c == nil {
			return nil, 0
		}
		i := c.n.Add(n) - n
		if uint64(i)+uint64(n) <= uint64(len(c.rec)) {
			return c, i
		}
		c.void(i)
	}
}

// advance returns the chunk after c, giving the track a new one when it is still
// at c.
func (t *Track) advance(c *chunk) *chunk {
	w := t.w
	if why := w.stop.Load(); why != 0 && t.cur.Load() == c {
		return t.drop(c, counter(why-1))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := t.cur.Load(); now != c {
		return now
	}
	p, why, ok := w.take()
	if !ok {
		return t.drop(c, why)
	}
	if now := t.cur.Load(); now != c { // take let others in
		w.pool = append(w.pool, p)
		return now
	}
	next := w.give(p, t)
	t.cur.Store(next)
	return next
}

// drop counts an event that finds no room, and takes the full chunk from the
// track: its counter must not go round.
func (t *Track) drop(c *chunk, why counter) *chunk {
	t.w.count(why, 1)
	if len(c.rec) > 0 {
		t.cur.CompareAndSwap(c, empty(t))
	}
	return nil
}
