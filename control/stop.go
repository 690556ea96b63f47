package control

import (
	"context"
	"fmt"
)

// Stop stops the session and waits until its artifacts are written, or ctx is
// done; then a later Stop gets them. A session that stopped by itself is told
// once, a further Stop is a *StateError. During delay, wait and warm-up Stop calls
// the session off. A *SessionError says that the profiler failed; the Session
// lists what it left all the same.
func (c *Controller) Stop(ctx context.Context) (Session, error) {
	if !c.cfg.Enabled() {
		return Session{}, ErrDisabled
	}
	c.mu.Lock()
	n := len(c.sessions)
	if n == 0 || c.sessions[n-1].delivered {
		defer c.mu.Unlock()
		return Session{}, &StateError{"stop", c.state}
	}
	s := c.sessions[n-1]
	c.mu.Unlock()

	s.end("")
	select {
	case <-s.flushed:
	default:
		select {
		case <-s.flushed:
		case <-ctx.Done():
			return c.viewOf(s), fmt.Errorf("stop: artifacts are still being written: %w", context.Cause(ctx))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.delivered {
		return Session{}, &StateError{"stop", c.state}
	}
	s.delivered = true
	if len(s.desc.Faults) > 0 {
		return s.view(), &SessionError{s.desc.Faults}
	}
	return s.view(), nil
}

// Shutdown stops what is running and waits until artifacts are written; when ctx
// is done first, exports are told to give up. No session can be started behind it.
func (c *Controller) Shutdown(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	var s *session
	if n := len(c.sessions); n > 0 {
		s = c.sessions[n-1]
	}
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	s.end("shutdown")
	select {
	case <-s.flushed:
		return nil
	case <-ctx.Done():
		s.cancel()
		return fmt.Errorf("shutdown: artifacts are still being written: %w", context.Cause(ctx))
	}
}

// end closes the session unless that has begun.
func (s *session) end(reason string) {
	s.op.Lock()
	defer s.op.Unlock()
	s.close(reason)
}

// close takes no more iterations and finishes the session in the background; s.op
// is held. reason says why it stopped by itself.
func (s *session) close(reason string) {
	if s.closing {
		return
	}
	s.closing = true
	s.c.cur.CompareAndSwap(s, nil)
	if s.timer != nil {
		s.timer.Stop()
	}
	s.c.mu.Lock()
	s.desc.Auto = reason
	s.c.mu.Unlock()
	s.c.setState(s, Flushing)
	go s.finish()
}
