package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"reel/internal/display"
	"reel/internal/webui"
)

// viewFlags are those of reel view.
type viewFlags struct {
	summaryFlags
	addr, compare, tokenFile string
	open, still              bool
}

func (a *app) viewCmd() *cobra.Command {
	var f viewFlags
	c := &cobra.Command{
		Use:     "view [PATH...]",
		Short:   "the page: look at a run in the browser",
		GroupID: "read",
		Long: `Serves one page that shows a run: where the time of each request went, what is
wrong and where, a timeline of everything, tables, a flame graph, and another run
beside it. It needs no network and listens on this machine alone.

PATH is a trace, or a folder of traces; several files are the ranks of one job.
Without PATH the latest run under artifacts/profiles is meant. A run that is still
being recorded is followed. Ctrl-C ends it.

An --addr that others can reach wants a token; one is made when none is given, and
stands in the address that is printed.`,
		Example: `  reel view
  reel view trace.json.gz --open
  reel view rank*.json.gz
  reel view artifacts/profiles/run-8 --compare artifacts/profiles/run-7`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			a.ownsSignals.Store(true)
			return a.view(c.Context(), args, &f)
		}),
	}
	f.summaryFlags.add(c)
	s := c.Flags()
	s.StringVar(&f.addr, "addr", "127.0.0.1:0", "where to listen: `HOST:PORT`; port 0 is any that is free")
	s.StringVar(&f.compare, "compare", "", "a second run to show beside the first: `PATH`")
	s.StringVar(&f.tokenFile, "token-file", "", "a `FILE` with the token that a browser elsewhere must bring (default $"+tokenVariable+", else a new one)")
	s.BoolVar(&f.open, "open", false, "open the browser")
	s.BoolVar(&f.still, "no-follow", false, "do not look whether the run grows")
	return c
}

// view reads the run and serves it until it is interrupted.
func (a *app) view(ctx context.Context, args []string, f *viewFlags) error {
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return misusef("--addr %q: want HOST:PORT", f.addr)
	}
	var opt webui.Options
	if !webui.Local(host) {
		if opt.Token, err = a.token(f.tokenFile); err != nil {
			return err
		}
		if opt.Token == "" {
			opt.Token = rand.Text()
		}
	}
	w := &watcher{a: a, f: f, args: args}
	run, err := w.read(ctx)
	if err != nil {
		return err
	}
	if f.compare != "" {
		other := &watcher{a: a, f: f, args: []string{f.compare}}
		if opt.Other, err = other.read(ctx); err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
	}
	if !f.still {
		opt.Reload = w.again
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	return a.serveView(ctx, l, webui.New(run, opt), opt.Token, f.open)
}

// viewRun shows a run that was just made. What ended its making does not end this.
func (a *app) viewRun(dir string) error {
	ctx, stop := interruptible()
	defer stop()
	a.ownsSignals.Store(true)
	return a.view(ctx, []string{dir}, &viewFlags{addr: "127.0.0.1:0", open: true, still: true})
}

// serveView serves until the context ends.
func (a *app) serveView(ctx context.Context, l net.Listener, page *webui.Server, token string, open bool) error {
	address := url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
	if token != "" {
		address.RawQuery = url.Values{"token": {token}}.Encode()
	}
	fmt.Fprintf(a.Out, "%s\n", address.String())
	if open {
		openBrowser(address.String())
	}
	srv := &http.Server{Handler: page.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	go page.Follow(ctx, func(err error) { a.warn("look at the run again: %s", display.Clean(err.Error())) })
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() }) // pages that follow would never end
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

// title is what a run is called: its folder, or its files.
func title(args []string, files []input) string {
	if len(args) == 1 {
		if abs, err := filepath.Abs(args[0]); err == nil {
			return filepath.Base(abs)
		}
	}
	switch len(files) {
	case 0:
		return "no run"
	case 1:
		return files[0].name()
	}
	return fmt.Sprintf("%s and %d more", files[0].name(), len(files)-1)
}

// folderOf is the run folder that the arguments mean, "" when they are files.
func folderOf(args []string, files []input) string {
	if len(args) == 1 {
		if st, err := os.Stat(args[0]); err == nil && st.IsDir() {
			return args[0]
		}
	}
	if len(args) == 0 && len(files) > 0 {
		return filepath.Dir(files[0].path)
	}
	return ""
}
