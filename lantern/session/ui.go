package session

import (
	"context"
	"time"

	"reel/rec"
)

// uiLoop presents frames at its rate until there will be no more. A turn that comes
// late does not hurry the next ones.
func (s *Session) uiLoop(ctx context.Context) error {
	period := time.Duration(float64(time.Second) / s.opt.FrameRate)
	due := time.Now()
	var screen Frame
	for {
		if err := sleepUntil(ctx, due); err != nil {
			return nil // the session ends
		}
		over, err := s.uiStep(ctx, &screen)
		if over || err != nil {
			return err
		}
		if due = due.Add(period); due.Before(time.Now()) {
			due = time.Now()
		}
	}
}

// uiStep is one turn: it selects a frame and shows it.
func (s *Session) uiStep(ctx context.Context, screen *Frame) (over bool, err error) {
	defer s.profiler.Event(ctx, "ui.step", 1, rec.StepID{}) // behind the range's end
	defer s.profiler.Range(ctx, "ui.step").End()
	img, id, state := s.queue.next()
	screen.New = state == fresh
	switch state {
	case ended:
		return true, nil
	case fresh:
		screen.Image, screen.Step = img, id
	case empty:
		if s.report.Shown > 0 {
			s.report.Repeated++
		}
	}
	if s.ui != nil {
		err = s.ui(ctx, *screen)
	}
	if state == fresh && err == nil {
		s.report.Shown++
		s.profiler.Event(ctx, "present.frame", 1, id)
		s.profiler.StepPresented(id)
	}
	return false, err
}
