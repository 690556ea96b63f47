package control

import (
	"sync/atomic"

	"reel/window"
)

// Iteration is one iteration of a session that is under way.
type Iteration struct {
	s     *session
	phase window.Phase
	done  atomic.Bool
}

// Recorded reports whether the iteration is one that the session records.
func (it *Iteration) Recorded() bool { return it != nil && it.phase == window.Recording }

// iterate begins the session's next iteration. A failure to start collectors ends
// the session and stays in it; the iteration goes on unrecorded.
func (s *session) iterate() *Iteration {
	s.op.Lock()
	defer s.op.Unlock()
	if s.closing {
		return nil
	}
	it := &Iteration{s: s, phase: s.sched.Phase(s.begun)}
	if it.phase == window.Done { // others are still under way; the session is full
		return nil
	}
	if err := s.enter(it.phase); err != nil {
		s.opening = err
		s.close("")
		return nil
	}
	s.begun++
	if it.phase == window.Recording {
		s.inflight++
	}
	s.count()
	return it
}

// End ends the iteration, however it went. When it was the last one of the
// session, the session stops: End returns once every collector has stopped, and
// artifacts are written behind its back. The error is a *DeviceError that came to
// light as the device was idled for that, and is the request's own; faults of the
// profiler stay in the session. A second End does nothing.
func (it *Iteration) End() error {
	if it == nil || it.done.Swap(true) || it.phase != window.Recording {
		return nil
	}
	s := it.s
	s.op.Lock()
	if !s.closing {
		s.inflight--
		s.recorded++
		s.count()
		if s.inflight == 0 && s.sched.Phase(s.begun) == window.Done {
			s.close(s.limit())
		}
	}
	closing := s.closing
	s.op.Unlock()
	if !closing {
		return nil
	}
	<-s.stopped
	return s.out.device
}

// limit names what ends the session by itself.
func (s *session) limit() string {
	if s.cfg.Max > 0 && s.cfg.target() == s.cfg.Max {
		return "max_iterations"
	}
	return "active_iterations"
}

// count publishes the numbers of iterations; s.op is held.
func (s *session) count() {
	s.c.mu.Lock()
	s.desc.Seen, s.desc.Recorded = s.begun, s.recorded
	s.c.mu.Unlock()
}
