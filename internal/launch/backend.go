package launch

import (
	"context"
	"time"

	"reel/internal/rundir"
	"reel/rec"
)

// Backend is one way to profile a command.
type Backend interface {
	// Name is the back end's word in run.json.
	Name() string
	// Grace is how long the command may take to end after a signal.
	Grace() time.Duration
	// Check refuses, before anything is made, what cannot work.
	Check(ctx context.Context, r *run, env *environ) error
	// Command completes the environment and returns what to start: first the path
	// of a program, then its arguments.
	Command(r *run, path string, env *environ) ([]string, error)
	// Collect brings what the run left into the run folder.
	Collect(ctx context.Context, r *run)
}

// Own is Reel's own recording: every producer of the command's tree writes into
// the run folder.
type Own struct{}

// Name is "own".
func (Own) Name() string { return "own" }

// Grace is the default, 10 s.
func (Own) Grace() time.Duration { return 10 * time.Second }

// Check names what will keep the recording small or empty.
func (Own) Check(_ context.Context, r *run, env *environ) error {
	r.nameInjections(env)
	if flags := isolation(r.opt.Argv, env); flags != "" && r.opt.Client != nil {
		r.warn("python %s: %s, so Reel's Python client does not start by itself; leave the flags out", flags, isolationMeans(flags))
	}
	if v := env.get(rec.EnvRecord); v != "" && v != "1" {
		r.warn("%s=%s is set: recordings go there, not into the run folder", rec.EnvRecord, rundir.HideValue(v))
	}
	return nil
}

// Command sets the variables of Reel's producers. What the user has set stays,
// but for the run folder and what flags say.
func (Own) Command(r *run, path string, env *environ) ([]string, error) {
	r.common(env)
	env.fill(rec.EnvRecord, "1")
	if r.opt.Window != "" {
		env.set(rec.EnvWindow, r.opt.Window)
	}
	if r.opt.Attach {
		env.fill(EnvKineto, "1")
	}
	return append([]string{path}, r.opt.Argv[1:]...), nil
}

// Collect has nothing to bring: producers write in place.
func (Own) Collect(context.Context, *run) {}

// Plain runs the command with the environment of --env and times it, no more.
type Plain struct{}

// Name is "plain".
func (Plain) Name() string { return "plain" }

// Grace is the default, 10 s.
func (Plain) Grace() time.Duration { return 10 * time.Second }

// Check has nothing to refuse.
func (Plain) Check(_ context.Context, r *run, env *environ) error {
	if r.opt.Window != "" {
		return misusef("--plain records nothing; leave out --window, or --plain")
	}
	r.nameInjections(env)
	return nil
}

// Command runs the command as it is.
func (Plain) Command(r *run, path string, _ *environ) ([]string, error) {
	return append([]string{path}, r.opt.Argv[1:]...), nil
}

// Collect has nothing to bring.
func (Plain) Collect(context.Context, *run) {}
