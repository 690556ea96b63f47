package reelfile

import (
	"os"
	"sync/atomic"
	"unsafe"
)

// piece is a chunk's memory while nobody owns it: zeroed but for its header.
type piece struct {
	in    *extent
	index int
	gen   uint32
	words []uint64
}

// chunk is a piece that was given to a track.
type chunk struct {
	n      atomic.Uint32 // slots reserved; from len(rec) on it is full, from sealMark on it was sealed
	flight bool
	sealed bool   // under mu
	used   uint32 // slots reserved before it was sealed, under mu
	rec    []record
	open   uint64 // the word of an open record
	track  *Track
	piece  piece
	_      [24]byte // 128 bytes: chunks of different goroutines share no cache line
}

// sealMark is what sealing adds to the number of reserved slots.
const sealMark = 1 << 30

// empty is the chunk of a track that has none yet. It holds nothing, so that it
// never changes but for its counter.
func empty(t *Track) *chunk { return &chunk{track: t} }

// seal ends reservations; those made before may still be on their way.
func (c *chunk) seal() {
	if !c.sealed {
		c.sealed = true
		c.used = min(c.n.Add(sealMark)-sealMark, uint32(len(c.rec)))
	}
}

// settled reports whether every reserved slot of a sealed chunk was published.
func (c *chunk) settled() bool {
	for i := range c.used {
		if atomic.LoadUint64(&c.rec[i].word) == slotFree {
			return false
		}
	}
	return true
}

// give makes a chunk of a piece for a track. Under mu.
func (w *Writer) give(p piece, t *Track) *chunk {
	c := &chunk{flight: w.flight, open: recordWord(slotOpen, p.gen, 0), track: t, piece: p}
	body := p.words[chunkHead/8:]
	c.rec = unsafe.Slice((*record)(unsafe.Pointer(&body[0])), len(body)/(recordSize/8))
	w.publish(p, chunkRecords, t)
	w.inUse = append(w.inUse, c)
	return c
}

// publish writes a chunk's header. Under mu.
func (w *Writer) publish(p piece, kind uint64, t *Track) {
	w.seq++
	h := p.words
	h[cSeq], h[cMagic] = w.seq, pair(chunkMagic, uint32(p.index))
	h[cTrack], h[cA], h[cB], h[cLabel], h[cClock] = 0, 0, 0, 0, 0
	s := w.clock.sample()
	if t != nil {
		h[cTrack], h[cA], h[cB] = pair(t.id, placeCode[t.track.Place&3]), uint64(t.track.A), uint64(t.track.B)
		h[cLabel], h[cClock] = pair(uint32(t.label), uint32(t.name)), pair(uint32(t.clock), 0)
		if t.clock != 0 {
			s = sample{}
		}
	}
	h[cSample], h[cSample+1], h[cSample+2] = s.ticks, uint64(s.mono), uint64(s.real)
	if p.index >= w.next {
		w.next = p.index + 1
		atomic.StoreUint64(&w.head[hNext], uint64(w.next))
	}
	storeRelease(&h[cWord], chunkWord(chunkLive, kind, p.gen))
}

// take returns a piece from the pool and the reason when there is none. It makes
// room itself when the background is behind.
func (w *Writer) take() (p piece, why counter, ok bool) {
	for range 100 { // others may take what was made
		if w.closed || os.Getpid() != w.pid {
			w.stop.Store(1 + uint32(countClosed))
			return piece{}, countClosed, false
		}
		if n := len(w.pool); n > 0 {
			p, w.pool = w.pool[0], w.pool[1:]
			if n-1 < w.lowWater() {
				select {
				case w.wake <- struct{}{}:
				default:
				}
			}
			return p, 0, true
		}
		if why := w.stop.Load(); why != 0 {
			return piece{}, counter(why - 1), false
		}
		w.count(countWaits, 1)
		w.mu.Unlock()
		w.refill()
		w.mu.Lock()
	}
	return piece{}, countDisk, false
}

// Pool sizes, in chunks.
const (
	maxPool   = 16
	maxExtent = 64
)

// poolOf is the size of the pool of so many chunks.
func poolOf(chunks int) int { return min(maxPool, max(chunks/8, 1)) }

func (w *Writer) poolSize() int { return poolOf(w.maxChunks) }

func (w *Writer) lowWater() int { return max(w.poolSize()/2, 1) }

// refill makes the pool full: with new chunks up to the bound, then, in flight
// mode, with the oldest ones. When there is no way it says why events are dropped.
func (w *Writer) refill() {
	w.growMu.Lock()
	defer w.growMu.Unlock()
	w.mu.Lock()
	short := w.poolSize() - len(w.pool)
	closed := w.closed
	w.mu.Unlock()
	if closed || short <= 0 {
		return
	}
	why := countBound
	if w.made < w.maxChunks {
		if w.extend() {
			return
		}
		why = countDisk
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flight {
		w.recycle(poolOf(w.made) - len(w.pool)) // a full disk may have given few: not all of them
	}
	if len(w.pool) == 0 {
		w.stop.CompareAndSwap(0, 1+uint32(why))
	}
}

// extend makes new chunks and reports whether it could. Under growMu.
func (w *Writer) extend() bool {
	n := min(max(8, min(w.made, maxExtent)), w.maxChunks-w.made)
	e, err := w.store.grow(n)
	for err != nil && n > 1 {
		n /= 2
		e, err = w.store.grow(n)
	}
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.extents = append(w.extents, e)
	w.made += n
	size := w.chunkBytes / 8
	for i := range n {
		w.pool = append(w.pool, piece{in: e, index: e.first + i, words: e.words[i*size : (i+1)*size : (i+1)*size]})
	}
	return true
}
