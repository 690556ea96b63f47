package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reel/control"
	"reel/internal/display"
	"reel/internal/launch"
	"reel/internal/rundir"
	"reel/internal/yaml"
	"reel/window"
)

// profileFlags are those of reel profile.
type profileFlags struct {
	report, trace, timeout, window, stats, config, name string
	grace                                               time.Duration
	env, nsysArgs                                       []string
	nsys                                                string
	plain, force, noSummary, attach                     bool
	repeat                                              int
	python                                              pythonFlags
}

const exitNotFound = 127

// childCode is the exit code of the command that was run; its own words stand on
// the screen already.
type childCode int

func (c childCode) Error() string { return fmt.Sprintf("the command ended with %d", int(c)) }

func (a *app) profileCmd() *cobra.Command {
	var f profileFlags
	c := &cobra.Command{
		Use:     "profile [flags] -- CMD [ARGS...]",
		Short:   "run any command under the profiler",
		GroupID: "session",
		Long: `Runs a command and leaves a run folder with what it and all of its processes
recorded, then says where the time went. Everything behind the first "--" is the
command's own, a second "--" included. What Reel says goes to standard error: the
command's output stays as it is, and the exit code is the command's.

Without --nsys, programs that use Reel's recorder or its Python client record
themselves. With --nsys the command runs under Nsight Systems, which must be
installed; its reports are exported and summed up in the same way.`,
		Example: `  reel profile -- python generate.py --steps 8
  reel profile -- torchrun --nproc-per-node 2 generate.py
  reel profile --window 2-4 -- reel demo
  reel profile --nsys -- flashdreams-run-v2 SLUG --timeout 300 -- --prompt "rain"
  reel profile --nsys --profiler-config cuda.yaml -- vllm serve MODEL`,
		RunE: a.run(func(c *cobra.Command, args []string) error { return a.profile(c.Context(), args, f) }),
	}
	f.add(c)
	f.python.add(c)
	return c
}

func (f *profileFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.SetInterspersed(false) // flags behind the command are the command's
	s.StringVar(&f.report, "report-path", "", "the run folder, or with --nsys a report `FILE`\n(default artifacts/profiles/APP-TIME-PID)")
	s.StringVar(&f.name, "name", "", "the `APP` of the run folder's name")
	s.StringVar(&f.trace, "trace", strings.Join(launch.Sources(), ","), "`SOURCES` of events:")
	s.StringVar(&f.timeout, "timeout", "", "end the run after this `TIME` (300, 5m): SIGINT,\nthen SIGTERM, then SIGKILL")
	s.DurationVar(&f.grace, "grace", 0, "the `TIME` that each of these signals is given\n(default 10s, with --nsys 1m)")
	s.StringVar(&f.window, "window", "", "record these `PARTS` of requests only: all,\npredenoise, postdenoise, decode, or steps such as\n3, 0-4, 0-4,8-9, loop1:0-4, last:0-2")
	s.StringVar(&f.stats, "stats-path", "", "let the command write statistics per step to\nthis `FILE`; its stages then wait for the device")
	s.StringVar(&f.config, "profiler-config", "", "a profiler_config: JSON, or a `FILE` of JSON or\nYAML")
	s.StringArrayVar(&f.env, "env", nil, "set `NAME=VALUE` for the command; may be repeated")
	s.StringVar(&f.nsys, "nsys", "", "run under Nsight Systems, whose `PROGRAM` may be\nnamed: --nsys=/opt/…/nsys")
	s.Lookup("nsys").NoOptDefVal = "nsys"
	s.StringArrayVar(&f.nsysArgs, "nsys-arg", nil, "an `OPTION` for nsys profile in place of Reel's\nchoice: --nsys-arg=--sample=process-tree")
	s.BoolVar(&f.plain, "plain", false, "record nothing: set the environment and time the\ncommand")
	s.BoolVar(&f.attach, "attachable", false, "let 'reel attach' reach PyTorch in the command")
	s.IntVar(&f.repeat, "repeat", 1, "run the command `N` times, a folder each")
	s.BoolVar(&f.noSummary, "no-summary", false, "leave out the summary at the end")
	s.BoolVar(&f.force, "force", false, "replace a run or report that lies at\n--report-path, and a file at --stats-path")
}

// profile is the verb.
func (a *app) profile(ctx context.Context, args []string, f profileFlags) error {
	if f.python.list {
		return a.listHooks(ctx, args)
	}
	opt, err := f.options(a)
	if err != nil {
		return err
	}
	opt.Argv = args
	a.ownsSignals.Store(true) // they are the command's, from here on
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.attach {
		env, stop, err := a.attachable(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		defer stop()
		opt.Extra = append(env, opt.Extra...)
	}
	for i := range f.repeat {
		if f.repeat > 1 {
			a.warn("run %d of %d", i+1, f.repeat)
			if f.report != "" {
				opt.Report = fmt.Sprintf("%s-%d", strings.TrimSuffix(strings.TrimRight(f.report, "/"), ".nsys-rep"), i+1)
			}
			if f.stats != "" {
				stem, suffix := rundir.Split(f.stats)
				opt.Stats = fmt.Sprintf("%s-%d%s", stem, i+1, suffix)
			}
		}
		result, err := launch.Run(ctx, opt)
		if result == nil {
			return launchError(err)
		}
		if err != nil {
			a.warn("%v", err)
		}
		a.tellRun(result, opt, f)
		if result.Code != 0 {
			return childCode(result.Code)
		}
		if result.Interrupt {
			return nil
		}
	}
	return nil
}

// launchError tells misuse and missing programs from other faults.
func launchError(err error) error {
	misused := new(launch.Misuse)
	if errors.As(err, &misused) {
		return &misuse{err}
	}
	return err
}

// options turns flags into what launch takes.
func (f *profileFlags) options(a *app) (opt launch.Options, err error) {
	opt = launch.Options{Extra: f.env, Stdout: a.Out, Stderr: a.Err, Stdin: os.Stdin, Say: func(text string) { a.warn("%s", display.Clean(text)) },
		Report: f.report, App: f.name, Force: f.force, Window: f.window, Stats: f.stats, Grace: f.grace, Attach: f.attach, Versions: map[string]string{"reel": release}}
	if f.repeat < 1 {
		return opt, misusef("--repeat %d: want 1 or more", f.repeat)
	}
	if opt.Timeout, err = parseTimeout(f.timeout); err != nil {
		return opt, err
	}
	if _, err := window.Parse("--window", f.window); err != nil {
		return opt, &misuse{err}
	}
	if opt.Trace, err = parseTrace(f.trace); err != nil {
		return opt, err
	}
	if err := f.readConfig(a, &opt); err != nil {
		return opt, err
	}
	switch {
	case f.nsys != "" && f.plain:
		return opt, misusef("--nsys and --plain contradict each other")
	case f.nsys != "":
		opt.Backend = launch.NewNsys(f.nsys, f.nsysArgs)
	case len(f.nsysArgs) > 0:
		return opt, misusef("--nsys-arg without --nsys")
	case f.plain:
		opt.Backend = launch.Plain{}
	}
	return opt, f.python.options(&opt, f.plain)
}

// readConfig reads the profiler_config; its folder holds the run folders.
func (f *profileFlags) readConfig(a *app, opt *launch.Options) error {
	if f.config == "" {
		return nil
	}
	cfg, err := control.Load(f.config, yaml.Decode)
	if err != nil {
		return misusef("--profiler-config: %w", err)
	}
	for _, text := range cfg.Warnings() {
		a.warn("--profiler-config: %s", text)
	}
	if opt.Config, err = json.Marshal(cfg); err != nil {
		return err
	}
	opt.Profiler = cfg.Profiler
	switch {
	case control.IsURI(cfg.Dir):
		a.warn("torch_profiler_dir is no local folder; the run folder lies under %s", runsFolder)
	case cfg.Dir != "":
		opt.Root = cfg.Dir
	}
	return nil
}

// parseTimeout reads seconds or a duration; "unbound" is none.
func parseTimeout(text string) (time.Duration, error) {
	if text == "" || text == "unbound" {
		return 0, nil
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 1e-3 && s < 1e9 {
		return time.Duration(s * float64(time.Second)), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, misusef("--timeout %q: want seconds or a time such as 300, 90s, 5m, or unbound", text)
}

// parseTrace reads a list of sources, which nsys knows more of than Reel.
func parseTrace(text string) ([]string, error) {
	list := strings.Split(text, ",")
	for i, s := range list {
		if list[i] = strings.TrimSpace(s); list[i] == "" || strings.HasPrefix(list[i], "-") {
			return nil, misusef("--trace %q: want names with commas between them, such as %s", text, strings.Join(launch.Sources(), ","))
		}
	}
	return slices.Compact(list), nil
}
