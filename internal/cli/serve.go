package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reel/artifacts"
	"reel/control"
	"reel/internal/rundir"
	"reel/lantern/device"
	"reel/lantern/pipeline"
	"reel/lantern/server"
	"reel/rec"
	"reel/rec/cuda"
)

// serveFlags are those of reel serve.
type serveFlags struct {
	engineFlags
	host, tokenFile, name string
	port, queue, ranks    int
	stageTimes, sync      bool
	rank, world           int    // of a worker, and how many there are
	socket                string // that a worker listens on
}

func (a *app) serveCmd() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:     "serve",
		Short:   "the built-in engine as an image and video server with profile control",
		GroupID: "demo",
		Long: `Serves Lantern over HTTP: POST /v1/images/generations in the form of OpenAI's API,
/v1/videos and /v1/videos/sync under vLLM-Omni's paths, /health, /metrics, and, with
--profiler-config, /start_profile, /stop_profile and /profile. A running session is
written out when the server ends.

It listens on this machine alone unless --host says otherwise; then it wants a token.`,
		Example: `  reel serve
  reel serve --stage-times
  reel serve --profiler-config '{"profiler": "torch", "torch_profiler_dir": "./perf"}'
  curl http://localhost:8091/v1/images/generations -H 'Content-Type: application/json' \
    -d '{"prompt": "a red circle on a blue background"}'
  reel serve --ranks 2 --profiler-config perf.yaml`,
		Args: a.noArgs,
		RunE: a.run(func(c *cobra.Command, _ []string) error {
			a.ownsSignals.Store(true)
			if err := f.check(); err != nil {
				return err
			}
			if f.ranks > 1 {
				return a.serveRanks(c.Context(), &f)
			}
			return a.serve(c.Context(), &f)
		}),
	}
	s := c.Flags()
	s.StringVar(&f.host, "host", "127.0.0.1", "the address to listen on")
	s.IntVar(&f.port, "port", 8091, "the port; 0 takes a free one")
	s.StringVar(&f.tokenFile, "token-file", "", "a `FILE` with the token that clients must send (default $"+tokenVariable+")")
	s.StringVar(&f.name, "served-model-name", "lantern", "the name that the model is served under")
	s.IntVar(&f.queue, "queue", 16, "requests that may wait; more are refused with 429")
	s.BoolVar(&f.stageTimes, "stage-times", false, "measure the stages of each request, log them and return them in the reply; no trace is written")
	s.BoolVar(&f.sync, "sync", false, "with --stage-times: wait for the device around each stage, so that a stage's time is that of its work")
	s.IntVar(&f.ranks, "ranks", 1, "worker processes, which share the requests and one run folder")
	s.IntVar(&f.rank, "worker-rank", 0, "")
	s.StringVar(&f.socket, "worker-socket", "", "")
	s.IntVar(&f.world, "worker-world", 0, "")
	for _, name := range []string{"worker-rank", "worker-socket", "worker-world"} {
		_ = s.MarkHidden(name) // fails for unknown flags only
	}
	f.engineFlags.add(c)
	return c
}

func (f *serveFlags) check() error {
	switch {
	case f.port < 0 || f.port > 65535:
		return misusef("--port %d: 0 to 65535", f.port)
	case f.queue < 0 || f.queue > 10_000:
		return misusef("--queue %d: 0 to 10000", f.queue)
	case f.ranks < 1 || f.ranks > 128:
		return misusef("--ranks %d: 1 to 128", f.ranks)
	case f.sync && !f.stageTimes:
		return misusef("--sync goes with --stage-times")
	}
	return nil
}

// token reads the token that clients must send.
func (a *app) token(file string) (string, error) {
	if file == "" {
		return a.Getenv(tokenVariable), nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", misusef("--token-file: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// painter is the engine as the server wants it.
type painter struct{ *pipeline.Engine }

// Generate makes what a request asks for.
func (p painter) Generate(ctx context.Context, j server.Job) (server.Output, error) {
	r := pipeline.Request{Prompt: j.Prompt, Negative: j.Negative, Width: j.Width, Height: j.Height, Frames: j.Frames, Steps: j.Steps,
		Guidance: float32(j.Guidance), Seed: j.Seed, Image: j.Image}
	res, err := p.Engine.Generate(ctx, r)
	if errors.Is(err, pipeline.ErrRequest) {
		err = fmt.Errorf("%w: %w", server.ErrRequest, err)
	}
	if err != nil {
		return server.Output{}, err
	}
	return server.Output{Frames: res.Frames, Rate: res.Rate, PeakMemory: res.Memory.AllocatedPeak}, nil
}

// serve runs one server in this process.
func (a *app) serve(ctx context.Context, f *serveFlags) error {
	token, err := a.token(f.tokenFile)
	if err != nil {
		return err
	}
	if f.socket == "" && !loopback(f.host) && token == "" {
		return misusef("--host %s can be reached from elsewhere: give a token with --token-file or %s", f.host, tokenVariable)
	}
	l, err := f.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	if f.socket != "" {
		var end context.CancelFunc
		ctx, end = withParent(ctx)
		defer end()
	}
	engine, times, err := a.serveEngine(ctx, f)
	if err != nil {
		return err
	}
	s := server.New(painter{engine}, server.Options{Worker: engine.Worker(), Control: engine.Control(), StageTimes: times, Waiting: waiting(f.queue), JobPrefix: jobPrefix(f),
		Handler: control.HandlerOptions{Token: token, Bind: l.Addr().String()}, Log: a.serveLog()})
	if c := engine.Control(); c != nil && f.socket == "" {
		defer a.serveByPID(control.Handler(c, control.HandlerOptions{}))()
	}
	fmt.Fprintf(a.Err, "serving %s at %s\n", f.name, address(l))
	err = serveHTTP(ctx, l, s)
	end, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(err, s.Close(end), engine.Worker().Shutdown(), engine.Close())
}

// withParent returns a context that ends with the process that started this worker,
// however it ends: it holds the other end of the worker's standard input.
func withParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end, too
		end()
	}()
	return ctx, end
}

// serveByPID serves profile control where reel start --pid looks for it, as far as
// that goes: the address does without.
func (a *app) serveByPID(h http.Handler) (stop func()) {
	l, err := control.ListenLocal()
	if err != nil {
		a.serveLog().Warn("reel start --pid will not find this server", "error", err)
		return func() {}
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l) // it ends with Close
	}()
	return func() {
		_ = srv.Close()
		<-done // the socket is gone then
	}
}

// jobPrefix tells a worker's video jobs from those of the others.
func jobPrefix(f *serveFlags) string {
	if f.world == 0 {
		return ""
	}
	return server.JobPrefix(f.rank)
}

// waiting is the server's form of a queue's length: 0 is none there.
func waiting(queue int) int {
	if queue == 0 {
		return -1
	}
	return queue
}

func (f *serveFlags) listen() (net.Listener, error) {
	if f.socket != "" {
		return control.Listen(f.socket)
	}
	return net.Listen("tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
}

func address(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

// serveEngine loads the model, with the profiler that was configured, or that the
// environment asks for.
func (a *app) serveEngine(ctx context.Context, f *serveFlags) (*pipeline.Engine, *server.StageTimes, error) {
	cfg, err := f.profiler()
	if err != nil {
		return nil, nil, err
	}
	model, err := openModel(f.model)
	if err != nil {
		return nil, nil, err
	}
	var engine *pipeline.Engine
	sync := func() error {
		if engine == nil {
			return nil
		}
		return engine.Sync()
	}
	var times *server.StageTimes
	var beside []rec.Profiler
	if f.stageTimes {
		var wait func() error
		if f.sync {
			wait = sync
		}
		times = server.NewStageTimes(wait)
		beside = append(beside, times)
	}
	opt := pipeline.Options{Name: f.name, Profiler: cfg, Log: a.serveLog(),
		Session: pipeline.SessionOptions{App: "serve", Rank: f.rank, World: f.world, Dir: cmp.Or(f.report, a.Getenv(rundir.EnvDir)), Beside: beside},
		Profile: device.Profile{Shapes: f.shapes, Stacks: f.stacks, FLOPs: f.flops, Memory: f.memory}}
	if cfg.Profiler == control.CUDA {
		opt.Session.Gate = &cuda.Gate{Log: a.serveLog()}
	}
	if !cfg.Enabled() {
		stamp := func(ctx context.Context) func() rec.Time { return engine.Stamp(ctx) } // ranges come with requests
		w, err := rec.FromEnv(f.environment(a.Getenv), rec.EnvOptions{App: "serve", Sync: sync, Stamp: stamp, Export: artifacts.Trace, Log: a.serveLog()})
		if err != nil {
			return nil, nil, &misuse{err}
		}
		if times != nil {
			w = rec.NewWorker(rec.Composite(w, times), rec.WorkerOptions{Log: a.serveLog()})
		}
		opt.Worker = w
	}
	engine, err = pipeline.Open(ctx, model, opt)
	return engine, times, err
}

// environment is getenv with the run folder that a flag names.
func (f *serveFlags) environment(getenv func(string) string) func(string) string {
	return func(name string) string {
		if name == rundir.EnvDir && f.report != "" {
			return f.report
		}
		return getenv(name)
	}
}

// serveHTTP answers requests until ctx ends, then lets those under way finish for a
// while.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := srv.Shutdown(end); err != nil {
		return errors.Join(err, srv.Close())
	}
	return nil
}
