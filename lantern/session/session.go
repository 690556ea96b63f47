package session

import (
	"context"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"reel/rec"
)

// App is an interactive application. Init prepares it and registers its loops with
// Session.Model and Session.UI; it may give the session a profiler of its own
// first.
type App interface {
	Init(ctx context.Context, s *Session) error
}

// Step is what a model step is told.
type Step struct {
	Generation, Index int
	Inputs            []Batch // that arrived since the step before
}

// Result is what a model step made. Without frames its inputs count to the next
// step that has some.
type Result struct {
	Frames  []*image.RGBA
	Metrics map[string]float64 // for --stats-path, by name with unit: "mem_peak_gib"
}

// Frame is what the UI loop has to show.
type Frame struct {
	Image *image.RGBA // nil before the first frame
	Step  rec.StepID  // that made it
	New   bool        // false when the frame before stays on the screen
}

// Batch is inputs that arrived together.
type Batch struct {
	At     rec.Time
	Events []string
}

// ErrDone is returned by a model step that has nothing more to make.
var ErrDone = errors.New("session: done")

// Options says how a session runs. The zero value holds no step rate, shows 30
// frames a second and ends when a loop does.
type Options struct {
	Profiler  rec.Profiler   // what the runner made; nil is that of the context
	StepRate  float64        // model steps per second that are held; 0 is as fast as they come
	FrameRate float64        // turns of the UI loop per second; 0 is 30
	Queue     int            // chunks that may wait for the screen; 0 is 1
	Latest    bool           // the newest chunk replaces those that wait; otherwise the model waits
	Steps     int            // model steps with frames after which the session ends; 0 is no bound
	Timeout   time.Duration  // of the whole session, Init included; 0 is none
	Stats     *rec.StatsFile // gets a record of each step; nil for none
	Sync      func() error   // idles the device; called when the session ends
	Clock     func() rec.Time
	Log       *slog.Logger // gets a line for each step at level debug, and faults; slog.Default when nil
}

// The ways in which a session ends.
const (
	Done      = "done"      // the model had nothing more to make, or Options.Steps were made
	TimedOut  = "timeout"   // Options.Timeout passed
	Cancelled = "cancelled" // the context ended
	Failed    = "failed"    // a loop returned an error
)

// Report counts what a session did.
type Report struct {
	Ended       string
	Steps       int // model steps, those without frames included
	Made        int // frames
	Shown       int // frames, each once
	Dropped     int // frames made that were never shown
	Repeated    int // turns of the UI loop between frames that had no new one
	Generations int
	Inputs      int // events
}

// Session is a running session, as its App and loops see it.
type Session struct {
	opt      Options
	profiler rec.Profiler
	worker   *rec.Worker
	model    func(context.Context, Step) (Result, error)
	ui       func(context.Context, Frame) error
	begun    bool // a loop is registered

	queue   *queue
	inputs  inputs
	reset   atomic.Bool
	report  Report
	stages  *rec.StageScope
	stats   *rec.StatsSession
	started rec.Time
}

// Run initialises the app and runs its loops until one of them is done or fails,
// the context ends, or the time is over: loops then end at their next boundary
// and a step that is under way finishes. A timeout is no error. The report is
// valid with an error, too.
func Run(ctx context.Context, app App, o Options) (Report, error) {
	s := newSession(ctx, o)
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTime)
		defer cancel()
	}
	err := s.init(ctx, app)
	if err == nil {
		err = s.run(ctx)
	}
	s.finish()
	switch {
	case err != nil && !(errors.Is(err, ctx.Err()) && ctx.Err() != nil):
		s.report.Ended = Failed
		return s.report, err
	case errors.Is(context.Cause(ctx), errTime):
		s.report.Ended = TimedOut
	case ctx.Err() != nil:
		s.report.Ended = Cancelled
		return s.report, context.Cause(ctx)
	default:
		s.report.Ended = Done
	}
	return s.report, nil
}

var errTime = errors.New("session: time is over")

func newSession(ctx context.Context, o Options) *Session {
	if o.Profiler == nil {
		o.Profiler = rec.From(ctx)
	}
	if o.FrameRate <= 0 {
		o.FrameRate = 30
	}
	if o.Clock == nil {
		o.Clock = rec.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Session{opt: o, started: o.Clock(), profiler: o.Profiler, queue: newQueue(max(o.Queue, 1), o.Latest), stages: &rec.StageScope{}}
}

// Profiler returns the session's profiler: the runner's, or the one that Init
// assigned.
func (s *Session) Profiler() rec.Profiler { return s.profiler }

// SetProfiler gives the session another profiler. It must come before the first
// loop is registered, since loops keep the one they started with.
func (s *Session) SetProfiler(p rec.Profiler) error {
	if s.begun {
		return errors.New("session: the profiler must be set before a loop is registered")
	}
	s.profiler = p
	return nil
}

// Model registers the model loop's step.
func (s *Session) Model(step func(context.Context, Step) (Result, error)) {
	s.model, s.begun = step, true
}

// UI registers what a turn of the UI loop does with the frame to be shown.
func (s *Session) UI(show func(context.Context, Frame) error) {
	s.ui, s.begun = show, true
}

// Input hands in events that arrive together. It may be called from anywhere.
func (s *Session) Input(events ...string) {
	if len(events) == 0 {
		return
	}
	s.drop(s.inputs.add(s.opt.Clock(), events, func(at rec.Time) { s.profiler.InputReceived(at, len(events)) }))
}

// Reset has the model begin anew: at the next step the generation grows, the step
// number returns to 0, and what was made and not shown is discarded.
func (s *Session) Reset() {
	s.reset.Store(true)
	s.queue.wake()
}

func (s *Session) init(ctx context.Context, app App) error {
	if err := app.Init(ctx, s); err != nil {
		return fmt.Errorf("session: init: %w", err)
	}
	if s.model == nil {
		return errors.New("session: the app registered no model loop")
	}
	w, ok := s.profiler.(*rec.Worker)
	if !ok {
		w = rec.NewWorker(s.profiler, rec.WorkerOptions{Log: s.opt.Log})
	}
	s.worker = w
	return nil
}

// run runs both loops and waits for them.
func (s *Session) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	release := context.AfterFunc(ctx, s.queue.abort)
	defer release()
	var wg sync.WaitGroup
	var modelErr, uiErr error
	loop := func(name string, err *error, f func(context.Context) error) {
		wg.Go(func() {
			runtime.LockOSThread() // outer profilers know threads
			defer runtime.UnlockOSThread()
			on := rec.With(rec.OnTrack(ctx, rec.NewTrack(name)), s.worker)
			if *err = f(on); *err != nil {
				stop()
			}
		})
	}
	loop("model thread", &modelErr, s.modelLoop)
	loop("ui thread", &uiErr, s.uiLoop)
	wg.Wait()
	return errors.Join(modelErr, uiErr)
}

// finish ends what is open and writes the tail of the statistics.
func (s *Session) finish() {
	if s.opt.Sync != nil {
		if err := s.opt.Sync(); err != nil {
			s.opt.Log.Warn("session: the device failed", "error", err)
		}
	}
	s.report.Dropped = s.report.Made - s.report.Shown
	s.report.Inputs = s.inputs.total()
	if s.model != nil {
		s.tail()
	}
	s.profiler.ResetCounts()
}
