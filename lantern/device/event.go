package device

import (
	"context"
	"time"

	"reel/rec"
)

// Event is a place in a stream's queue: it is done when everything before it is.
type Event struct {
	done  chan struct{}
	at    rec.Time
	model modelTime // by the model, known as it is recorded
	d     *Device
	fault error
}

// Record puts an event into the queue.
func (s *Stream) Record(ctx context.Context) *Event {
	end := s.d.call(ctx, callRecord)
	defer end()
	return s.record()
}

func (s *Stream) record() *Event {
	e := &Event{done: make(chan struct{}), d: s.d}
	s.mu.Lock()
	e.model = s.tail
	s.mu.Unlock()
	s.push(item{ev: e})
	return e
}

func (e *Event) finish(at rec.Time, fault error) {
	e.at, e.fault = at, fault
	close(e.done)
}

// Wait makes what is launched on the stream from now on wait for the event. The
// host does not wait.
func (s *Stream) Wait(ctx context.Context, e *Event) {
	if e == nil {
		return
	}
	end := s.d.call(ctx, callWait)
	defer end()
	s.mu.Lock()
	s.tail = max(s.tail, e.model)
	s.mu.Unlock()
	s.push(item{ev: e, wait: true})
}

// Done reports whether the event is done.
func (e *Event) Done() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// Synchronize waits until the event is done. What went wrong before it is returned;
// it stays the stream's error as well.
func (e *Event) Synchronize(ctx context.Context) error {
	end := e.d.call(ctx, callEventSync)
	defer end()
	<-e.done
	if m := e.d.model; m != nil {
		m.sync(e.model)
	}
	return e.fault
}

// Time returns when the device came to the event; ok is false while it is not done.
func (e *Event) Time() (t rec.Time, ok bool) {
	if !e.Done() {
		return 0, false
	}
	if e.d.model != nil {
		return rec.Time(e.model), true
	}
	return e.at, true
}

// Elapsed returns the time from e to a later event; ok is false while one of them is
// not done.
func (e *Event) Elapsed(later *Event) (d time.Duration, ok bool) {
	if !e.Done() || !later.Done() {
		return 0, false
	}
	if e.d.model != nil {
		return time.Duration(later.model - e.model), true
	}
	return time.Duration(later.at - e.at), true
}

// Synchronize waits until the stream is idle and returns what went wrong on it since
// the last time.
func (s *Stream) Synchronize(ctx context.Context) error {
	end := s.d.call(ctx, callStreamSync)
	defer end()
	err := s.drain()
	if m := s.d.model; m != nil {
		m.syncAll([]*Stream{s})
	}
	return err
}

// drain waits for what was launched.
func (s *Stream) drain() error {
	<-s.record().done
	return s.take()
}
