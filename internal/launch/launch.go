// Package launch runs a command under a profiler: Reel's own recording, Nsight
// Systems, or none. It makes the run folder that all processes of the command
// share, starts the command, passes signals on, ends it when its time is over,
// waits for what is left of its tree, and notes in run.json what was asked for and
// what was seen.
//
// It reads recordings only to count what is in them; it analyses nothing and
// prints no report. One run at a time: on Linux this process becomes the parent of
// all orphans of the command.
package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"reel/internal/rundir"
)

// Options say what to run and how. Argv is required.
type Options struct {
	Argv    []string  // the command
	Env     []string  // its environment, NAME=VALUE; os.Environ() when nil
	Extra   []string  // NAME=VALUE that replace some of it
	Backend Backend   // Own when nil
	Client  Client    // put into the command; nil for none
	Stdin   io.Reader // of the command; nil is none
	Stdout  io.Writer
	Stderr  io.Writer
	Say     func(string) // told what happens while it happens; nil for nobody

	Report   string            // the run folder, or with nsys a report file; "" chooses below Root
	Root     string            // holds run folders; rundir.DefaultRoot when empty
	App      string            // names the run folder; App(Argv) when empty
	Force    bool              // replace the run or report that lies at Report, and the file at Stats
	Window   string            // the parts of requests to record, in the grammar of package window
	Profiler string            // of the profiler_config: "torch", "cuda" or ""
	Config   []byte            // the profiler_config as JSON; nil for none
	Stats    string            // where the command writes statistics per step
	Trace    []string          // the sources asked for; Sources() when nil
	Versions map[string]string // for run.json
	Attach   bool              // let PyTorch be attached to, which costs each process seconds while nobody answers it

	Timeout time.Duration // of the whole run; 0 is none
	Grace   time.Duration // between SIGINT, SIGTERM and SIGKILL; the back end's when 0
	Linger  time.Duration // for processes that outlive the command; 10 s when 0

	// Derive makes files of what was recorded, in the run folder, when the command has
	// ended; its error is a warning. Nil for nothing.
	Derive func(context.Context, *rundir.Folder) error

	after func(time.Duration) <-chan time.Time // time.After, but for tests
}

// Sources lists what FlashDreams' launcher records unless told otherwise, by
// nsys's names.
func Sources() []string { return []string{"cuda", "nvtx", "osrt", "vulkan"} }

const defaultLinger = 10 * time.Second

// Process is a process of the run that left a recording.
type Process struct {
	Rank    int // 0 when it does not say
	PID     int
	Host    string
	Files   int   // recordings: one, or one for each window
	Events  int64 // in all of them
	Device  int64 // of these, activities of devices
	Dropped int64 // events that the recorder could not keep
	Closed  bool  // it closed its recordings: it was not killed
}

// Result is what a run left.
type Result struct {
	Folder    string // absolute
	Code      int    // the command's exit code, 128 + n when signal n ended it
	Signal    string // "SIGKILL"; "" when none ended it
	Started   time.Time
	Ended     time.Time
	Files     []rundir.Artifact
	Processes []Process
	Lost      []string // processes that did not close their recording, in words
	Missing   []string // sources that were asked for and not recorded
	Nothing   []string // why nothing was recorded, and what to do; empty when something was
	Placed    []string // reports under the name that was asked for
	Warnings  []string // also said as they came
	Interrupt bool     // the user ended the run
}

// run is one run under way.
type run struct {
	opt     Options
	backend Backend
	folder  *rundir.Folder
	info    rundir.Info
	launch  rundir.Launch
	result  Result

	replaced []replaced // until the command has started

	child   child
	ordered bool // the command was told to end, by a timeout or a signal
	deaths  []death
}

func (r *run) say(format string, args ...any) {
	if r.opt.Say != nil {
		r.opt.Say(fmt.Sprintf(format, args...))
	}
}

// warn says something that belongs into run.json as well.
func (r *run) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.result.Warnings = append(r.result.Warnings, text)
	r.say("%s", text)
}

// Run runs the command to its end. ctx ends what comes before the command, no more:
// once that runs, signals to this process are its, and later ones end what follows it.
// Errors mean that it did not start: *NotFound and *Misuse, with nothing created, or a
// fault of the file system. What went wrong later is in the result.
func Run(ctx context.Context, opt Options) (*Result, error) {
	r := &run{opt: opt, backend: opt.Backend}
	r.fill()
	env := newEnviron(r.opt.Env)
	for _, kv := range r.opt.Extra {
		text, err := ParseEnv(kv)
		if err != nil {
			return nil, misusef("--env: %v", err)
		}
		env = newEnviron(append(env.list(), text))
	}
	path, err := r.check(ctx, env)
	if err != nil {
		return nil, err
	}
	if err := r.makeFolder(env); err != nil {
		return nil, r.abandon(err)
	}
	defer r.folder.Close()
	cleanup, err := r.start(path, env)
	if err != nil {
		return nil, r.abandon(err)
	}
	r.wait()
	r.linger()
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), endings()...) // those that ended the command end no more than that
	defer stop()
	r.child.release()
	if err := cleanup(); err != nil {
		r.warn("clean up: %v", err)
	}
	r.backend.Collect(ctx, r)
	r.derive(ctx)
	r.result.Interrupt = r.result.Interrupt || ctx.Err() != nil
	r.gather()
	r.verdict(env)
	return &r.result, r.note()
}

// derive makes what is made of recordings and traces.
func (r *run) derive(ctx context.Context) {
	if r.opt.Derive == nil {
		return
	}
	if err := r.opt.Derive(ctx, r.folder); err != nil {
		r.warn("not everything was made of what was recorded: %v", err)
	}
}

func (r *run) fill() {
	if r.backend == nil {
		r.backend = Own{}
	}
	if r.opt.Env == nil {
		r.opt.Env = os.Environ()
	}
	if r.opt.Root == "" {
		r.opt.Root = rundir.DefaultRoot
	}
	if r.opt.App == "" {
		r.opt.App = App(r.opt.Argv)
	}
	if r.opt.Trace == nil {
		r.opt.Trace = Sources()
	}
	if r.backend.Name() == "plain" { // which asks for none
		r.opt.Stats = ""
	}
	if r.opt.Grace <= 0 {
		r.opt.Grace = r.backend.Grace()
	}
	if r.opt.Linger <= 0 {
		r.opt.Linger = defaultLinger
	}
	if r.opt.after == nil {
		r.opt.after = time.After
	}
}

// check refuses what cannot work before anything is made.
func (r *run) check(ctx context.Context, env *environ) (path string, err error) {
	if len(r.opt.Argv) == 0 {
		return "", misusef("name the command to run: reel profile -- CMD [ARGS...]")
	}
	if path, err = findCommand(r.opt.Argv[0], env); err != nil {
		return "", err
	}
	if err := r.checkStats(); err != nil {
		return "", err
	}
	if err := r.backend.Check(ctx, r, env); err != nil {
		return "", err
	}
	if r.opt.Profiler == "torch" && outerNsys(env) {
		r.warn("this runs within nsys already, and a torch trace is asked for: both need CUPTI, so one of them will hold no device events; run them apart")
	}
	return path, nil
}

// abandon takes back what was made for a command that did not start.
func (r *run) abandon(err error) error {
	var fault error
	if r.folder != nil {
		fault = r.folder.Abandon()
	}
	if fault = errors.Join(fault, r.restoreReplaced()); fault != nil {
		return fmt.Errorf("%w (and %w)", err, fault)
	}
	return err
}
