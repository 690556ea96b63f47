// Command loadserve puts a server of reel under load: clients that ask for pictures
// without pause, and a profiler that is started and stopped all the while. It checks
// that nothing but 200, 409 and 429 is answered, that every session leaves a folder
// with a trace that opens, and that memory stays flat.
//
//	go build -o /tmp/reel ./cmd/reel && go run ./scripts/loadserve -reel /tmp/reel -for 60s
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reel/formats"
	"reel/timeline"
)

func main() {
	reel := flag.String("reel", "reel", "the program")
	clients := flag.Int("clients", 64, "clients at a time")
	length := flag.Duration("for", time.Minute, "how long")
	ranks := flag.Int("ranks", 1, "worker processes of the server")
	every := flag.Duration("every", 500*time.Millisecond, "between a start of the profiler and a stop")
	flag.Parse()
	if err := run(*reel, *clients, *length, *every, *ranks); err != nil {
		fmt.Fprintln(os.Stderr, "loadserve:", err)
		os.Exit(1)
	}
}

// load is what was seen.
type load struct {
	url                                string
	served, refused, started, conflict atomic.Int64
	mu                                 sync.Mutex
	wrong                              []string
}

func (l *load) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.wrong) < 20 {
		l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
	}
}

func run(reel string, clients int, length, every time.Duration, ranks int) error {
	dir, err := os.MkdirTemp("", "loadserve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, url, err := begin(reel, dir, ranks)
	if err != nil {
		return err
	}
	l := &load{url: url}
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() { l.client(ctx) })
	}
	wg.Go(func() { l.profiler(ctx, every) })
	var sizes []int64
	wg.Go(func() {
		for ctx.Err() == nil {
			sizes = append(sizes, resident(server.Process.Pid))
			time.Sleep(time.Second)
		}
	})
	wg.Wait()
	l.post("/stop_profile", "")
	if err := end(server); err != nil {
		return err
	}
	good, bad := sessions(dir)
	third := max(1, len(sizes)/3)
	fmt.Printf("%d clients for %v: %d served, %d refused (429), %d starts, %d conflicts (409)\n", clients, length, l.served.Load(), l.refused.Load(), l.started.Load(), l.conflict.Load())
	fmt.Printf("session folders: %d valid, %d not; resident memory: %d MiB after a third, %d MiB at the end\n", good, len(bad), sizes[third-1]>>20, sizes[len(sizes)-1]>>20)
	if len(l.wrong)+len(bad) > 0 {
		return errors.New(strings.Join(append(l.wrong, bad...), "\n"))
	}
	return nil
}

var at = regexp.MustCompile(`at (http://\S+)`)

// begin starts the server and waits for its address.
func begin(reel, dir string, ranks int) (*exec.Cmd, string, error) {
	c := exec.Command(reel, "serve", "--port", "0", "--queue", "16", "--ranks", strconv.Itoa(ranks), "--profiler-config", `{"profiler": "torch", "torch_profiler_dir": "`+dir+`"}`)
	pipe, err := c.StderrPipe()
	if err != nil {
		return nil, "", err
	}
	if err := c.Start(); err != nil {
		return nil, "", err
	}
	var said bytes.Buffer
	b := make([]byte, 4096)
	for {
		n, err := pipe.Read(b)
		said.Write(b[:n])
		for _, line := range strings.Split(said.String(), "\n") {
			if m := at.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "rank ") {
				go func() { _, _ = io.Copy(io.Discard, pipe) }() // ends with the server
				return c, m[1], nil
			}
		}
		if err != nil {
			return nil, "", fmt.Errorf("the server did not start: %s", said.String())
		}
	}
}

// end stops the server in good order.
func end(c *exec.Cmd) error {
	if err := c.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		_ = c.Process.Kill()
		return errors.New("the server did not end within a minute")
	}
}

func (l *load) post(path, body string) (int, []byte) {
	r, err := http.Post(l.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		l.fault("%s: %v", path, err)
		return 0, nil
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		l.fault("%s: %v", path, err)
	}
	return r.StatusCode, data
}

func (l *load) client(ctx context.Context) {
	for ctx.Err() == nil {
		switch code, body := l.post("/v1/images/generations", `{"prompt": "a red circle", "num_inference_steps": 1, "size": "32x32"}`); code {
		case 200:
			l.served.Add(1)
		case 429:
			l.refused.Add(1)
			time.Sleep(20 * time.Millisecond)
		default:
			l.fault("a picture: %d %.200s", code, body)
		}
	}
}

func (l *load) profiler(ctx context.Context, every time.Duration) {
	for ctx.Err() == nil {
		for _, path := range []string{"/start_profile", "/stop_profile"} {
			switch code, body := l.post(path, ""); code {
			case 200:
				l.started.Add(1)
			case 409:
				l.conflict.Add(1)
			default:
				l.fault("%s: %d %.200s", path, code, body)
			}
			time.Sleep(every)
		}
	}
	l.started.Store(l.started.Load() / 2) // starts and stops
}

// resident is the memory of a process, bytes.
func resident(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	pages, _ := strconv.ParseInt(fields[1], 10, 64) // the kernel's own
	return pages * int64(os.Getpagesize())
}

// sessions opens what every session left.
func sessions(dir string) (good int, bad []string) {
	notes, _ := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	deeper, _ := filepath.Glob(filepath.Join(dir, "*", "*", "run.json"))
	for _, note := range append(notes, deeper...) {
		data, err := os.ReadFile(note)
		var v map[string]any
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		traces, _ := filepath.Glob(filepath.Join(filepath.Dir(note), "trace_rank*.json"))
		if err == nil && len(traces) == 0 {
			err = errors.New("no trace")
		}
		for _, t := range traces {
			if err == nil {
				err = opens(t)
			}
		}
		if err != nil {
			bad = append(bad, fmt.Sprintf("%s: %v", filepath.Dir(note), err))
			continue
		}
		good++
	}
	return good, bad
}

func opens(path string) error {
	ctx := context.Background()
	src, err := formats.Open(ctx, path, formats.Options{})
	if err != nil {
		return err
	}
	tl, err := timeline.Build(ctx, src, timeline.Options{})
	if err != nil {
		return err
	}
	if !tl.Info.Complete {
		return errors.New("the trace is cut")
	}
	return nil
}
