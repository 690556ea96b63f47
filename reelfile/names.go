package reelfile

import (
	"hash/maphash"
	"sync/atomic"
	"unicode/utf8"
)

// names is the table of interned strings. Looking one up takes no lock.
type names struct {
	seed  maphash.Seed
	table atomic.Pointer[[]atomic.Pointer[interned]] // open addressing; replaced when it grows

	// Under the writer's mu.
	count int
	last  uint32
	page  piece // the chunk of strings that is being filled
	at    int   // its next free word
}

type interned struct {
	hash uint64
	text string
	id   Str
}

func (n *names) init() {
	n.seed = maphash.MakeSeed()
	table := make([]atomic.Pointer[interned], 256)
	n.table.Store(&table)
}

func (n *names) find(s string, h uint64) (Str, bool) {
	table := *n.table.Load()
	mask := uint64(len(table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		e := table[i].Load()
		if e == nil {
			return 0, false
		}
		if e.hash == h && e.text == s {
			return e.id, true
		}
	}
}

// Intern returns the id of s, writing it to the recording when it is new. For a
// name that is known it takes no lock and allocates nothing. A name for which
// there is no room becomes 0, and is counted.
func (w *Writer) Intern(s string) Str {
	if s == "" {
		return 0
	}
	h := maphash.String(w.names.seed, s)
	if id, ok := w.names.find(s, h); ok {
		return id
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id, ok := w.names.find(s, h); ok {
		return id
	}
	id := w.writeName(s)
	if id != 0 {
		w.names.add(&interned{h, string([]byte(s)), id})
	}
	return id
}

// maxNameShare is the part of a recording that names may fill.
const maxNameShare = 4

// maxName is the highest id that readers take.
const maxName = 1<<24 - 1

// writeName writes a string and returns its id, or 0 when there is no room. A
// string longer than a chunk is cut. Under mu.
func (w *Writer) writeName(s string) Str {
	n := &w.names
	most := w.chunkBytes - chunkHead - 8
	if len(s) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
		w.count(countCut, 1)
	}
	need := 1 + (len(s)+7)/8
	if n.page.words == nil || n.at+need > len(n.page.words) {
		if !w.newPage() {
			w.count(countNames, 1)
			return 0
		}
	}
	n.last++
	to := n.page.words[n.at : n.at+need]
	for i := 1; i < need; i++ {
		var v uint64
		for k, b := range []byte(s[8*(i-1) : min(8*i, len(s))]) {
			v |= uint64(b) << (8 * k)
		}
		to[i] = v
	}
	storeRelease(&to[0], pair(n.last, uint32(len(s))))
	n.at += need
	return Str(n.last)
}

// newPage takes a chunk for strings. Under mu.
func (w *Writer) newPage() bool {
	n := &w.names
	if len(w.named) >= max(w.maxChunks/maxNameShare, 1) || n.last >= maxName {
		return false
	}
	p, _, ok := w.take()
	if !ok {
		return false
	}
	w.publish(p, chunkStrings, nil)
	w.named = append(w.named, p)
	n.page, n.at = p, chunkHead/8
	return true
}

// add puts an entry into the table. Under mu.
func (n *names) add(e *interned) {
	table := *n.table.Load()
	if n.count++; n.count*2 > len(table) {
		bigger := make([]atomic.Pointer[interned], 4*len(table))
		for i := range table {
			if old := table[i].Load(); old != nil {
				place(bigger, old)
			}
		}
		place(bigger, e)
		n.table.Store(&bigger)
		return
	}
	place(table, e)
}

func place(table []atomic.Pointer[interned], e *interned) {
	mask := uint64(len(table) - 1)
	i := e.hash & mask
	for table[i].Load() != nil {
		i = (i + 1) & mask
	}
	table[i].Store(e)
}
