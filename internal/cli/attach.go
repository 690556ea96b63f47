package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/internal/attach"
	"reel/internal/display"
	"reel/internal/report"
	"reel/internal/rundir"
)

// attachFlags are those of reel attach.
type attachFlags struct {
	pids                                              []int
	duration, warmup, wait                            time.Duration
	all, sync, shapes, stacks, flops, modules, memory bool
	report                                            string
	list, json                                        bool
}

func (a *app) attachCmd() *cobra.Command {
	var f attachFlags
	c := &cobra.Command{
		Use:     "attach --pid PID",
		Short:   "capture from a running PyTorch process",
		GroupID: "session",
		Long: `Has PyTorch processes that are running record for a while, without a restart, and
collects their traces into a run folder. The processes must have been started by
'reel profile --attachable', or with KINETO_USE_DAEMON=1 in their environment, and
have imported torch 2.3 or later; Linux only. --pid means a process and its
descendants; --sync has all begin at the same time.

A process hears of a capture when it asks next: within a second or two behind reel
profile, within six otherwise. Where dynolog runs on the machine, it has the socket,
and this verb says so.`,
		Example: `  reel attach --pid 4711 --duration 2s
  reel attach --pid 4711 --stacks --shapes -o capture
  reel attach --all --sync --duration 500ms
  reel attach --list`,
		Args: a.noArgs,
		RunE: a.run(func(c *cobra.Command, _ []string) error { return a.attach(c.Context(), f) }),
	}
	s := c.Flags()
	s.IntSliceVar(&f.pids, "pid", nil, "the process, by its `PID`; may be repeated")
	s.BoolVar(&f.all, "all", false, "all processes that ask on this machine's socket")
	s.DurationVar(&f.duration, "duration", 500*time.Millisecond, "how long to record")
	s.DurationVar(&f.warmup, "warmup", 0, "how long to let the profiler warm up first, in whole seconds")
	s.DurationVar(&f.wait, "wait", 12*time.Second, "how long to wait for a process to ask")
	s.BoolVar(&f.sync, "sync", false, "have all processes begin at the same time, some seconds from now")
	s.BoolVar(&f.shapes, "shapes", false, "record shapes of operators' inputs")
	s.BoolVar(&f.stacks, "stacks", false, "record Python stacks")
	s.BoolVar(&f.flops, "flops", false, "record floating-point operations")
	s.BoolVar(&f.modules, "modules", false, "record modules")
	s.BoolVar(&f.memory, "memory", false, "record allocations")
	s.StringVarP(&f.report, "report-path", "o", "", "the run `FOLDER` (default artifacts/profiles/attach-TIME-PID)")
	s.BoolVar(&f.list, "list", false, "list the processes that can be captured")
	s.BoolVar(&f.json, "json", false, "print what each process answered as one JSON document, reel.attach/1")
	return c
}

func (a *app) attach(ctx context.Context, f attachFlags) error {
	if len(f.pids) == 0 && !f.all && !f.list {
		return misusef("which process? name it with --pid, or say --all; --list shows them")
	}
	if f.duration <= 0 || f.duration > time.Hour || f.warmup < 0 || f.wait <= 0 {
		return misusef("--duration, --warmup or --wait is out of range")
	}
	t, err := a.reach(ctx, f)
	if err != nil {
		return err
	}
	defer t.close()
	if f.list {
		return a.listAttachable(ctx, t, f)
	}
	q := attach.Request{PIDs: f.pids, Dir: t.dir, Wait: f.wait, Sync: f.sync, Progress: func(format string, args ...any) { a.warn(format, args...) },
		Profile: attach.Profile{Duration: f.duration, Warmup: f.warmup, Shapes: f.shapes, Stacks: f.stacks, FLOPs: f.flops, Modules: f.modules, Memory: f.memory}}
	answers, err := t.capture(ctx, q)
	if err != nil {
		return err
	}
	return a.collect(ctx, f, answers)
}

// reached is a daemon: one within another program, or this process's own.
type reached struct {
	dir     string // where processes write
	capture func(context.Context, attach.Request) ([]attach.Answer, error)
	list    func(context.Context) ([]attach.Process, error)
	close   func()
}

// reach finds the daemon that the processes ask, or becomes it.
func (a *app) reach(ctx context.Context, f attachFlags) (*reached, error) {
	sockets, traces := "", ""
	for _, pid := range f.pids {
		env, err := attach.Environ(pid)
		if os.IsNotExist(err) {
			return nil, fmt.Errorf("there is no process %d", pid)
		}
		if err != nil {
			continue // another user's: it may ask all the same
		}
		sockets, traces = env[attach.EnvDir], env[attach.EnvTraces]
		if _, set := env[attach.EnvUse]; !set {
			a.warn("process %d was started without %s: it will not ask, though a process that it started may", pid, attach.EnvUse)
		}
	}
	if r, ok := attach.Control(sockets); sockets != "" && ok {
		return &reached{dir: traces, capture: r.Capture, list: r.Processes, close: func() {}}, nil
	}
	d, err := attach.Listen(sockets)
	if err != nil {
		return nil, err
	}
	serve, stop := context.WithCancel(ctx)
	go func() { _ = d.Serve(serve) }() // it ends with the daemon
	t := &reached{dir: traces, capture: d.Capture, list: func(ctx context.Context) ([]attach.Process, error) {
		select { // let them ask
		case <-time.After(min(f.wait, 6*time.Second)):
		case <-ctx.Done():
		}
		return d.Processes(), ctx.Err()
	}}
	own := ""
	if traces == "" {
		if own, err = os.MkdirTemp("/tmp", "reel-attach-"); err != nil {
			stop()
			return nil, err
		}
		t.dir = own
	}
	t.close = func() {
		stop()
		_ = d.Close()
		if own != "" {
			_ = os.RemoveAll(own)
		}
	}
	return t, nil
}

func (a *app) listAttachable(ctx context.Context, t *reached, f attachFlags) error {
	list, err := t.list(ctx)
	if err != nil {
		return err
	}
	if f.json {
		return json.NewEncoder(a.Out).Encode(map[string]any{"schema": attachSchema, "processes": list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.Out, "no process asked; those behind 'reel profile --attachable' ask it: name one with --pid")
		return err
	}
	for _, p := range list {
		if _, err := fmt.Fprintf(a.Out, "%d%s\n", p.PID, map[bool]string{true: "  being profiled"}[p.Busy]); err != nil {
			return err
		}
	}
	return nil
}

// attachSchema names the form of what reel attach --json prints.
const attachSchema = "reel.attach/1"

// collect moves the traces into a run folder, says what each process answered and
// sums up.
func (a *app) collect(ctx context.Context, f attachFlags, answers []attach.Answer) error {
	folder, err := a.attachFolder(f.report)
	if err != nil {
		return err
	}
	var got int
	for i := range answers {
		x := &answers[i]
		if x.Error == "" {
			if x.File, err = keepTrace(folder, x.File, x.PID); err != nil {
				x.Error, x.File = err.Error(), ""
			} else {
				got++
			}
		}
		if x.Error != "" {
			a.warn("process %d: %s", x.PID, display.Clean(x.Error))
		}
	}
	dir := relative(folder.Path())
	if err := folder.Write(rundir.Describe("attach"), rundir.Rank{PID: os.Getpid(), State: "done", Started: time.Now(), Files: folder.Artifacts()}); err != nil {
		return err
	}
	if err := folder.Close(); err != nil {
		return err
	}
	if f.json {
		if err := json.NewEncoder(a.Out).Encode(map[string]any{"schema": attachSchema, "run": folder.Path(), "answers": answers}); err != nil {
			return err
		}
	}
	if got == 0 {
		return fmt.Errorf("none of %d processes left a trace", len(answers))
	}
	if f.json {
		return nil
	}
	fmt.Fprintf(a.Err, "%d of %d processes captured: %s\n", got, len(answers), display.Clean(dir))
	p, err := a.partials(ctx, []string{dir}, summaryFlags{})
	if err != nil {
		return err
	}
	return report.Summary(a.Out, analyze.Finalize(p), a.layout())
}

func (a *app) attachFolder(path string) (*rundir.Folder, error) {
	if path == "" {
		return rundir.Create(rundir.DefaultRoot, rundir.Name("attach", time.Now(), os.Getpid()))
	}
	if entries, err := os.ReadDir(path); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("--report-path %s: the folder is not empty", path)
	}
	return rundir.Join(path)
}

// keepTrace moves a process's trace into the run folder.
func keepTrace(folder *rundir.Folder, path string, pid int) (string, error) {
	name := fmt.Sprintf("trace-%d.json", pid)
	to := filepath.Join(folder.Path(), name)
	if err := os.Rename(path, to); err == nil {
		return name, folder.Register(name, rundir.Trace, rundir.Source)
	}
	in, err := os.Open(path) // on another file system
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := folder.Create(name, rundir.Trace, rundir.Source)
	if err != nil {
		return "", err
	}
	defer out.Discard()
	if _, err := io.Copy(out, in); err != nil {
		return "", err
	}
	if name, err = out.Commit(); err == nil {
		_ = os.Remove(path)
	}
	return name, err
}

// attachable runs the daemon that a launched command's processes ask, and returns what
// their environment needs.
func (a *app) attachable(ctx context.Context) (env []string, stop func(), err error) {
	f, err := attach.NewFolder()
	if err != nil {
		return nil, nil, err
	}
	d, err := attach.Listen(f.Dir)
	if err != nil {
		_ = f.Remove()
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() { _ = d.Serve(ctx) }() // both end with the command
	go func() { _ = d.ServeControl(ctx, f) }()
	a.warn("'reel attach --pid PID' reaches PyTorch in this command (sockets in %s)", f.Dir)
	return f.Env(), func() {
		cancel()
		_ = d.Close()
		_ = f.Remove()
	}, nil
}
