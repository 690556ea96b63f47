package control

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"reel/internal/rundir"
)

// Options are what a Controller needs beside the configuration.
type Options struct {
	App        string // names run folders; the program's name when empty
	Rank       int    // the process's global rank
	World      int    // number of ranks, 0 unknown
	Stage      int    // this process's stage, for start bodies that name stages
	Device     string // the device's name, for run.json
	Window     string // the windows that the program's own gate opens, for run.json
	Collectors []Collector
	Exporters  []Exporter
	Gate       Switch       // of an outer profiler; needed with profiler: cuda
	Sync       func() error // idles the device before a recording closes
	// MaxDuration stops a session by itself; 0 is without end.
	MaxDuration time.Duration
	// Root holds the run folders of sessions without torch_profiler_dir;
	// rundir's artifacts/profiles when empty.
	Root string
	// Dir is the run folder that the parent chose for all ranks, the variable
	// REEL_RUN_DIR when empty. The first session writes into it, later ones into
	// its sub-folders session-2, session-3, …, so that ranks agree.
	Dir string
	// Coverage says at the end of a session what the program's own windows saw of
	// it, as Windows.Coverage does; nil for none.
	Coverage func() []Coverage
	// Log gets what goes wrong where nobody asked; discarded when nil.
	Log *slog.Logger
	// Versions are added to run.json.
	Versions map[string]string
}

// Controller owns the session of a process. Its methods are safe for concurrent
// use.
type Controller struct {
	cfg  Config
	opts Options
	info rundir.Info

	cur atomic.Pointer[session] // takes iterations; nil most of the time

	mu       sync.Mutex
	state    State
	closed   bool
	sessions []*session // newest last
	next     int        // id of the next session
}

// keepSessions is the number of sessions whose artifacts stay listed.
const keepSessions = 32

// New makes the Controller of a process.
func New(cfg Config, opts Options) (*Controller, error) {
	switch {
	case cfg.Profiler == CUDA && opts.Gate == nil:
		return nil, errors.New("profiler: cuda: this program cannot open the range of an outer profiler; give it a cuda.Gate and build it with -tags cuda, or use torch")
	case cfg.Profiler == Torch && len(opts.Collectors) == 0:
		return nil, errors.New("profiler: torch: this program has no collector, so nothing would be recorded")
	case IsURI(cfg.Dir):
		return nil, &Fault{"torch_profiler_dir", show(rundir.HideValue(cfg.Dir)), "sessions are written to local folders only"}
	}
	if g, ok := opts.Gate.(interface{ Ready() error }); ok && cfg.Profiler == CUDA {
		if err := g.Ready(); err != nil {
			return nil, fmt.Errorf("profiler: cuda: %w", err)
		}
	}
	if cfg.Profiler == CUDA {
		opts.Collectors, opts.Exporters = nil, nil
	} else {
		opts.Gate = nil
	}
	opts.Dir = cmp.Or(opts.Dir, os.Getenv(rundir.EnvDir))
	opts.Root = cmp.Or(opts.Root, rundir.DefaultRoot)
	if opts.App == "" {
		opts.App = appName()
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	c := &Controller{cfg: cfg, opts: opts, next: 1, info: rundir.Describe(opts.App)}
	for k, v := range opts.Versions {
		c.info.Versions[k] = v
	}
	c.info.World, c.info.Window = opts.World, opts.Window
	return c, nil
}

// Config returns the configuration.
func (c *Controller) Config() Config { return c.cfg }

// Status returns where the Controller stands.
func (c *Controller) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := c.status(c.state)
	for i := len(c.sessions) - 1; i >= 0; i-- {
		view := c.sessions[i].view()
		if st.Session == nil {
			st.Session = &view
			continue
		}
		st.Earlier = append(st.Earlier, view)
	}
	return st
}

func (c *Controller) status(state State) Status {
	return Status{App: c.opts.App, PID: os.Getpid(), State: state, Profiler: c.cfg.Profiler}
}

// statusOf is the status with one session.
func (c *Controller) statusOf(s Session) Status {
	st := c.status(s.State)
	st.Session = &s
	return st
}

// Open opens an artifact by the id that a Session lists.
func (c *Controller) Open(id string) (*os.File, Artifact, error) {
	number, local, ok := cutID(id)
	if !ok {
		return nil, Artifact{}, os.ErrNotExist
	}
	c.mu.Lock()
	var s *session
	for _, t := range c.sessions {
		if t.id == number && t.finished() {
			s = t
		}
	}
	c.mu.Unlock()
	if s == nil || s.run.Folder == nil {
		return nil, Artifact{}, os.ErrNotExist
	}
	return s.run.Folder.Open(local)
}

// setState moves the Controller while s is its latest session.
func (c *Controller) setState(s *session, to State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.desc.State = to
	if n := len(c.sessions); n > 0 && c.sessions[n-1] == s {
		c.state = to
	}
}

func busy(s State) bool { return s >= Armed && s <= Flushing }

func artifactID(session int, local string) string { return strconv.Itoa(session) + "-" + local }
