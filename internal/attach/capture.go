package attach

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Request says whom to capture, and what.
type Request struct {
	PIDs    []int // these processes and their descendants; none are all that ask
	Profile Profile
	// Dir is where processes write: a folder under /tmp, or the one that
	// KINETO_ONDEMAND_TRACE_DIR of the processes names. Others are refused by newer
	// versions of PyTorch.
	Dir string
	// Wait is how long a process may take to ask; 0 is 12 s, two of its rounds.
	Wait time.Duration
	// Sync has all processes begin at the same time: when all have heard of it.
	Sync bool
	// Progress is told of what happens; nil for nothing.
	Progress func(format string, args ...any)
}

// Answer is what came of one process.
type Answer struct {
	Process
	File  string `json:"file,omitempty"`
	Error string `json:"error,omitempty"`
}

// How long parts of a capture may take beside the recording itself.
const (
	usualWait = 12 * time.Second
	interval  = 5 * time.Second // of a client's rounds, unless its base configuration says otherwise
	tick      = time.Second     // of a client between hearing and beginning
	writing   = 5 * time.Minute // a trace with stacks takes its time
)

// Capture profiles processes and waits for their traces. Every process that was
// reached has an answer, with its file or with what went wrong. The error says that
// none was reached.
func (d *Daemon) Capture(ctx context.Context, r Request) ([]Answer, error) {
	if r.Progress == nil {
		r.Progress = func(string, ...any) {}
	}
	if r.Wait <= 0 {
		r.Wait = usualWait
	}
	found, err := d.find(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Sync {
		r.Profile.Start = time.Now().Add(interval + r.Profile.Warmup.Round(time.Second) + 3*tick)
	}
	answers := make([]Answer, len(found))
	for i, key := range found {
		answers[i] = d.submit(key, r)
	}
	for i, key := range found {
		if answers[i].Error == "" {
			d.follow(ctx, key, r, &answers[i])
		}
	}
	return answers, nil
}

// find waits until the processes that are meant have asked. Where all are meant, it
// waits for a round of theirs.
func (d *Daemon) find(ctx context.Context, r Request) ([]string, error) {
	limit := time.After(r.Wait)
	began := time.Now()
	for {
		keys, next := d.matching(r.PIDs)
		covered := len(r.PIDs) > 0
		for _, pid := range r.PIDs {
			covered = covered && d.has(pid)
		}
		if len(keys) > 0 && (covered || time.Since(began) > interval+tick) {
			return keys, nil
		}
		select {
		case <-next:
		case <-time.After(tick):
		case <-limit:
			if len(keys) > 0 {
				return keys, nil
			}
			return nil, fmt.Errorf("attach: no process%s asked within %v: it must have been started with KINETO_USE_DAEMON=1, by 'reel profile --attachable' for instance, have imported torch, and share this machine's sockets", ofPIDs(r.PIDs), r.Wait)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func ofPIDs(pids []int) string {
	if len(pids) == 0 {
		return ""
	}
	return " of " + strings.Trim(fmt.Sprint(pids), "[]")
}

// matching lists the processes that are meant, and the channel that the next news
// closes.
func (d *Daemon) matching(pids []int) ([]string, chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
	var keys []string
	for k, c := range d.procs {
		if len(pids) == 0 || slices.ContainsFunc(pids, c.is) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return d.procs[a].PID - d.procs[b].PID })
	return keys, d.changed
}

func (d *Daemon) has(pid int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.procs {
		if c.is(pid) {
			return true
		}
	}
	return false
}

// submit leaves the configuration for a process.
func (d *Daemon) submit(key string, r Request) Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.procs[key]
	if c == nil {
		return Answer{Error: "the process has gone"}
	}
	a := Answer{Process: c.Process}
	switch {
	case c.Busy:
		a.Error = "it is being profiled already"
	case c.config != "":
		a.Error = "another capture waits for it"
	default:
		text, err := r.Profile.config(filepath.Join(r.Dir, "trace.json"))
		if err != nil {
			a.Error = err.Error()
		}
		c.config, c.delivered = text, time.Time{}
	}
	return a
}

// state is where a process stands in a capture.
func (d *Daemon) state(key string) (delivered time.Time, waiting, busy, gone bool, next chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.procs[key]
	if c == nil {
		return time.Time{}, false, false, true, d.changed
	}
	return c.delivered, c.config != "", c.Busy, false, d.changed
}

// follow waits for a process's trace.
func (d *Daemon) follow(ctx context.Context, key string, r Request, a *Answer) {
	deadline := time.Now().Add(r.Wait + interval)
	told := false
	for {
		delivered, waiting, busy, gone, next := d.state(key)
		if !delivered.IsZero() && !told {
			told = true
			r.Progress("process %d has heard", a.PID)
			deadline = delivered.Add(2*tick + interval + r.Profile.Warmup + r.Profile.Duration + writing)
			if !r.Profile.Start.IsZero() {
				deadline = deadline.Add(time.Until(r.Profile.Start))
			}
		}
		if file := written(r.Dir, a.Own, delivered); told && !busy && file != "" {
			a.File = file
			r.Progress("process %d wrote %s", a.PID, filepath.Base(file))
			return
		}
		switch {
		case gone || !alive(a.PID):
			a.Error = "the process ended before its trace was written"
		case time.Now().After(deadline) && waiting:
			a.Error = "it did not ask again"
		case time.Now().After(deadline):
			a.Error = "it took the request and wrote no trace: its log says why (KINETO_LOG_LEVEL=0)"
		case ctx.Err() != nil:
			a.Error = ctx.Err().Error()
		}
		if a.Error != "" {
			d.withdraw(key)
			return
		}
		select {
		case <-next:
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// withdraw takes back a configuration that was not delivered.
func (d *Daemon) withdraw(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.procs[key]; c != nil {
		c.config = ""
	}
}

// written finds the finished trace of a process: under the name that it makes of the
// one it was given, or, where it refuses the folder, under its own in /tmp.
func written(dir string, pid int, since time.Time) string {
	if since.IsZero() {
		return ""
	}
	for _, path := range []string{filepath.Join(dir, fmt.Sprintf("trace_%d.json", pid)), fmt.Sprintf("/tmp/libkineto_activities_%d.json", pid)} {
		st, err := os.Lstat(path)
		if err == nil && st.Mode().IsRegular() && st.ModTime().After(since) && whole(path, st.Size()) {
			return path
		}
	}
	return ""
}

// whole reports whether a trace has its end: the client writes it in one go, which
// takes a while.
func whole(path string, size int64) bool {
	f, err := os.Open(path)
	if err != nil || size < 2 {
		return false
	}
	defer f.Close()
	tail := make([]byte, min(size, 64))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return false
	}
	return bytes.HasSuffix(bytes.TrimSpace(tail), []byte("}"))
}
