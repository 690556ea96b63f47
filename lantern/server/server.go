package server

import (
	"context"
	"errors"
	"image"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"reel/control"
	"reel/rec"
)

// Engine makes pictures and videos.
type Engine interface {
	// Model is the name that the engine is served under.
	Model() string
	// Generate makes one clip, or picture when j.Frames is 1. It tells the context's
	// profiler (rec.From) what it does.
	Generate(ctx context.Context, j Job) (Output, error)
}

// Job is what an engine is asked for. Zeros leave the choice to the engine.
type Job struct {
	Prompt, Negative string
	Width, Height    int
	Frames, Steps    int
	Guidance         float64
	Seed             uint64
	Image            image.Image // to begin from; nil for none
}

// Output is what an engine made.
type Output struct {
	Frames     []*image.RGBA
	Rate       float64 // frames per second
	PeakMemory int64   // bytes on the device; 0 when not known
}

// ErrRequest is wrapped by an engine's errors that are the request's fault: a size
// that the model cannot make, for instance.
var ErrRequest = errors.New("bad request")

// Options says how a Server works. The zero value runs one request at a time, lets
// 16 wait and keeps 16 videos.
type Options struct {
	Worker  *rec.Worker            // what requests run in; nil is the environment's
	Control *control.Controller    // of the profiler; nil or disabled: the paths answer 404
	Handler control.HandlerOptions // who is answered, on every path but /health
	// StageTimes measures the stages of each request, without a trace, and has them
	// in the log and the reply; nil for none. It must be among Worker's profilers.
	StageTimes *StageTimes

	Parallel  int           // requests at a time; 0 is 1
	Waiting   int           // requests that may wait; 0 is 16, negative none
	Keep      int           // videos kept for download; 0 is 16
	Images    int           // pictures per request; 0 is 10
	Body      int64         // bytes of a request's body; 0 is 32 MiB
	Deadline  time.Duration // of a request that nobody waits for; 0 is 10 minutes
	Log       *slog.Logger  // slog.Default when nil
	StartTime time.Time     // for /health; now when zero
	JobPrefix string        // of video jobs' names, so that a Fleet finds their rank again
}

// Server is an HTTP server's handler and what runs behind it.
type Server struct {
	engine  Engine
	opt     Options
	queue   *queue
	jobs    *jobs
	metrics *metrics
	handler http.Handler

	background context.Context
	stop       context.CancelFunc
	running    sync.WaitGroup
}

// New makes a Server. Close ends what runs behind it.
func New(e Engine, o Options) *Server {
	o.Parallel = max(o.Parallel, 1)
	if o.Waiting == 0 {
		o.Waiting = 16
	}
	if o.Keep <= 0 {
		o.Keep = 16
	}
	if o.Images <= 0 {
		o.Images = 10
	}
	if o.Body <= 0 {
		o.Body = 32 << 20
	}
	if o.Deadline <= 0 {
		o.Deadline = 10 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Worker == nil {
		o.Worker = rec.Default()
		if o.StageTimes != nil {
			o.Worker = rec.NewWorker(rec.Composite(o.Worker, o.StageTimes), rec.WorkerOptions{Log: o.Log})
		}
	}
	if o.StartTime.IsZero() {
		o.StartTime = time.Now()
	}
	s := &Server{engine: e, opt: o, queue: newQueue(o.Parallel, max(o.Waiting, 0)), jobs: newJobs(o.Keep, o.JobPrefix)}
	s.metrics = newMetrics(s)
	s.background, s.stop = context.WithCancel(context.Background())
	s.routes()
	return s
}

func (s *Server) routes() {
	m := http.NewServeMux()
	m.HandleFunc("POST /v1/images/generations", s.images)
	m.HandleFunc("POST /v1/videos", s.createVideo)
	m.HandleFunc("POST /v1/videos/sync", s.videoSync)
	m.HandleFunc("GET /v1/videos", s.listVideos)
	m.HandleFunc("GET /v1/videos/{id}", s.showVideo)
	m.HandleFunc("GET /v1/videos/{id}/content", s.videoContent)
	m.HandleFunc("DELETE /v1/videos/{id}", s.deleteVideo)
	m.HandleFunc("GET /v1/models", s.models)
	m.HandleFunc("GET /health", s.health)
	m.Handle("GET /metrics", s.metrics.handler())
	if c := s.opt.Control; c != nil && c.Config().Enabled() {
		h := control.Handler(c, s.opt.Handler)
		for _, path := range []string{"/start_profile", "/stop_profile", "/profile", "/profile/"} {
			m.Handle(path, h)
		}
		s.opt.Log.Warn("profiling is for development: it can be started over HTTP, costs time and writes files", "profiler", c.Config().Profiler)
	}
	s.handler = guarded(m, s.opt.Handler)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close stops what runs: jobs in the background are cancelled, a profiling session
// is stopped and its artefacts are written. It returns when that is done, or with
// ctx's error.
func (s *Server) Close(ctx context.Context) error {
	s.queue.close()
	s.stop()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if s.opt.Control != nil {
		err = errors.Join(err, s.opt.Control.Shutdown(ctx))
	}
	return err
}
