package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"reel/rec"
)

// Nsys runs the command under Nsight Systems' "nsys profile".
type Nsys struct {
	Program string   // nsys, or its path; "nsys" when empty
	Args    []string // options that replace Reel's choice, or are added to it

	path    string
	version version
	known   func(option string) bool // whether this nsys takes an option
}

// NewNsys makes the back end.
func NewNsys(program string, args []string) *Nsys {
	if program == "" {
		program = "nsys"
	}
	return &Nsys{Program: program, Args: args}
}

// Name is "nsys".
func (n *Nsys) Name() string { return "nsys" }

// Grace is 60 s: nsys writes its report after the signal that ends the command.
func (n *Nsys) Grace() time.Duration { return time.Minute }

func (n *Nsys) reportFile() {} // --report-path may name a report

// Check finds nsys and asks it what it takes.
func (n *Nsys) Check(ctx context.Context, r *run, env *environ) (err error) {
	if r.opt.Profiler == "torch" {
		return misusef("--nsys and a torch trace (profiler: torch) both need CUPTI, and one process has one user of it; take --nsys with profiler: cuda, or a torch trace without --nsys")
	}
	if n.overrides(output) {
		return misusef("--nsys-arg with %s: the report lies in the run folder; --report-path FILE gives it a name of yours as well", output.name)
	}
	if n.path, err = lookPath(n.Program, env); err != nil {
		return noNsys(n.Program)
	}
	if outerNsys(env) {
		r.warn("this runs within nsys already; two of them want CUPTI, and the inner one will hold no device events")
	}
	r.nameInjections(env)
	if err := n.ask(ctx, env); err != nil {
		return err
	}
	for _, o := range n.options(r) {
		if o.must && !n.known(o.name) {
			return fmt.Errorf("nsys %v has no %s, which %s needs; a newer Nsight Systems has it", n.version, o.name, o.why)
		}
	}
	if isReportFile(r.opt.Report) {
		if file := reportPath(r.opt.Report); exists(file) && !r.opt.Force {
			return fmt.Errorf("--report-path %s exists; --force overwrites it", file)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// ask learns nsys's version and options.
func (n *Nsys) ask(ctx context.Context, env *environ) error {
	timed, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	text, err := n.says(timed, env.list(), "--version")
	switch {
	case timed.Err() != nil:
		return fmt.Errorf("%s --version gave no answer: %w", n.path, timed.Err())
	case err != nil:
		return fmt.Errorf("%s --version: %w: %s", n.path, err, firstLine(text))
	}
	n.version = readVersion(text)
	help, err := n.says(timed, env.list(), "profile", "--help")
	if err == nil && strings.Contains(help, "--trace") {
		n.known = func(option string) bool { return namesOption(help, option) }
	} else {
		n.known = n.version.has
	}
	return ctx.Err()
}

// says runs nsys by itself and returns what it printed. Its process group ends with ctx.
func (n *Nsys) says(ctx context.Context, env []string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, n.path, args...)
	c.Env, c.WaitDelay = env, time.Second
	ownGroup(c)
	c.Cancel = func() error { return kill(-c.Process.Pid, syscall.SIGTERM) }
	text, err := c.CombinedOutput()
	if ctx.Err() != nil && c.Process != nil {
		_ = kill(-c.Process.Pid, syscall.SIGKILL) // what is left of it, if anything
	}
	return string(text), err
}

// Command builds nsys's command line.
func (n *Nsys) Command(r *run, path string, env *environ) ([]string, error) {
	if r.opt.Versions == nil {
		r.opt.Versions = map[string]string{}
	}
	r.opt.Versions["nsys"] = n.version.String()
	r.common(env)
	env.fill(rec.EnvNVTX, "1")
	env.fill(rec.EnvFDNVTX, "1")
	if r.opt.Window != "" { // the variable that drives the gate of an outer profiler, and no recording
		env.set(rec.EnvTRTWindow, r.opt.Window)
	}
	argv := []string{n.path, "profile"}
	var skipped []string
	for _, o := range n.options(r) {
		switch {
		case n.overrides(o):
		case n.known(o.name):
			argv = append(argv, o.name+"="+o.value)
		case o.value != o.normal:
			skipped = append(skipped, o.name)
		}
	}
	if len(skipped) > 0 {
		r.warn("nsys %v does not know %s; left out", n.version, strings.Join(skipped, ", "))
	}
	if slices.Contains(skipped, "--discard-environment") {
		r.warn("so the report holds the command's environment, keys included; 'reel redact' takes it out of an export")
	}
	argv = append(argv, "--output="+n.output(r, env))
	if r.opt.Force && !n.overrides(forceOverwrite) {
		argv = append(argv, "--force-overwrite=true")
	}
	argv = append(argv, n.Args...)
	return append(append(argv, path), r.opt.Argv[1:]...), nil
}

// output is the report's name without suffix: host and pid are filled by nsys,
// the rank here, so that no two reports have one name.
func (n *Nsys) output(r *run, env *environ) string {
	name := "nsys"
	if rank := env.rank(); rank != "" {
		name += "-rank" + rank
	}
	folder := strings.ReplaceAll(r.folder.Path(), "%", "%%") // which nsys would fill too
	return filepath.Join(folder, name+"-%h-%p")
}
