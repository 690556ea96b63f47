package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"reel/control"
	"reel/internal/rundir"
	"reel/lantern/server"
)

// serveLog is where the server logs: stderr, what happens to requests too.
func (a *app) serveLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// worker is a rank's process.
type worker struct {
	rank  *server.Rank
	cmd   *exec.Cmd
	stdin io.Closer // the worker ends when this end of its input is gone
	died  chan struct{}
	cause string
}

// serveRanks runs a worker process for each rank and shares the requests among them.
func (a *app) serveRanks(ctx context.Context, f *serveFlags) error {
	token, err := a.token(f.tokenFile)
	if err != nil {
		return err
	}
	if !loopback(f.host) && token == "" {
		return misusef("--host %s can be reached from elsewhere: give a token with --token-file or %s", f.host, tokenVariable)
	}
	cfg, err := f.profiler()
	if err != nil {
		return err
	}
	l, err := f.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	dir, err := os.MkdirTemp("", "reel-serve-") // 0700, as the sockets want it
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	workers, err := a.spawn(ctx, f, dir, a.ranksFolder(f, cfg))
	defer func() { stopWorkers(workers) }()
	if err != nil {
		return err
	}
	var ranks []*server.Rank
	for _, w := range workers {
		ranks = append(ranks, w.rank)
	}
	fleet := server.NewFleet(ranks, server.FleetOptions{Profiler: cfg.Enabled(), Handler: control.HandlerOptions{Token: token, Bind: l.Addr().String()}, Log: a.serveLog()})
	if cfg.Enabled() {
		defer a.serveByPID(fleet)()
	}
	fmt.Fprintf(a.Err, "serving %s on %d ranks at %s\n", f.name, f.ranks, address(l))
	return serveHTTP(ctx, l, fleet)
}

// ranksFolder is the run folder that all ranks share; whoever writes first makes it.
func (a *app) ranksFolder(f *serveFlags, cfg control.Config) string {
	if dir := cmp.Or(f.report, a.Getenv(rundir.EnvDir)); dir != "" {
		return dir
	}
	root := cfg.Dir
	if root == "" || control.IsURI(root) {
		root = rundir.DefaultRoot
	}
	abs, err := filepath.Abs(filepath.Join(root, rundir.Name("serve", time.Now(), os.Getpid())))
	if err != nil {
		return ""
	}
	return abs
}

// spawn starts the workers and waits until each answers.
func (a *app) spawn(ctx context.Context, f *serveFlags, dir, folder string) ([]*worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all []*worker
	out := &lines{w: a.Err}
	for i := range f.ranks {
		w := &worker{died: make(chan struct{})}
		socket := filepath.Join(dir, fmt.Sprintf("rank-%d.sock", i))
		w.rank = &server.Rank{Rank: i, Socket: socket, Died: w.died, Cause: func() string { return w.cause }}
		w.cmd = exec.Command(exe, f.workerArgs(i, socket)...)
		w.cmd.Env = append(os.Environ(), rundir.EnvDir+"="+folder, "REEL_RANK="+strconv.Itoa(i), "WORLD_SIZE="+strconv.Itoa(f.ranks))
		w.cmd.Stderr, w.cmd.Stdout = out.rank(i), out.rank(i)
		ownGroup(w.cmd) // Ctrl-C is this process's, which then ends them in order
		if w.stdin, err = w.cmd.StdinPipe(); err != nil {
			return all, fmt.Errorf("rank %d: %w", i, err)
		}
		if err := w.cmd.Start(); err != nil {
			return all, fmt.Errorf("rank %d: %w", i, err)
		}
		all = append(all, w)
		go w.watch(a.serveLog())
	}
	for _, w := range all {
		if err := w.ready(ctx); err != nil {
			return all, err
		}
	}
	return all, nil
}

// workerArgs is a worker's command line.
func (f *serveFlags) workerArgs(rank int, socket string) []string {
	args := []string{"serve", "--worker-rank", strconv.Itoa(rank), "--worker-socket", socket, "--worker-world", strconv.Itoa(f.ranks), "--queue", strconv.Itoa(f.queue), "--served-model-name", f.name}
	for _, x := range []struct {
		flag string
		v    string
	}{{"--model", f.model}, {"--profiler-config", f.config}} {
		if x.v != "" {
			args = append(args, x.flag, x.v)
		}
	}
	for _, x := range []struct {
		flag string
		on   bool
	}{{"--stage-times", f.stageTimes}, {"--sync", f.sync}, {"--shapes", f.shapes}, {"--stacks", f.stacks}, {"--memory", f.memory}, {"--flops=false", !f.flops}} {
		if x.on {
			args = append(args, x.flag)
		}
	}
	return args
}

// watch waits for the process to end.
func (w *worker) watch(log *slog.Logger) {
	err := w.cmd.Wait()
	w.cause = "exit code 0"
	if err != nil {
		w.cause = err.Error()
	}
	close(w.died)
	log.Warn("a worker process has ended", "rank", w.rank.Rank, "cause", w.cause)
}

// ready waits until the worker answers.
func (w *worker) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", w.rank.Socket)
	}}}
	defer client.CloseIdleConnections()
	for {
		req, err := http.NewRequestWithContext(ctx, "GET", "http://localhost/health", nil)
		if err != nil {
			return err
		}
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
			return nil
		}
		select {
		case <-w.died:
			return fmt.Errorf("rank %d did not start: %s", w.rank.Rank, w.cause)
		case <-ctx.Done():
			return fmt.Errorf("rank %d does not answer: %w", w.rank.Rank, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stopWorkers ends the workers, which write out a session under way first.
func stopWorkers(all []*worker) {
	for _, w := range all {
		_ = w.cmd.Process.Signal(syscall.SIGTERM) // one that is gone already needs none
	}
	end := time.After(time.Minute)
	for _, w := range all {
		select {
		case <-w.died:
		case <-end:
			_ = w.cmd.Process.Kill()
			<-w.died
		}
	}
}

// lines passes on whole lines of several processes.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

// rank returns the writer of a rank's lines, which begin with its number.
func (l *lines) rank(n int) io.Writer { return &rankLines{l: l, prefix: fmt.Sprintf("rank %d: ", n)} }

type rankLines struct {
	l      *lines
	prefix string
	rest   []byte
}

// maxLine bounds a line that does not end.
const maxLine = 64 << 10

func (r *rankLines) Write(b []byte) (int, error) {
	r.rest = append(r.rest, b...)
	r.l.mu.Lock()
	defer r.l.mu.Unlock()
	for {
		i := bytes.IndexByte(r.rest, '\n')
		if i < 0 && len(r.rest) < maxLine {
			return len(b), nil
		}
		if i < 0 {
			i = len(r.rest) - 1
		}
		if _, err := fmt.Fprintf(r.l.w, "%s%s\n", r.prefix, bytes.TrimRight(r.rest[:i+1], "\n")); err != nil {
			return len(b), errors.Join(err)
		}
		r.rest = append(r.rest[:0], r.rest[i+1:]...)
	}
}
