package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"reel/artifacts"
	"reel/control"
	"reel/internal/launch"
	"reel/internal/rundir"
	"reel/python"
)

// pythonFlags are those of reel profile that mean Python programs.
type pythonFlags struct {
	auto, list, torch bool
}

func (f *pythonFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.BoolVar(&f.auto, "auto", true, "hook the libraries that a Python program imports,\nDiffusers above all; --auto=false leaves them alone")
	s.BoolVar(&f.torch, "torch", false, "run torch.profiler over --window, or over each\nrequest, a trace for each window and rank")
	s.BoolVar(&f.list, "list-hooks", false, "list what is hooked, REEL_RULES included, and end")
}

// options brings the Python client to the command.
func (f *pythonFlags) options(opt *launch.Options, plain bool) error {
	if plain {
		if f.torch {
			return misusef("--torch and --plain contradict each other")
		}
		return nil
	}
	client := launch.PythonClient{Files: python.Client()}
	if f.auto {
		client.Env = append(client.Env, "REEL_AUTO=1")
	}
	opt.Client = client
	cfg, err := f.config(opt)
	if err == nil && cfg.Profiler == control.Torch {
		opt.Derive = func(ctx context.Context, folder *rundir.Folder) error { return artifacts.Traces(ctx, folder, cfg) }
	}
	return err
}

// config is the configuration of torch windows: the one that was given, or that of
// --torch alone.
func (f *pythonFlags) config(opt *launch.Options) (cfg control.Config, err error) {
	if len(opt.Config) > 0 {
		if cfg, err = control.Parse(opt.Config); err != nil {
			return cfg, err
		}
	}
	if !f.torch {
		return cfg, nil
	}
	switch {
	case opt.Backend != nil && opt.Backend.Name() == "nsys":
		return cfg, misusef("--nsys and --torch both need CUPTI, and a process has one user of it: run them apart")
	case cfg.Profiler != "" && cfg.Profiler != control.Torch:
		return cfg, misusef("--torch and a profiler_config with profiler: %s contradict each other", cfg.Profiler)
	}
	cfg.Profiler, opt.Profiler = control.Torch, string(control.Torch)
	opt.Extra = append(slices.Clone(opt.Extra), "REEL_TORCH=1")
	return cfg, nil
}

// listHooks asks the client what it hooks, with the Python that args name or that is
// on the path.
func (a *app) listHooks(ctx context.Context, args []string) error {
	name := "python3"
	if len(args) > 0 {
		name = args[0]
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("--list-hooks asks the client, which needs Python: %w", err)
	}
	env, _, cleanup, err := launch.PythonClient{Files: python.Client()}.Prepare(nil, nil)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, path, "-c", "from reel import _hooks\nprint(*_hooks.listing(), sep='\\n')")
	c.Env = slices.Concat(os.Environ(), env, []string{"REEL_RECORD=0"})
	c.Stdout, c.Stderr = a.Out, a.Err
	if err = c.Run(); err != nil {
		err = fmt.Errorf("--list-hooks: %s: %w", filepath.Base(path), err)
	}
	if bad := cleanup(); err == nil {
		err = bad
	}
	return err
}
