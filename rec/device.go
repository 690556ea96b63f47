package rec

import (
	"context"
	"sync"
	"sync/atomic"

	"reel/event"
	"reel/reelfile"
)

// Link ties a launch to the activities that it caused. The zero Link is none.
type Link int64

var links atomic.Int64

// Launch begins the range of the call that starts work on a device, and returns
// with it the link that the work carries. Off, the link is none.
func (r *Recorder) Launch(ctx context.Context, name string) (Range, Link) {
	s := r.on()
	if s == nil {
		return Range{}, 0
	}
	l := links.Add(1)
	d := reelfile.Of(reelfile.Range, s.w.Intern(name)).Class(event.Runtime).With(reelfile.Link)
	o, g := newRange()
	o.clock = s.clock
	s.handle(TrackOf(ctx)).BeginTo(&o.slot, d, l, s.clock.Now())
	return g, Link(l)
}

// DeviceClock is the clock of a device, whose ticks it counts. Samples tie it to
// the host's.
type DeviceClock struct {
	name string
	hz   uint64
	mu   sync.Mutex
	last clockSample
}

// clockSample ties a tick of a device's clock to a host time.
type clockSample struct {
	ticks uint64
	at    Time
	ok    bool
}

// NewDeviceClock makes the clock of a device; hz are its ticks per second, 0 when
// samples have to tell.
func NewDeviceClock(name string, hz uint64) *DeviceClock { return &DeviceClock{name: name, hz: hz} }

// SampleClock says that the device's clock showed ticks at a host time. A clock needs
// one before its first activity, and two that lie apart when its rate is unknown.
func (r *Recorder) SampleClock(c *DeviceClock, ticks uint64, at Time) {
	c.mu.Lock()
	c.last = clockSample{ticks, at, true}
	c.mu.Unlock()
	if s := r.on(); s != nil {
		s.mu.Lock()
		id, ok := s.clocks[c]
		s.mu.Unlock()
		if ok {
			s.w.Sample(id, ticks, s.ticks(at))
		}
	}
}

// Stream is a queue of a device: what it runs lies there.
type Stream struct {
	track event.Track
	name  string
	clock *DeviceClock
	mu    sync.Mutex
	cur   atomic.Pointer[handle]
}

// NewStream names stream number stream of a device. Activities are timed by clock;
// without one, by the host's.
func NewStream(device, stream int64, name string, clock *DeviceClock) *Stream {
	return &Stream{track: event.Track{Place: event.Stream, A: device, B: stream}, name: name, clock: clock}
}

// Activity is work that a device did.
type Activity struct {
	Name  string
	Class event.Class // NoClass is a kernel
	Link  Link        // of its launch
	Start uint64      // ticks of the stream's clock; without one, a Time
	Dur   uint64      // ticks, or nanoseconds
	Bytes int64       // of a copy or set
	Args  []event.Arg // what else there is to say; 60 at most
}

// Activity writes work that a stream did. It reports whether there was room.
func (r *Recorder) Activity(on *Stream, a Activity) bool {
	s := r.on()
	if s == nil {
		return false
	}
	h := on.handle(s)
	d := reelfile.Of(reelfile.Activity, s.w.Intern(a.Name))
	if a.Class != event.NoClass && a.Class != event.Kernel {
		d = d.Class(a.Class)
	}
	if on.clock == nil {
		d = d.Timed(reelfile.Host)
		a.Start, a.Dur = s.ticks(Time(a.Start)), scale(a.Dur, s.clock.TicksPerSecond())
	}
	switch {
	case len(a.Args) != 0:
		return s.detailed(h, d, a)
	case a.Link != 0 && a.Bytes != 0:
		return h.WriteArgs(d.With(reelfile.Link), int64(a.Link), a.Start, a.Dur, reelfile.ValueArg(a.Bytes))
	case a.Bytes != 0:
		return h.Write(d.With(reelfile.Value), a.Bytes, a.Start, a.Dur)
	case a.Link != 0:
		d = d.With(reelfile.Link)
	}
	return h.Write(d, int64(a.Link), a.Start, a.Dur)
}

// detailed writes an activity that has arguments.
func (s *sink) detailed(h *reelfile.Track, d reelfile.Desc, a Activity) bool {
	args := s.args(a.Args)
	if a.Bytes != 0 {
		args = append(args, reelfile.ValueArg(a.Bytes))
	}
	if a.Link != 0 {
		d = d.With(reelfile.Link)
	}
	return h.WriteArgs(d, int64(a.Link), a.Start, a.Dur, args...)
}

func (on *Stream) handle(s *sink) *reelfile.Track {
	if h := on.cur.Load(); h != nil && h.s == s {
		return h.t
	}
	on.mu.Lock()
	defer on.mu.Unlock()
	if h := on.cur.Load(); h != nil && h.s == s {
		return h.t
	}
	h := &handle{s, s.w.TrackOn(on.track, on.name, s.clockOf(on.clock))}
	s.mu.Lock()
	s.streams[on] = h
	s.mu.Unlock()
	on.cur.Store(h)
	return h.t
}

// clockOf adds a device's clock to the recording, with its latest sample.
func (s *sink) clockOf(c *DeviceClock) reelfile.ClockID {
	if c == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.clocks[c]; ok {
		return id
	}
	id, ok := s.w.AddClock(c.name, c.hz)
	if !ok {
		return 0
	}
	s.clocks[c] = id
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if last.ok {
		s.w.Sample(id, last.ticks, s.ticks(last.at))
	}
	return id
}
