package reelfile

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"reel/unit"
)

// times turns ticks into nanoseconds since the start of the recording.
type times struct {
	start  sample
	clocks [maxClocks]clockLine
}

// clockLine is one clock: its samples, of which knots are kept.
type clockLine struct {
	kind, name uint32
	hz         uint64
	samples    []sample // by monotonic time
	knots      []sample // those that the line goes through; ticks ascend
}

const (
	knotGap  = 100e6   // ns: samples nearer than that add more noise than they tell
	maxShift = 10e6    // ns that the wall clock may move at once
	maxSlew  = 1000    // ppm that it may be slewed by
	maxDrift = 500     // ppm that a clock's rate may change by
	farAway  = 1 << 60 // ns: 36 years
)

func (t *times) add(clock uint32, s sample) {
	if clock < maxClocks {
		t.clocks[clock].samples = append(t.clocks[clock].samples, s)
	}
}

// finish lays the lines and reports what is wrong with the clocks.
func (t *times) finish(s *Source) {
	for i := range t.clocks {
		c := &t.clocks[i]
		slices.SortFunc(c.samples, func(a, b sample) int { return cmp.Or(cmp.Compare(a.mono, b.mono), cmp.Compare(a.ticks, b.ticks)) })
		for k, x := range c.samples {
			if i == 0 && k > 0 {
				wallJump(s, c.samples[k-1], x)
			}
			c.knot(s, x, k == len(c.samples)-1)
		}
		c.drift(s)
		if i == 0 && len(c.samples) > 0 {
			s.latest = c.samples[len(c.samples)-1].mono - t.start.mono
		}
		c.samples = nil
	}
}

// wallJump reports real time that moved against monotonic time.
func wallJump(s *Source, a, b sample) {
	moved := (b.real - b.mono) - (a.real - a.mono)
	if allowed := int64(maxShift) + (b.mono-a.mono)/1e6*maxSlew; moved > allowed || moved < -allowed {
		s.fault("clock-jump", fmt.Sprintf("the wall clock jumped by %v %v after the start, or the machine slept",
			unit.Dur(moved), unit.Dur(a.mono-s.times.start.mono)), 1)
	}
}

// knot takes a sample into the line when it is far enough from the last one.
func (c *clockLine) knot(s *Source, x sample, last bool) {
	n := len(c.knots)
	if n > 0 && x.ticks < c.knots[n-1].ticks {
		s.fault("clock-reset", "a clock went backwards; times after that are not sound", 1)
		return
	}
	if n > 0 && x.mono-c.knots[n-1].mono < knotGap {
		if last && n > 1 && x.ticks > c.knots[n-1].ticks && x.mono > c.knots[n-1].mono {
			c.knots[n-1] = x
		}
		return
	}
	if n > 0 && x.ticks == c.knots[n-1].ticks {
		return
	}
	c.knots = append(c.knots, x)
}

// drift reports stretches in which the clock's rate differs from the whole's.
func (c *clockLine) drift(s *Source) {
	n := len(c.knots)
	if n < 3 || c.kind == clockNanos {
		return
	}
	whole := rate(c.knots[0], c.knots[n-1])
	for i := 1; i < n; i++ {
		if r := rate(c.knots[i-1], c.knots[i]); r > whole*(1+maxDrift/1e6) || r < whole*(1-maxDrift/1e6) {
			s.fault("clock-drift", "a clock changed its rate by more than 500 ppm; times between two samples of it are less exact", 1)
		}
	}
}

// rate returns ticks per ns.
func rate(a, b sample) float64 { return float64(b.ticks-a.ticks) / float64(b.mono-a.mono) }

// at returns the time of a tick, ns since the start; ok is false when it lies
// beyond any time, or the clock has no sample.
func (t *times) at(clock uint32, ticks uint64) (ns int64, ok bool) {
	c := &t.clocks[clock]
	if c.kind == clockNanos {
		ns = int64(ticks) - t.start.mono
		return ns, ns > -farAway && ns < farAway
	}
	n := len(c.knots)
	if n == 0 {
		return 0, false
	}
	i := sort.Search(n, func(i int) bool { return c.knots[i].ticks > ticks })
	var a sample
	var num, den uint64
	switch {
	case i > 0 && i < n: // between two knots
		a, num, den = c.knots[i-1], uint64(c.knots[i].mono-c.knots[i-1].mono), c.knots[i].ticks-c.knots[i-1].ticks
	case n > 1: // beyond, by the whole's rate
		a, num, den = c.knots[max(i-1, 0)], uint64(c.knots[n-1].mono-c.knots[0].mono), c.knots[n-1].ticks-c.knots[0].ticks
	default:
		a, num, den = c.knots[0], 1e9, c.hz
	}
	d, sign := ticks-a.ticks, int64(1)
	if ticks < a.ticks {
		d, sign = a.ticks-ticks, -1
	}
	hi, lo := bits.Mul64(d, num)
	if hi >= den {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, den)
	if q >= farAway || a.mono < -farAway || a.mono > farAway*4 {
		return 0, false
	}
	ns = a.mono - t.start.mono + sign*int64(q)
	return ns, ns > -farAway && ns < farAway
}
