package reelfile

import (
	"maps"
	"os"
	"slices"
	"sync/atomic"
)

// counter is the number of a counter in the header.
type counter int

const (
	countBound counter = iota
	countDisk
	countClosed
	countLate
	countNames
	countCut
	countRecycled
	countWaits
	countArgs
	numCounters
)

// Counts are what a recording left out, and what it did to make room.
type Counts struct {
	Bound     int64 // events dropped: the size bound was reached
	Disk      int64 // events dropped: no room on the disk, or another fault of the file
	Closed    int64 // events dropped: written after Close, or in a forked child
	Late      int64 // ranges that ended when their slot had been recycled; written again
	Names     int64 // names not kept: no room for more
	NamesCut  int64 // names cut: longer than a chunk
	Recycled  int64 // chunks recycled
	Waits     int64 // times that a recording goroutine had to make room itself
	Arguments int64 // arguments left out: too many for one event
}

// Dropped returns the events that were dropped, for whatever reason.
func (c Counts) Dropped() int64 { return c.Bound + c.Disk + c.Closed }

func countsOf(get func(c counter) int64) Counts {
	return Counts{get(countBound), get(countDisk), get(countClosed), get(countLate), get(countNames),
		get(countCut), get(countRecycled), get(countWaits), get(countArgs)}
}

// Counts returns what was left out so far.
func (w *Writer) Counts() Counts {
	return countsOf(func(c counter) int64 { return int64(atomic.LoadUint64(&w.head[hCounters+int(c)])) })
}

// Dropped returns how many events were dropped so far, for whatever reason.
func (w *Writer) Dropped() int64 { return w.Counts().Dropped() }

func (w *Writer) count(c counter, n int) {
	atomic.AddUint64(&w.head[hCounters+int(c)], uint64(n))
}

// fillHeader writes all of the header but the strings it names.
func (w *Writer) fillHeader(opt Options) {
	h := w.head
	h[hVersion] = pair(version, uint32(w.chunkBytes))
	h[hLimit] = uint64(opt.MaxBytes)
	h[hPid] = uint64(w.pid)
	rank, world := int32(-1), int32(0)
	if opt.Rank != nil {
		rank = int32(*opt.Rank)
	}
	if opt.World != nil {
		world = int32(*opt.World)
	}
	h[hRank] = pair(uint32(rank), uint32(world))
	s := w.clock.sample()
	h[hStart], h[hStart+1], h[hStart+2] = s.ticks, uint64(s.mono), uint64(s.real)
	w.start = s
	h[hClocks], h[hClocks+1] = pair(w.clock.kind(), 0), w.clock.hz
	h[hNext] = 1
	w.addSample(0, s)
	mode := uint32(1)
	if w.flight {
		mode = 2
	}
	copyMagic(h)
	storeRelease(&h[hState], pair(fileRecording, mode))
}

func copyMagic(h []uint64) { storeRelease(&h[hMagic], word([]byte(magic), 0)) }

func (w *Writer) setState(s uint32) {
	_, mode := unpair(atomic.LoadUint64(&w.head[hState]))
	atomic.StoreUint64(&w.head[hState], pair(s, mode))
}

// describe writes the strings of the header.
func (w *Writer) describe(opt Options) {
	host := opt.Host
	if host == "" {
		host, _ = os.Hostname()
	}
	atomic.StoreUint64(&w.head[hHost], pair(uint32(w.Intern(host)), uint32(w.Intern(opt.Producer))))
	for _, k := range slices.Sorted(maps.Keys(opt.Props)) {
		w.SetProp(k, opt.Props[k])
	}
}

// SetProp writes a property of the recording, such as a version. It reports
// whether there was room: a recording holds 32.
func (w *Writer) SetProp(key, value string) bool {
	k, v := w.Intern(key), w.Intern(value)
	if k == 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range maxProps {
		p := &w.head[hProps+i]
		if old, _ := unpair(atomic.LoadUint64(p)); old == 0 || old == uint32(k) {
			atomic.StoreUint64(p, pair(uint32(k), uint32(v)))
			return true
		}
	}
	return false
}

// addSample writes a sample into the ring.
func (w *Writer) addSample(clock uint32, s sample) {
	slots := (len(w.head) - hRing) / 4
	r := w.head[hRing+4*(w.samples%slots):]
	w.samples++
	atomic.StoreUint64(&r[0], 0)
	atomic.StoreUint64(&r[1], s.ticks)
	atomic.StoreUint64(&r[2], uint64(s.mono))
	atomic.StoreUint64(&r[3], uint64(s.real))
	atomic.StoreUint64(&r[0], slotDone|uint64(clock)<<8)
}

// ClockID is a clock of a recording; 0 is the host's.
type ClockID uint32

// AddClock adds a clock, such as a device's, with its ticks per second (0 when
// not known). A recording holds 8; ok is false when there is no room.
func (w *Writer) AddClock(name string, ticksPerSecond uint64) (id ClockID, ok bool) {
	s := w.Intern(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := 1; i < maxClocks; i++ {
		c := w.head[hClocks+2*i:]
		if atomic.LoadUint64(&c[0]) == 0 {
			atomic.StoreUint64(&c[1], ticksPerSecond)
			atomic.StoreUint64(&c[0], pair(clockOther, uint32(s)))
			return ClockID(i), true
		}
	}
	return 0, false
}

// Sample ties an added clock to the host's: its ticks were read when the host's
// clock showed at. A recording needs one for each added clock at least.
func (w *Writer) Sample(clock ClockID, ticks, at uint64) {
	now := w.clock.sample()
	back := w.clock.Nanos(now.ticks - at)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addSample(uint32(clock), sample{ticks, now.mono - back, now.real - back})
}
