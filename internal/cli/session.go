package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reel/control"
	"reel/internal/display"
	"reel/render/text"
	"reel/table"
)

// sessionFlags say which process is meant.
type sessionFlags struct {
	addr, tokenFile string
	pid             int
	json            bool
}

// Where the address and the token stand when no flag says so.
const (
	addrVariable  = "REEL_ADDR"
	tokenVariable = "REEL_TOKEN"
)

func (s *sessionFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&s.addr, "addr", "", "where the process listens: host:port, a URL, or the path of its socket (default $"+addrVariable+")")
	c.Flags().IntVar(&s.pid, "pid", 0, "the process that serves its control by its `PID` ('reel status' lists them)")
	c.Flags().StringVar(&s.tokenFile, "token-file", "", "a `FILE` with the token that the process wants (default $"+tokenVariable+")")
	c.Flags().BoolVar(&s.json, "json", false, "print a JSON document (reel.profile/1)")
}

func (s *sessionFlags) dial(getenv func(string) string) (*control.Client, error) {
	if s.pid != 0 {
		if s.addr != "" {
			return nil, misusef("--addr and --pid each name a process; one is enough")
		}
		return control.DialPID(s.pid)
	}
	addr := cmp.Or(s.addr, getenv(addrVariable))
	if addr == "" {
		return nil, misusef("which process? name it with --addr or --pid, or in %s; %s", addrVariable, running())
	}
	c, err := control.Dial(addr)
	if err != nil {
		return nil, &misuse{err}
	}
	c.Token = getenv(tokenVariable)
	if s.tokenFile != "" {
		b, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return nil, misusef("--token-file: %w", err)
		}
		c.Token = strings.TrimSpace(string(b))
	}
	return c, nil
}

// running says which processes could be meant.
func running() string {
	list, _ := control.Processes() // those that it could look at
	if len(list) == 0 {
		return "none serves its control by its pid"
	}
	var pids []string
	for _, p := range list {
		pids = append(pids, strconv.Itoa(p.PID))
	}
	return "there are --pid " + strings.Join(pids, ", --pid ")
}

// session makes a verb that asks the process once.
func (a *app) session(use, short, long string, flags *sessionFlags, ask func(context.Context, *control.Client) (control.Status, error)) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: long, GroupID: "session", Args: a.noArgs,
		Example: fmt.Sprintf("  reel %s --addr localhost:8000\n  reel %[1]s --pid 4711", use),
		RunE: a.run(func(c *cobra.Command, _ []string) error {
			client, err := flags.dial(a.Getenv)
			if err != nil {
				return err
			}
			st, err := ask(c.Context(), client)
			if err != nil {
				return err
			}
			return a.printSession(st, flags.json)
		}),
	}
	flags.add(c)
	return c
}

func (a *app) startCmd() *cobra.Command {
	var flags sessionFlags
	var o control.StartOptions
	var delay, most int
	var c *cobra.Command
	c = a.session("start", "start the profiler of a running process",
		`Starts a session of the profiler in a running process that serves it: as its
configuration says, or with another delay or length.`, &flags,
		func(ctx context.Context, client *control.Client) (control.Status, error) {
			if c.Flags().Changed("delay") {
				o.Delay = &delay
			}
			if c.Flags().Changed("max") {
				o.Max = &most
			}
			return client.Start(ctx, o)
		})
	c.Flags().StringVar(&o.Prefix, "prefix", "", "how the run folder's name begins")
	c.Flags().IntVar(&delay, "delay", 0, "iterations to let pass first")
	c.Flags().IntVar(&most, "max", 0, "iterations to record before it stops by itself; 0 is no limit")
	return c
}

func (a *app) stopCmd() *cobra.Command {
	var flags sessionFlags
	return a.session("stop", "stop it, and list what it left",
		`Stops the session of a running process and lists the files that it left, each
with the viewer that opens it.`, &flags,
		func(ctx context.Context, client *control.Client) (control.Status, error) { return client.Stop(ctx) })
}

func (a *app) statusCmd() *cobra.Command {
	var flags sessionFlags
	c := a.session("status", "where the profiler of a running process stands",
		`Says what the profiler of a running process does, and what its last session left.
Without a process it lists those of yours that serve their control by their pid.`, &flags,
		func(ctx context.Context, client *control.Client) (control.Status, error) { return client.Status(ctx) })
	one := c.RunE
	c.RunE = a.run(func(c *cobra.Command, args []string) error {
		if flags.addr == "" && flags.pid == 0 && a.Getenv(addrVariable) == "" {
			return a.listProcesses(c.Context(), flags.json)
		}
		return one(c, args)
	})
	return c
}

// printSession tells a state and the files of its session.
func (a *app) printSession(st control.Status, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(control.Reply{Schema: control.ReplySchema, Status: st})
	}
	who := ""
	if st.PID != 0 {
		who = fmt.Sprintf(" · %s, pid %d", display.Clean(st.App), st.PID)
	}
	if _, err := fmt.Fprintf(a.Out, "%s · profiler %s%s\n", st.State, display.Clean(st.Profiler), who); err != nil || st.Session == nil {
		return err
	}
	s := st.Session
	if s.Run != "" {
		fmt.Fprintf(a.Out, "run folder %s · %d iterations of a %s recorded\n", display.Clean(s.Run), s.Recorded, display.Clean(s.Unit))
	}
	for _, list := range [][]string{s.Coverage, s.Warnings, s.Faults} {
		for _, line := range list {
			fmt.Fprintf(a.Out, "  %s\n", display.Clean(line))
		}
	}
	if len(s.Artifacts) == 0 {
		return nil
	}
	t := table.New("artefacts", table.Col{Name: "file"}, table.Col{Name: "size", Unit: table.Bytes}, table.Col{Name: "opens in"})
	for _, f := range s.Artifacts {
		t.Add(f.Path, f.Size, f.Viewer)
	}
	return text.Write(a.Out, t, text.Options{Width: a.layout().Width, Indent: 2})
}
