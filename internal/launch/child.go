package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"reel/internal/rundir"
)

// child is the command's first process, and what surrounds it.
type child struct {
	cmd     *exec.Cmd
	own     bool     // it leads a process group of its own
	tty     *os.File // of this process; nil for none
	others  map[int]bool
	signals chan os.Signal
	done    chan struct{}
}

// start starts the command; cleanup is for when it has ended.
func (r *run) start(path string, env *environ) (cleanup func() error, err error) {
	nothing := func() error { return nil }
	argv, err := r.backend.Command(r, path, env)
	if err != nil {
		return nothing, err
	}
	list := env.list()
	cleanup = nothing
	if r.opt.Client != nil {
		out, remarks, done, err := r.opt.Client.Prepare(r.opt.Argv, list)
		if err != nil {
			return nothing, err
		}
		for _, text := range remarks {
			r.warn("%s", text)
		}
		if list = out; done != nil {
			cleanup = done
		}
	}
	r.describe(argv, env)
	if err := r.begin(argv, list); err != nil {
		return nothing, errors.Join(err, cleanup())
	}
	r.dropReplaced()
	r.launch.PID, r.launch.Started = r.child.cmd.Process.Pid, r.result.Started
	if err := r.folder.WriteLaunch(r.info, r.launch); err != nil {
		r.warn("%v", err) // the command runs; what it records matters more
	}
	return cleanup, nil
}

// begin starts the process. A terminal's processes stay in one group, so that its
// keys reach the command as they do without Reel and pipelines stay together;
// without a terminal the command has a group of its own, which can be ended whole.
func (r *run) begin(argv, env []string) error {
	c := &exec.Cmd{Path: argv[0], Args: argv, Env: env, Stdin: r.opt.Stdin, Stdout: r.opt.Stdout, Stderr: r.opt.Stderr, WaitDelay: time.Second}
	tty := terminal()
	if tty == nil {
		ownGroup(c)
	}
	others := map[int]bool{}
	for _, p := range descendants(nil) {
		others[p.pid] = true
	}
	r.child = child{cmd: c, own: tty == nil, tty: tty, others: others, signals: make(chan os.Signal, 64), done: make(chan struct{})}
	signal.Notify(r.child.signals, append(forwarded(), childEnded)...)
	adopt(true)
	r.result.Started = time.Now()
	if err := c.Start(); err != nil {
		r.child.release()
		return &NotFound{fmt.Sprintf("%s does not start: %s", argv[0], reason(err))}
	}
	others[c.Process.Pid] = true // for reap: Wait waits for it
	go func() {
		_ = c.Wait() // the state tells how it ended
		close(r.child.done)
	}()
	return nil
}

// release gives up signals and orphans.
func (c *child) release() {
	signal.Stop(c.signals)
	adopt(false)
	if c.tty != nil {
		c.tty.Close()
		c.tty = nil
	}
}

// living lists the processes of the command that live.
func (c *child) living() []proc {
	except := map[int]bool{}
	for pid := range c.others {
		if pid != c.cmd.Process.Pid {
			except[pid] = true
		}
	}
	return descendants(except)
}

// describe fills what run.json says of the command before it starts.
func (r *run) describe(argv []string, env *environ) {
	versions := rundir.Describe(r.opt.App).Versions
	for k, v := range r.opt.Versions {
		versions[k] = v
	}
	r.info = rundir.Info{App: r.opt.App, Command: rundir.HideArgs(r.opt.Argv), Versions: versions, Window: r.opt.Window}
	if len(r.opt.Config) > 0 {
		r.info.Config = redactedConfig(r.opt.Config)
	}
	r.launch = rundir.Launch{Backend: r.backend.Name(), Command: rundir.HideArgs(argv), Asked: r.opt.Trace}
}

func (r *run) relative(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}
