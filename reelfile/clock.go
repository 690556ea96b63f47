package reelfile

import (
	"math"
	"math/bits"
	"sync"
	"time"
)

// Clock is the host's clock that ranges are timed with: the processor's
// time-stamp counter where it is fit for that, the monotonic clock elsewhere.
// It is safe for concurrent use.
type Clock struct {
	tsc   bool
	hz    uint64    // ticks per second
	start time.Time // for the fallback
	base  int64     // monotonic ns at start

	virtual func() int64 // takes the place of all clocks, when set
}

// Now returns the time in ticks.
func (c *Clock) Now() uint64 {
	if c.tsc {
		return readTSC()
	}
	return c.fallback()
}

func (c *Clock) fallback() uint64 {
	if c.virtual != nil {
		return uint64(c.virtual())
	}
	return uint64(c.base + int64(time.Since(c.start)))
}

// TicksPerSecond returns the rate, as measured when the clock was made: within
// some 100 ppm. Recordings hold samples, from which readers do better.
func (c *Clock) TicksPerSecond() uint64 { return c.hz }

// Nanos turns a number of ticks into nanoseconds.
func (c *Clock) Nanos(ticks uint64) int64 {
	if !c.tsc {
		return int64(ticks)
	}
	hi, lo := bits.Mul64(ticks, 1e9)
	if hi >= c.hz {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, c.hz)
	return int64(q)
}

func (c *Clock) kind() uint32 {
	if c.tsc {
		return clockTSC
	}
	return clockNanos
}

// SystemClock returns the best clock of this machine. The first call measures
// it, which takes two milliseconds, and up to thirty where the program is stopped
// in the middle of it again and again.
var SystemClock = sync.OnceValue(func() *Clock {
	if usableTSC() {
		if hz := measureTSC(); hz > 1e8 && hz < 1e11 {
			return &Clock{tsc: true, hz: hz}
		}
	}
	return NanosecondClock()
})

// Ticks returns the time of the system clock in ticks.
func Ticks() uint64 { return SystemClock().Now() }

// NanosecondClock returns a clock whose ticks are nanoseconds of the monotonic
// clock. It is slower, and exact without samples.
func NanosecondClock() *Clock {
	c := &Clock{hz: 1e9}
	width := int64(math.MaxInt64)
	for range sampleTries { // the two clocks read as one, as near as that goes
		before := monotonic()
		start := time.Now()
		if w := monotonic() - before; w < width {
			width, c.start, c.base = w, start, before+w/2
		}
		if width < 1000 {
			break
		}
	}
	return c
}

// VirtualClock returns a clock of which now tells the time, ns: for recordings of
// modelled time, which come out the same on every machine. It stands in for the
// monotonic clock and for the wall clock as well.
func VirtualClock(now func() int64) *Clock { return &Clock{hz: 1e9, virtual: now} }

// sample is one instant on three clocks.
type sample struct {
	ticks      uint64
	mono, real int64 // ns
}

// sampleTries bounds how often a sample is taken anew because something came in
// between the clocks.
const sampleTries = 6

// sample reads the clocks as close together as it gets them.
func (c *Clock) sample() sample {
	if c.virtual != nil {
		t := c.virtual()
		return sample{uint64(t), t, t}
	}
	var best sample
	width := ^uint64(0)
	for range sampleTries {
		var s sample
		var w uint64
		if c.tsc {
			t0 := readTSC()
			s.mono = monotonic()
			t1 := readTSC()
			s.real = realtime()
			s.ticks, w = t0+(t1-t0)/2, readTSC()-t0
		} else {
			s.mono = monotonic()
			s.real = realtime()
			s.ticks, w = uint64(s.mono), uint64(monotonic()-s.mono)
		}
		if w < width {
			best, width = s, w
		}
		if width < 3000 { // about a microsecond
			break
		}
	}
	return best
}
