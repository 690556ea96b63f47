package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// controlName is the socket of a daemon that runs within another program, reel profile
// for instance: captures are asked for there.
const controlName = "control.sock"

// captureBody is what a capture is asked for with.
type captureBody struct {
	PIDs    []int
	Profile Profile
	Sync    bool
	Wait    time.Duration
}

// line is one line of a capture's reply: news, and in the end answers or an error.
type line struct {
	News    string   `json:"news,omitempty"`
	Answers []Answer `json:"answers,omitempty"`
	Error   string   `json:"error,omitempty"`
	Done    bool     `json:"done,omitempty"`
}

// ServeControl lets others of this user capture through the daemon, on a socket in the
// folder, until ctx ends.
func (d *Daemon) ServeControl(ctx context.Context, f *Folder) error {
	path := filepath.Join(f.Dir, controlName)
	l, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, l.Close())
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /processes", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(d.Processes()) // who asked has gone
	})
	m.HandleFunc("POST /capture", func(w http.ResponseWriter, r *http.Request) { d.serveCapture(w, r, f) })
	s := &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (d *Daemon) serveCapture(w http.ResponseWriter, r *http.Request, f *Folder) {
	var body captureBody
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	news := make(chan string, 64)
	done := make(chan line, 1)
	go func() {
		a, err := d.Capture(r.Context(), Request{PIDs: body.PIDs, Profile: body.Profile, Dir: f.Traces(), Sync: body.Sync, Wait: body.Wait,
			Progress: func(format string, args ...any) {
				select {
				case news <- fmt.Sprintf(format, args...):
				default: // nobody reads: the answers tell all
				}
			}})
		end := line{Answers: a, Done: true}
		if err != nil {
			end.Error = err.Error()
		}
		done <- end
	}()
	e := json.NewEncoder(w)
	flush := http.NewResponseController(w)
	for {
		var x line
		select {
		case text := <-news:
			x.News = text
		case x = <-done:
		}
		if e.Encode(x) != nil || flush.Flush() != nil || x.Done {
			return
		}
	}
}

// Remote is a daemon that runs within another program.
type Remote struct{ dir string }

// Control returns the daemon of a folder; ok is false where none can be asked.
func Control(dir string) (*Remote, bool) {
	c, err := net.Dial("unix", filepath.Join(dir, controlName))
	if err != nil {
		return nil, false
	}
	c.Close()
	return &Remote{dir}, true
}

func (r *Remote) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", filepath.Join(r.dir, controlName))
	}}}
}

// Processes lists the processes that asked of late.
func (r *Remote) Processes(ctx context.Context) ([]Process, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://localhost/processes", nil)
	if err != nil {
		return nil, err
	}
	res, err := r.client().Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var list []Process
	return list, json.NewDecoder(io.LimitReader(res.Body, 1<<24)).Decode(&list)
}

// Capture captures through the daemon; Dir of the request is the daemon's own.
func (r *Remote) Capture(ctx context.Context, q Request) ([]Answer, error) {
	pr, pw := io.Pipe()
	go func() {
		pw.CloseWithError(json.NewEncoder(pw).Encode(captureBody{q.PIDs, q.Profile, q.Sync, q.Wait}))
	}()
	req, err := http.NewRequestWithContext(ctx, "POST", "http://localhost/capture", pr)
	if err != nil {
		return nil, err
	}
	res, err := r.client().Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	d := json.NewDecoder(res.Body)
	for {
		var x line
		if err := d.Decode(&x); err != nil {
			return nil, fmt.Errorf("attach: the daemon went away: %w", err)
		}
		if x.News != "" && q.Progress != nil {
			q.Progress("%s", x.News)
		}
		if x.Done {
			if x.Error != "" {
				return x.Answers, errors.New(x.Error)
			}
			return x.Answers, nil
		}
	}
}
