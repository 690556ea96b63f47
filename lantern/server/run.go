package server

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"reel/rec"
)

// errBusy says that the queue is full, errClosing that the server ends.
var (
	errBusy    = errors.New("the server is busy: too many requests wait already")
	errClosing = errors.New("the server is shutting down")
)

// queue admits so many requests at a time and lets so many wait.
type queue struct {
	places chan struct{} // of those admitted or waiting
	turns  chan struct{} // of those that run
	done   chan struct{}
}

func newQueue(parallel, waiting int) *queue {
	return &queue{make(chan struct{}, parallel+waiting), make(chan struct{}, parallel), make(chan struct{})}
}

// reserve takes a place, without waiting.
func (q *queue) reserve() error {
	select {
	case <-q.done:
		return errClosing
	default:
	}
	select {
	case q.places <- struct{}{}:
		return nil
	default:
		return errBusy
	}
}

// leave gives the place back.
func (q *queue) leave() { <-q.places }

// turn waits until a request with a place may run.
func (q *queue) turn(ctx context.Context) error {
	select {
	case q.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-q.done:
		return errClosing
	}
}

func (q *queue) over() { <-q.turns }

func (q *queue) close() { close(q.done) }

// waiting and running count requests.
func (q *queue) waiting() int { return max(0, len(q.places)-len(q.turns)) }
func (q *queue) running() int { return len(q.turns) }

// made is what a request gave.
type made struct {
	Output
	stages *StageReport
	took   time.Duration // in the engine
	waited time.Duration // in the queue
}

// run makes one output. The caller has a place in the queue.
func (s *Server) run(ctx context.Context, kind string, j Job) (made, error) {
	from := time.Now()
	if err := s.queue.turn(ctx); err != nil {
		s.metrics.failed(kind, err)
		return made{}, err
	}
	defer s.queue.over()
	began := time.Now()
	m := made{waited: began.Sub(from)}
	var err error
	m.Output, m.stages, err = s.generate(rec.With(ctx, s.opt.Worker), j)
	m.took = time.Since(began)
	s.metrics.observe(kind, &m, err)
	if err != nil {
		s.opt.Log.Warn("request failed", "kind", kind, "took", m.took, "error", err)
		return m, err
	}
	if len(m.Frames) == 0 {
		return m, errors.New("the engine made no picture")
	}
	if m.stages != nil {
		s.opt.Log.Info("stage times", "kind", kind, "total", m.stages.Total, "stages", m.stages.Line())
	}
	return m, nil
}

// generate calls the engine, with its stages measured when that is asked for.
func (s *Server) generate(ctx context.Context, j Job) (out Output, report *StageReport, err error) {
	if s.opt.StageTimes == nil {
		out, err = s.engine.Generate(ctx, j)
		return out, nil, err
	}
	ctx, measured := s.opt.StageTimes.Begin(ctx)
	out, err = s.engine.Generate(ctx, j)
	return out, measured.End(), err
}

// statusOf is the HTTP status of an error.
func statusOf(err error) int {
	switch {
	case errors.Is(err, errBusy):
		return http.StatusTooManyRequests
	case errors.Is(err, errClosing):
		return http.StatusServiceUnavailable
	case errors.Is(err, os.ErrDeadlineExceeded): // the body's: a generation has context errors
		return http.StatusRequestTimeout
	case errors.Is(err, ErrRequest):
		return http.StatusBadRequest
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
