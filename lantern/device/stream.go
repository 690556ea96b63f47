package device

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"reel/event"
	"reel/rec"
)

// Work is what a launch says of itself. The zero value is a kernel of which nothing
// is known.
type Work struct {
	FLOPs  int64       // floating-point operations
	Bytes  int64       // read and written by a kernel; copied by a copy or set
	Class  event.Class // event.NoClass is a kernel; event.Copy, event.Set
	Shapes [][]int     // of the inputs; callers make them when Stream.Wants says so
}

// Stream is a queue of a device with a worker of its own. Its methods may be called
// at the same time.
type Stream struct {
	d     *Device
	id    int64
	name  string
	row   *rec.Stream
	queue chan item
	hand  Kernel
	idle  sync.WaitGroup // the worker

	mu     sync.Mutex // order of launches
	closed bool
	tail   modelTime // under mu: when what was launched ends, by the model

	launched atomic.Int64
	busy     atomic.Int64 // ns
	fmu      sync.Mutex
	fault    error
}

// item is an entry of a stream's queue.
type item struct {
	name string
	fn   func(*Kernel)
	work Work
	link rec.Link
	prof *Profile // nil when the activity is not recorded
	ev   *Event   // to be recorded, or waited for
	wait bool
}

// NewStream makes a stream, with a name for people.
func (d *Device) NewStream(name string) *Stream {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &Stream{d: d, id: int64(len(d.streams) + 1), name: name, queue: make(chan item, d.opt.Queue),
		hand: Kernel{pool: d.pool, helpers: d.opt.Cores - 1}, closed: d.closed}
	s.row = rec.NewStream(d.opt.ID, s.id, name, nil)
	d.streams = append(d.streams, s)
	if !d.closed {
		s.idle.Go(s.run)
	}
	return s
}

// Device returns the stream's device.
func (s *Stream) Device() *Device { return s.d }

// ID returns the stream's number, from 1.
func (s *Stream) ID() int64 { return s.id }

// Name returns the stream's name.
func (s *Stream) Name() string { return s.name }

// StreamStats counts what a stream did.
type StreamStats struct {
	Launched int64 // kernels, copies and sets
	Busy     int64 // ns in which one of them ran, or would have by the model
}

// Stats returns the counts so far.
func (s *Stream) Stats() StreamStats { return StreamStats{s.launched.Load(), s.busy.Load()} }

// Launch puts a kernel into the queue and returns. It waits while the queue is full.
// fn runs on the stream's worker when everything before it has ended; what it panics
// with is the stream's error at the next synchronisation.
func (s *Stream) Launch(ctx context.Context, name string, w Work, fn func(*Kernel)) {
	it := item{name: name, fn: fn, work: w}
	if p := s.d.profiling(); p != nil {
		g, link := p.Recorder.Launch(ctx, callOf(w.Class))
		it.prof, it.link = p, link
		s.launch(it)
		g.End()
		return
	}
	s.launch(it)
}

func (s *Stream) launch(it item) {
	s.launched.Add(1)
	if m := s.d.model; m != nil {
		it.prof = nil // the model knows the times now
		s.mu.Lock()
		start, dur := m.launch(s, it.name, it.work)
		s.mu.Unlock()
		s.busy.Add(int64(dur))
		if p := s.d.profiling(); p != nil {
			s.report(p, it, rec.Time(start), rec.Time(start+dur))
		}
	}
	s.push(it)
}

// push puts an item into the queue.
func (s *Stream) push(it item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.fail(ErrClosed)
		if it.ev != nil && !it.wait {
			it.ev.finish(0, ErrClosed)
		}
		return
	}
	s.queue <- it
}

// close ends the worker when the queue is empty.
func (s *Stream) close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.queue)
	}
	s.mu.Unlock()
	s.idle.Wait()
}

// run is the worker.
func (s *Stream) run() {
	for it := range s.queue {
		switch {
		case it.ev == nil:
			s.kernel(it)
		case it.wait:
			<-it.ev.done
			if it.ev.fault != nil {
				s.fail(it.ev.fault)
			}
		default:
			it.ev.finish(rec.Now(), s.failed())
		}
	}
}

// kernel runs one.
func (s *Stream) kernel(it item) {
	if s.failed() != nil {
		return
	}
	start := rec.Now()
	if err := s.guarded(it); err != nil {
		s.fail(err)
	}
	end := rec.Now()
	if times := s.d.opt.Slow[it.name]; times > 1 && s.d.model == nil {
		for until := start + rec.Time(times*float64(end-start)); end < until; end = rec.Now() {
		}
	}
	if s.d.model == nil {
		s.busy.Add(int64(end - start))
	}
	if it.prof != nil {
		s.report(it.prof, it, start, end)
	}
}

func (s *Stream) guarded(it item) (err error) {
	defer func() {
		x := recover()
		if x == nil {
			return
		}
		p, ok := x.(*panicked)
		if !ok {
			p = &panicked{x, string(debug.Stack())}
		}
		err = &Error{Kernel: it.name, Stream: s.name, Cause: p.cause, Calls: p.calls}
	}()
	it.fn(&s.hand)
	return nil
}

// fail keeps the first fault.
func (s *Stream) fail(err error) {
	s.fmu.Lock()
	defer s.fmu.Unlock()
	if s.fault == nil {
		s.fault = err
	}
}

func (s *Stream) failed() error {
	s.fmu.Lock()
	defer s.fmu.Unlock()
	return s.fault
}

// take returns the fault, once.
func (s *Stream) take() error {
	s.fmu.Lock()
	defer s.fmu.Unlock()
	err := s.fault
	s.fault = nil
	return err
}
