package control

import (
	"fmt"
	"time"

	"reel/internal/rundir"
)

// finish idles the device, stops the collectors, exports, and closes the gate, in
// this order; each happens even if the one before failed. From close on the
// capture is finish's alone.
func (s *session) finish() {
	defer s.cancel()
	s.out = s.capt.stop()
	close(s.stopped)
	var faults []error
	if f := s.c.opts.Coverage; f != nil && s.capt.on {
		if err := guard(func() error { s.extra = f(); return nil }); err != nil {
			faults = append(faults, fmt.Errorf("coverage: %w", err))
		}
	}
	if s.opening != nil {
		faults = append(faults, s.opening)
	}
	faults = append(faults, s.out.faults...)
	if s.capt.on && s.opening == nil {
		faults = append(faults, s.capt.export(s.ctx, &s.run)...)
	}
	if err := s.capt.off(); err != nil {
		faults = append(faults, err)
	}
	state := Done
	switch {
	case len(faults) > 0:
		state = Failed
	case !s.capt.on:
		state = Idle
	}
	s.settle(state, faults)
}

// settle writes down the outcome and lets those who wait for it go on.
func (s *session) settle(state State, faults []error) {
	s.describe(state, faults)
	if f := s.run.Folder; f != nil {
		if s.noted {
			if err := s.note(state.String()); err != nil {
				state = Failed
				s.describe(state, append(faults, err))
			}
			_ = f.Close()
		} else if err := f.Abandon(); err != nil {
			s.c.opts.Log.Warn("profiler: remove the empty run folder", "error", err)
		}
	}
	s.report()
	s.c.setState(s, state)
	close(s.flushed)
}

func (s *session) describe(state State, faults []error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	d := &s.desc
	d.Ended, d.Cancelled = time.Now(), state == Idle
	d.Faults = nil
	for _, err := range faults {
		d.Faults = append(d.Faults, err.Error())
	}
	if s.out.device != nil {
		d.Device = s.out.device.Error()
	}
	if s.run.Folder != nil {
		d.Artifacts = []Artifact{}
		for _, a := range s.run.Folder.Artifacts() {
			a.ID = artifactID(s.id, a.ID)
			d.Artifacts = append(d.Artifacts, a)
		}
	}
	d.Coverage, d.Warnings = rundir.CoverageText([]rundir.RankCoverage{{Rank: s.c.opts.Rank, Coverage: s.coverages()}}, 0)
	if g, ok := s.capt.gate.(interface{ Warnings() []string }); ok && s.capt.on {
		_ = guard(func() error { d.Warnings = append(d.Warnings, g.Warnings()...); return nil })
	}
}

// report logs what went wrong and what is empty, for those who read no reply.
func (s *session) report() {
	s.c.mu.Lock()
	d := s.view()
	s.c.mu.Unlock()
	log := s.c.opts.Log.With("session", d.ID, "run", d.Run)
	for _, f := range d.Faults {
		log.Error("profiler: " + f)
	}
	if d.Device != "" {
		log.Error("profiler: closing found " + d.Device)
	}
	for _, w := range d.Warnings {
		log.Warn("profiler: " + w)
	}
	for _, c := range d.Coverage {
		log.Info("profiler: " + c)
	}
}
