// Package cli is the command line of reel: the verbs, their flags, exit codes
// and messages. It computes nothing itself: it opens files (formats), asks
// analyses (analyze) and prints what they say (internal/report, render).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"reel/internal/launch"
)

// IO is where a run of the program reads and writes.
type IO struct {
	Out, Err io.Writer
	Getenv   func(string) string
}

// Std is the process's own.
var Std = IO{Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitMisuse      = 2
	exitGate        = 3 // doctor --fail-on, diff: a gate did not hold
	exitInterrupted = 130
)

// grace is how long an interrupted verb may take to clean up.
const grace = 200 * time.Millisecond

// Run runs reel with the arguments behind its name and returns its exit code.
func Run(ctx context.Context, args []string, std IO) int {
	if std.Getenv("GOGC") == "" && std.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	a := &app{IO: std}
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean those of the process
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		stop() // a second Ctrl-C ends the program by itself
		if a.ownsSignals.Load() {
			err = <-done
			break
		}
		select {
		case err = <-done:
		case <-time.After(grace):
			err = ctx.Err()
		}
	}
	return a.exit(ctx, err)
}

// interruptible is a context that the signals of endings end, for work of a verb
// that owns signals.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), endings()...)
}

// endings are the signals that end the program. It then removes what it has not
// finished; a second one ends it at once. A program under nohup goes on.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// exit tells what went wrong and returns the exit code.
func (a *app) exit(ctx context.Context, err error) int {
	name := strings.TrimSpace("reel " + a.verb)
	misused := new(misuse)
	missing := new(launch.NotFound)
	code := childCode(0)
	switch {
	case errors.As(err, &code):
		return int(code)
	case err == nil:
		return exitOK
	case errors.As(err, &missing):
		fmt.Fprintf(a.Err, "%s: %v\n", name, err)
		return exitNotFound
	case ctx.Err() != nil:
		fmt.Fprintf(a.Err, "%s: interrupted\n", name)
		return exitInterrupted
	case errors.Is(err, errGate):
		return exitGate
	case errors.Is(err, errSaid):
		return exitFailed
	case errors.As(err, &misused):
		fmt.Fprintf(a.Err, "%s: %v\n", name, err)
		fmt.Fprintf(a.Err, "'%s --help' shows what it takes\n", name)
		return exitMisuse
	}
	fmt.Fprintf(a.Err, "%s: %v\n", name, err)
	return exitFailed
}

// errSaid is returned by verbs that have told already what failed.
var errSaid = errors.New("said already")

// errGate is returned when a gate did not hold.
var errGate = errors.New("a gate did not hold")

// misuse is an error of whoever typed the command.
type misuse struct{ err error }

func (m *misuse) Error() string { return m.err.Error() }
func (m *misuse) Unwrap() error { return m.err }

func misusef(format string, args ...any) error { return &misuse{fmt.Errorf(format, args...)} }

// gcPercent trades collections for memory: the timeline is columns without
// pointers, which cost the collector nothing, and on virtual machines the first
// touch of a page costs more than a collection.
const gcPercent = 50

// app is one run of the program.
type app struct {
	IO
	verb string // what was asked for, for messages: "summary"
	// ownsSignals is set by a verb that deals with signals itself: it is then waited
	// for however many come.
	ownsSignals atomic.Bool
}

// root builds the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "reel",
		Short: "a profiler for diffusion and video-generation pipelines",
		Long: `Reel opens traces of diffusion and video-generation runs and says where the
time went: stages, denoise steps, operators, with CPU and device time.`,
		Example: `  reel summary trace.json.gz             where did the time go?
  reel ops trace.json.gz --limit 20      which operators took it?
  reel check trace.json.gz               is the file sound?
  reel summary rank*.json.gz --json      eight ranks, for a program`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noVerb,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		a.verb = verbOf(c)
		return &misuse{err}
	})
	root.AddGroup(&cobra.Group{ID: "read", Title: "Look at traces:"}, &cobra.Group{ID: "merge", Title: "Many ranks:"},
		&cobra.Group{ID: "demo", Title: "Make something to profile:"}, &cobra.Group{ID: "session", Title: "Profile a program:"}, &cobra.Group{ID: "more", Title: "More:"})
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	for _, verb := range a.verbs() {
		root.AddCommand(verb())
	}
	return root
}

// verbs are the commands.
func (a *app) verbs() []func() *cobra.Command {
	return []func() *cobra.Command{
		a.summaryCmd, a.viewCmd,
		a.doctorCmd,
		a.diffCmd,
		a.opsCmd,
		a.statsCmd, a.queryCmd,
		a.framesCmd,
		a.startupCmd,
		a.checkCmd,
		a.exportCmd,
		a.summarizeCmd, a.mergeCmd,
		a.profileCmd, a.runsCmd,
		a.demoCmd, a.playCmd, a.serveCmd,
		a.startCmd, a.stopCmd, a.statusCmd,
		a.redactCmd,
		a.attachCmd,
		a.lintCmd,
		a.versionCmd,
	}
}

// verbOf is the command's name without the program's: "completion bash".
func verbOf(c *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
}

// noVerb refuses words that are no verb, naming those that look alike.
func noVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if like := c.SuggestionsFor(args[0]); len(like) > 0 {
		return misusef("no verb %q; did you mean %s?", args[0], strings.Join(like, " or "))
	}
	return misusef("no verb %q; a trace is opened by 'reel summary %s'", args[0], args[0])
}
