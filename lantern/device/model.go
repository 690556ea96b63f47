package device

import (
	"sync/atomic"
	"time"

	"reel/rec"
)

// Clock is a virtual clock: it moves when somebody moves it. The host's ranges are
// timed by it when it is the recorder's (rec.Options.Clock).
type Clock struct{ now atomic.Int64 }

// clockStart keeps virtual times away from zero, which means "unset" to some.
const clockStart = int64(time.Second)

// NewClock makes a clock.
func NewClock() *Clock {
	c := &Clock{}
	c.now.Store(clockStart)
	return c
}

// Now returns the time.
func (c *Clock) Now() rec.Time { return rec.Time(c.now.Load()) }

// Advance moves the clock on: host work that takes d.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(max(d, 0))) }

// until moves the clock to t unless it is there already.
func (c *Clock) until(t int64) {
	for {
		now := c.now.Load()
		if t <= now || c.now.CompareAndSwap(now, t) {
			return
		}
	}
}

// CostModel says how long things take. Kernels are computed all the same; their
// times, and those of the host's calls, come from here, so that a recording does not
// depend on the machine: with one goroutine as host it is the same every time.
type CostModel struct {
	Clock *Clock // nil makes one

	FLOPS     float64       // floating-point operations per second; 0 is 1e12
	Bandwidth float64       // bytes per second of kernels; 0 is 1e11
	Copy      float64       // bytes per second of copies; 0 is 1e10
	Least     time.Duration // that an activity takes at least; 0 is 2 µs
	Latency   time.Duration // from a launch to the start on an idle stream; 0 is 3 µs
	Launch    time.Duration // of a launch, on the host; 0 is 4 µs
	Sync      time.Duration // of a call that waits, on the host, besides the wait; 0 is 2 µs

	// Kernels replaces the time of activities, by name.
	Kernels map[string]Cost
}

// Cost is the time of an activity: Fixed when it is not 0, else the model's,
// Scale times (0 is 1).
type Cost struct {
	Fixed time.Duration
	Scale float64
}

// modelTime is a time of the virtual clock, ns.
type modelTime int64

// timing is a cost model at work.
type timing struct{ CostModel }

func newTiming(m CostModel) *timing {
	if m.Clock == nil {
		m.Clock = NewClock()
	}
	def := func(v *float64, d float64) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&m.FLOPS, 1e12)
	def(&m.Bandwidth, 1e11)
	def(&m.Copy, 1e10)
	span := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	span(&m.Least, 2*time.Microsecond)
	span(&m.Latency, 3*time.Microsecond)
	span(&m.Launch, 4*time.Microsecond)
	span(&m.Sync, 2*time.Microsecond)
	return &timing{m}
}

// Clock returns the virtual clock of a device with a cost model, else nil.
func (d *Device) Clock() *Clock {
	if d.model == nil {
		return nil
	}
	return d.model.Clock
}

// cost returns how long an activity takes.
func (m *timing) cost(name string, w Work) modelTime {
	c := m.Kernels[name]
	if c.Fixed > 0 {
		return modelTime(c.Fixed)
	}
	rate := m.Bandwidth
	if isCopy(w.Class) {
		rate = m.Copy
	}
	seconds := max(float64(w.FLOPs)/m.FLOPS, float64(w.Bytes)/rate)
	t := max(modelTime(seconds*1e9), modelTime(m.Least))
	if c.Scale > 0 {
		t = modelTime(float64(t) * c.Scale)
	}
	return t
}

// launch lets the host launch and places the activity on its stream. Under s.mu.
func (m *timing) launch(s *Stream, name string, w Work) (start, dur modelTime) {
	m.Clock.Advance(m.Launch)
	start = max(s.tail, modelTime(m.Clock.Now())+modelTime(m.Latency))
	dur = m.cost(name, w)
	s.tail = start + dur
	return start, dur
}

// sync lets the host wait for t.
func (m *timing) sync(t modelTime) {
	m.Clock.until(int64(t))
	m.Clock.Advance(m.Sync)
}

// syncAll lets the host wait for streams.
func (m *timing) syncAll(list []*Stream) {
	var last modelTime
	for _, s := range list {
		s.mu.Lock()
		last = max(last, s.tail)
		s.mu.Unlock()
	}
	m.sync(last)
}
