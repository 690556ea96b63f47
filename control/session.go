package control

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"reel/internal/rundir"
	"reel/window"
)

// session is one capture on its way from start to stop.
type session struct {
	c     *Controller
	id    int
	cfg   Config
	sched window.Schedule
	run   Run

	// op guards the capture and what follows; it is taken before Controller.mu.
	op       sync.Mutex
	capt     capture
	begun    int // iterations begun
	inflight int // recorded iterations under way
	recorded int
	closing  bool
	opening  error // why collectors could not be started
	noted    bool  // run.json is written
	timer    *time.Timer
	out      stopped
	extra    []Coverage // of the program's windows

	ctx    context.Context // of the exports
	cancel context.CancelFunc

	stopped chan struct{} // closed when every collector has stopped
	flushed chan struct{} // closed when everything is over

	// Guarded by Controller.mu.
	desc      Session
	delivered bool // a stop, or the failed start itself, has told the outcome
}

func (c *Controller) newSession(cfg Config) *session {
	s := &session{
		c: c, id: c.next, cfg: cfg, sched: cfg.Schedule(),
		capt:    capture{gate: c.opts.Gate, sync: c.opts.Sync, collectors: c.opts.Collectors, exporters: c.opts.Exporters},
		stopped: make(chan struct{}), flushed: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.desc = Session{ID: c.next, State: Armed, Started: time.Now(), Unit: window.Unit(cfg.Unit).String(), Artifacts: []Artifact{}}
	s.run = Run{Config: cfg, Rank: c.opts.Rank, Session: c.next}
	c.next++
	return s
}

// folder makes or joins the session's run folder.
func (s *session) folder(req StartOptions) (*Folder, error) {
	o := s.c.opts
	switch {
	case req.Dir != "":
		return rundir.Join(req.Dir)
	case o.Dir != "" && s.id == 1:
		return rundir.Join(o.Dir)
	case o.Dir != "":
		return rundir.Join(filepath.Join(o.Dir, fmt.Sprintf("session-%d", s.id)))
	}
	root, app := s.cfg.Dir, o.App
	if root == "" {
		root = o.Root
	}
	if req.Prefix != "" {
		app = req.Prefix
	}
	return rundir.Create(root, rundir.Name(app, s.desc.Started, os.Getpid()))
}

// enter brings the capture to a phase; s.op is held.
func (s *session) enter(phase window.Phase) error {
	if phase != window.Warming && phase != window.Recording {
		return nil
	}
	if !s.capt.ready {
		if err := s.capt.prepare(&s.run); err != nil {
			return err
		}
		if phase == window.Warming {
			s.c.setState(s, Warming)
		}
	}
	if phase == window.Recording && !s.capt.on {
		if err := s.note(Running.String()); err != nil {
			return err
		}
		if err := s.capt.start(); err != nil {
			return err
		}
		if d := s.c.opts.MaxDuration; d > 0 {
			s.timer = time.AfterFunc(d, func() { s.end(fmt.Sprintf("max duration %s", d)) })
		}
		s.c.setState(s, Running)
	}
	return nil
}

// note writes run.json; s.op is held or the capture is over.
func (s *session) note(state string) error {
	s.noted = true
	s.c.mu.Lock()
	d := s.desc
	s.c.mu.Unlock()
	host, _ := os.Hostname()
	info := s.c.info
	cfg := s.cfg
	cfg.Dir = rundir.HideValue(cfg.Dir)
	info.Config = cfg
	rank := rundir.Rank{
		Rank: s.c.opts.Rank, PID: os.Getpid(), Host: host, Device: s.c.opts.Device, State: state, Started: d.Started, Ended: d.Ended,
		Environment: rundir.Environment(os.Environ()), OverheadNS: int64(s.out.seen.Overhead), Dropped: s.out.dropped,
		Faults: d.Faults, Files: s.run.Folder.Artifacts(),
	}
	if state != Running.String() {
		rank.Coverage = s.coverages()
	}
	return s.run.Folder.Write(info, rank)
}

// coverages is the session's coverage, where something was recorded whose events
// are known: not by an outer profiler, and not in a session that was called off.
func (s *session) coverages() []Coverage {
	if !s.capt.on || s.opening != nil || s.cfg.Profiler != Torch {
		return nil
	}
	return append([]Coverage{s.coverage()}, s.extra...)
}

// coverage says what was asked for and seen.
func (s *session) coverage() Coverage {
	unit := s.desc.Unit + "s"
	asked, of := "session", s.cfg.target()
	if of > 0 {
		asked = fmt.Sprintf("session of %d %s", of, unit)
	}
	if before := s.cfg.Delay + s.cfg.Wait + s.cfg.Warmup; before > 0 {
		asked += fmt.Sprintf(" after %d", before)
	}
	cov := Coverage{Asked: asked, Entered: s.recorded, Of: of, Unit: unit, Events: s.out.seen.Events, DeviceEvents: s.out.seen.DeviceEvents}
	if of > s.recorded {
		cov.Missed = fmt.Sprintf("stopped after %d of %d", s.recorded, of)
	}
	return cov
}

// view describes the session; Controller.mu is held.
func (s *session) view() Session {
	v := s.desc
	v.Artifacts = append([]Artifact{}, v.Artifacts...)
	return v
}

func (s *session) finished() bool {
	select {
	case <-s.flushed:
		return true
	default:
		return false
	}
}

func cutID(id string) (session int, local string, ok bool) {
	a, b, ok := strings.Cut(id, "-")
	n, err := strconv.Atoi(a)
	return n, b, ok && err == nil && strconv.Itoa(n) == a
}

func appName() string {
	name := filepath.Base(os.Args[0])
	return strings.TrimSuffix(name, filepath.Ext(name))
}
