package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
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
	json            bool
}

// Where the address and the token stand when no flag says so.
const (
	addrVariable  = "REEL_ADDR"
	tokenVariable = "REEL_TOKEN"
)

func (s *sessionFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&s.addr, "addr", "", "where the process listens: host:port, a URL, or the path of its socket (default $"+addrVariable+")")
	c.Flags().StringVar(&s.tokenFile, "token-file", "", "a `FILE` with the token that the process wants (default $"+tokenVariable+")")
	c.Flags().BoolVar(&s.json, "json", false, "print a JSON document (reel.profile/1)")
}

func (s *sessionFlags) dial(getenv func(string) string) (*control.Client, error) {
	addr := cmp.Or(s.addr, getenv(addrVariable))
	if addr == "" {
		return nil, misusef("which process? name it with --addr, or in %s", addrVariable)
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

// session makes a verb that asks the process once.
func (a *app) session(use, short, long string, flags *sessionFlags, ask func(context.Context, *control.Client) (control.Status, error)) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: long, GroupID: "session", Args: a.noArgs,
		Example: fmt.Sprintf("  reel %s --addr localhost:8000\n  reel %[1]s --addr unix:/run/user/1000/app.sock", use),
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
	return a.session("status", "where the profiler of a running process stands",
		"Says what the profiler of a running process does, and what its last session left.", &flags,
		func(ctx context.Context, client *control.Client) (control.Status, error) { return client.Status(ctx) })
}

// printSession tells a state and the files of its session.
func (a *app) printSession(st control.Status, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(control.Reply{Schema: control.ReplySchema, Status: st})
	}
	if _, err := fmt.Fprintf(a.Out, "%s · profiler %s\n", st.State, display.Clean(st.Profiler)); err != nil || st.Session == nil {
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
