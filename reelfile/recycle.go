package reelfile

import (
	"slices"
	"sync/atomic"
)

// recycle moves up to n of the oldest chunks into the pool. Under mu.
//
// A chunk that a track still writes is sealed and set behind the others the
// first time it comes up, so that a quiet track keeps its latest records. One
// with a record on its way (a goroutine stopped between reserving its slot and
// publishing it) is passed over, so that no late store ever falls into a
// chunk that has a new owner; late ends are compare-and-swaps that fail.
func (w *Writer) recycle(n int) {
	i := 0
	for tries := 2 * len(w.inUse); tries > 0 && n > 0 && i < len(w.inUse); tries-- {
		c := w.inUse[i]
		current := !c.sealed && c.track.cur.Load() == c
		c.seal()
		if !current && !c.settled() {
			i++
			continue
		}
		if i == 0 {
			w.inUse[0] = nil
			w.inUse = w.inUse[1:]
		} else {
			w.inUse = slices.Delete(w.inUse, i, i+1)
		}
		if current {
			w.inUse = append(w.inUse, c)
			continue
		}
		w.pool = append(w.pool, c.clear())
		w.count(countRecycled, 1)
		n--
	}
}

// clear makes a settled chunk a free piece of the next generation.
func (c *chunk) clear() piece {
	p := c.piece
	kind := uint64(chunkRecords)
	atomic.StoreUint64(&p.words[cWord], chunkWord(chunkRecycling, kind, p.gen))
	for i := range c.rec {
		r := &c.rec[i]
		storeRelease(&r.word, slotFree) // a late end fails from now on
		r.start, r.what, r.arg = 0, 0, 0
	}
	p.gen++
	return p
}
