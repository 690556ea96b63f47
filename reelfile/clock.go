package reelfile

import (
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
}

// Now returns the time in ticks.
func (c *Clock) Now() uint64 {
	if c.tsc {
		return readTSC()
	}
	return c.fallback()
}

func (c *Clock) fallback() uint64 { return uint64(c.base + int64(time.Since(c.start))) }

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
// it, which takes two milliseconds.
var SystemClock = sync.OnceValue(func() *Clock {
	if usableTSC() {
		if hz := measureTSC(2e6); hz > 1e8 && hz < 1e11 {
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
	return &Clock{hz: 1e9, start: time.Now(), base: monotonic()}
}

// measureTSC counts ticks against the monotonic clock for so many ns.
func measureTSC(ns int64) uint64 {
	c := Clock{tsc: true}
	from := c.sample()
	to := from
	for range 1 << 24 { // bounded, in case time stands still
		if monotonic()-from.mono >= ns {
			to = c.sample()
			break
		}
	}
	if to.mono <= from.mono || to.ticks <= from.ticks {
		return 0
	}
	hi, lo := bits.Mul64(to.ticks-from.ticks, 1e9)
	hz, _ := bits.Div64(hi, lo, uint64(to.mono-from.mono))
	return hz
}

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
