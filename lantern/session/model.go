package session

import (
	"context"
	"errors"
	"time"

	"reel/event"
	"reel/rec"
)

// modelState is what the model loop keeps between steps.
type modelState struct {
	gen, index int
	due        time.Time  // when the next step may begin
	held       []consumed // by steps without frames since
	outputs    int
}

// consumed is the input of a step.
type consumed struct {
	received []rec.Time
	started  rec.Time
}

// modelLoop makes chunks until there is nothing more to make.
func (s *Session) modelLoop(ctx context.Context) error {
	defer s.queue.close()
	m := &modelState{due: time.Now()}
	s.report.Generations = 1
	for ctx.Err() == nil && (s.opt.Steps <= 0 || m.outputs < s.opt.Steps) {
		if err := s.pace(ctx, m); err != nil {
			return nil // the session ends
		}
		if s.reset.Swap(false) {
			s.begin(m)
		}
		err := s.modelStep(ctx, m)
		if errors.Is(err, ErrDone) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pace holds the step rate. A step that came late does not hurry the next ones.
func (s *Session) pace(ctx context.Context, m *modelState) error {
	defer s.profiler.Range(ctx, "model.pace").End()
	if s.opt.StepRate <= 0 {
		return ctx.Err()
	}
	if err := sleepUntil(ctx, m.due); err != nil {
		return err
	}
	period := time.Duration(float64(time.Second) / s.opt.StepRate)
	if m.due = m.due.Add(period); m.due.Before(time.Now()) {
		m.due = time.Now()
	}
	return nil
}

// begin starts a generation anew: what was made and not shown is gone, and with it
// the waits of its inputs.
func (s *Session) begin(m *modelState) {
	for _, c := range m.held {
		s.drop(c.received)
	}
	m.held = nil
	s.drop(s.queue.clear())
	m.gen, m.index = m.gen+1, 0
	s.report.Generations++
}

func (s *Session) drop(received []rec.Time) {
	if len(received) > 0 {
		s.profiler.InputDropped(received)
	}
}

// modelStep runs one step and publishes what it made.
func (s *Session) modelStep(ctx context.Context, m *modelState) error {
	started := s.opt.Clock()
	st := Step{Generation: m.gen, Index: m.index, Inputs: s.inputs.take()}
	ctx = rec.InStages(ctx, s.stages)
	res, err := s.timedStep(ctx, st)
	took := s.opt.Clock() - started
	c := consumed{started: started}
	for _, b := range st.Inputs {
		c.received = append(c.received, b.At)
	}
	m.held = append(m.held, c)
	if err != nil {
		return err
	}
	s.report.Steps++
	id := rec.StepIn(m.gen, m.index)
	m.index++
	if len(res.Frames) == 0 {
		return nil
	}
	m.outputs++
	s.report.Made += len(res.Frames)
	s.profiler.Event(ctx, "model.frame", len(res.Frames), id)
	var received []rec.Time
	for _, c := range m.held {
		if len(c.received) > 0 {
			s.profiler.InputConsumed(id, c.received, c.started)
		}
		received = append(received, c.received...)
	}
	m.held = nil
	record := s.collect(ctx, res, took)
	wait := s.publish(ctx, chunk{id: id, frames: res.Frames, received: received})
	s.written(id, res, record, wait)
	return nil
}

func (s *Session) timedStep(ctx context.Context, st Step) (Result, error) {
	l := rec.Label{Name: "model.step", Index: st.Index, Indexed: true, Role: event.Loop}
	defer rec.RangeAs(ctx, s.profiler, l).End()
	return s.model(context.WithoutCancel(ctx), st) // a step under way finishes
}

// publish hands the chunk to the presenter, which may take its time.
func (s *Session) publish(ctx context.Context, c chunk) rec.Time {
	defer s.profiler.Range(ctx, "model.publish").End()
	from := s.opt.Clock()
	s.queue.put(c, s.reset.Load)
	return s.opt.Clock() - from
}

// sleepUntil sleeps until t; its error is that of ctx.
func sleepUntil(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
