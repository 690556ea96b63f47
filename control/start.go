package control

import (
	"errors"
	"fmt"

	"reel/window"
)

// StartOptions change one session. Their zero is a session as configured.
type StartOptions struct {
	Prefix string // of the run folder's name, in place of the app
	Delay  *int   // in place of delay_iterations
	Max    *int   // in place of max_iterations
	// Dir is the run folder that whoever starts all ranks chose for this session.
	// It must not come from an untrusted client.
	Dir string
}

// with returns cfg with the options' numbers.
func (o StartOptions) with(cfg Config) (Config, error) {
	var faults []error
	for _, f := range fields {
		var v *int
		switch f.name {
		case "delay_iterations":
			v = o.Delay
		case "max_iterations":
			v = o.Max
		}
		if v == nil {
			continue
		}
		if fault := f.set(&cfg, *v); fault != nil {
			faults = append(faults, fault)
		}
	}
	return cfg, errors.Join(faults...)
}

// Start starts a session. When its first iteration is to be recorded, or warmed
// up, collectors are started before Start returns, and their failure is its error;
// otherwise that happens when the iteration begins. The error is ErrDisabled,
// ErrClosed, a *StateError while a session is running, Faults of the options, or
// why the start failed, in which case the state is failed and a new start may
// follow.
func (c *Controller) Start(o StartOptions) (Session, error) {
	if !c.cfg.Enabled() {
		return Session{}, ErrDisabled
	}
	cfg, err := o.with(c.cfg)
	if err != nil {
		return Session{}, err
	}
	c.mu.Lock()
	if c.closed || busy(c.state) {
		err := error(&StateError{"start", c.state})
		if c.closed {
			err = ErrClosed
		}
		c.mu.Unlock()
		return Session{}, err
	}
	s := c.newSession(cfg)
	s.op.Lock() // nobody knows s yet; iterations and stops wait until it is open
	defer s.op.Unlock()
	c.sessions = append(c.sessions, s)
	if extra := len(c.sessions) - keepSessions; extra > 0 {
		c.sessions = append([]*session(nil), c.sessions[extra:]...)
	}
	c.state = Armed
	c.mu.Unlock()

	if err := s.open(o); err != nil {
		c.mu.Lock()
		s.delivered = true // by the error that Start returns
		c.mu.Unlock()
		s.opening = err
		s.close("")
		<-s.flushed
		return c.viewOf(s), fmt.Errorf("start: %w", err)
	}
	c.cur.Store(s)
	return c.viewOf(s), nil
}

// open makes the run folder and brings the session to its first phase.
func (s *session) open(o StartOptions) error {
	folder, err := s.folder(o)
	if err != nil {
		return err
	}
	s.run.Folder = folder
	s.c.mu.Lock()
	s.desc.Run = folder.Path()
	s.c.mu.Unlock()
	return s.enter(s.sched.Phase(0))
}

func (c *Controller) viewOf(s *session) Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.view()
}

// Iteration begins an iteration of the unit; the program's scopes call it, once
// for each request and once for each denoise step. It counts when the session's
// iteration_unit is unit. Iterations may overlap; they are numbered as they begin.
// One that is under way when a session starts is not of the session. Without a
// session it costs a load and a branch and returns nil, on which End may be called.
func (c *Controller) Iteration(unit window.Unit) *Iteration {
	s := c.cur.Load()
	if s == nil || s.sched.Unit != unit {
		return nil
	}
	return s.iterate()
}
