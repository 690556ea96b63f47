package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"reel/control"
)

// Rank is a worker process of a Fleet: a Server that listens on a unix socket.
type Rank struct {
	Rank   int
	Socket string
	// Died is closed when the process has ended; Cause then says how.
	Died  <-chan struct{}
	Cause func() string

	transport *http.Transport
	proxy     *httputil.ReverseProxy
	busy      int // requests under way, under Fleet.mu
}

// FleetOptions says how a Fleet answers.
type FleetOptions struct {
	Profiler bool // the ranks have one configured
	Handler  control.HandlerOptions
	Timeout  time.Duration // of starting and stopping the profiler; 0 is 2 minutes
	Log      *slog.Logger
}

// Fleet is a server whose requests several worker processes share, each a rank with
// its own copy of the model. Profiling starts and stops on all of them.
type Fleet struct {
	opt     FleetOptions
	ranks   []*Rank
	handler http.Handler

	mu   sync.Mutex
	next int
	prof sync.Mutex // one start or stop at a time
}

// NewFleet makes a Fleet of ranks that run.
func NewFleet(ranks []*Rank, o FleetOptions) *Fleet {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	f := &Fleet{opt: o, ranks: ranks}
	for _, r := range ranks {
		r.connect(f)
	}
	m := http.NewServeMux()
	for _, path := range []string{"POST /v1/images/generations", "POST /v1/videos", "POST /v1/videos/sync", "GET /v1/models"} {
		m.HandleFunc(path, f.share)
	}
	m.HandleFunc("GET /v1/videos", f.videos)
	for _, path := range []string{"GET /v1/videos/{id}", "GET /v1/videos/{id}/content", "DELETE /v1/videos/{id}"} {
		m.HandleFunc(path, f.video)
	}
	m.HandleFunc("GET /health", f.health)
	m.HandleFunc("GET /metrics", f.metrics)
	if o.Profiler {
		m.HandleFunc("POST /start_profile", f.start)
		m.HandleFunc("POST /stop_profile", f.stop)
		m.HandleFunc("GET /profile", f.status)
		m.HandleFunc("GET /profile/artifacts/{id}", f.artifact)
	}
	f.handler = guarded(m, o.Handler)
	return f
}

// ServeHTTP answers a request.
func (f *Fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.handler.ServeHTTP(w, r) }

// connect prepares the way to the rank.
func (r *Rank) connect(f *Fleet) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", r.Socket)
	}
	r.transport = &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 32}
	r.proxy = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "localhost"})
	r.proxy.Transport = r.transport
	r.proxy.ErrorLog = slog.NewLogLogger(f.opt.Log.Handler(), slog.LevelWarn)
	r.proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
		answer(w, http.StatusBadGateway, map[string]any{"error": apiError{Message: fmt.Sprintf("rank %d: %v", r.Rank, err), Type: "server_error", Code: http.StatusBadGateway}})
	}
}

// alive reports whether the process runs, and how it ended.
func (r *Rank) alive() (bool, string) {
	select {
	case <-r.Died:
		return false, r.Cause()
	default:
		return true, ""
	}
}

// pick takes the rank with the fewest requests, in turn.
func (f *Fleet) pick() (*Rank, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var best *Rank
	for i := range f.ranks {
		r := f.ranks[(f.next+i)%len(f.ranks)]
		if ok, _ := r.alive(); ok && (best == nil || r.busy < best.busy) {
			best = r
		}
	}
	f.next++
	if best == nil {
		return nil, nil
	}
	best.busy++
	return best, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		best.busy--
	}
}

// share passes a request to one of the ranks.
func (f *Fleet) share(w http.ResponseWriter, req *http.Request) {
	r, done := f.pick()
	if r == nil {
		answer(w, http.StatusServiceUnavailable, map[string]any{"error": apiError{Message: "no worker process is left", Type: "server_error", Code: http.StatusServiceUnavailable}})
		return
	}
	defer done()
	w.Header().Set("X-Reel-Rank", strconv.Itoa(r.Rank))
	r.proxy.ServeHTTP(w, req)
}

// JobPrefix is the prefix of the video jobs of a rank.
func JobPrefix(rank int) string { return fmt.Sprintf("r%d_", rank) }

// video passes a request about a job to the rank that has it.
func (f *Fleet) video(w http.ResponseWriter, req *http.Request) {
	for _, r := range f.ranks {
		if strings.HasPrefix(req.PathValue("id"), "video_"+JobPrefix(r.Rank)) {
			r.proxy.ServeHTTP(w, req)
			return
		}
	}
	notFound(w)
}

func (f *Fleet) health(w http.ResponseWriter, _ *http.Request) {
	status, code := "ok", http.StatusOK
	list := []any{}
	living := 0
	for _, r := range f.ranks {
		ok, cause := r.alive()
		x := map[string]any{"rank": r.Rank, "alive": ok}
		if ok {
			living++
		} else {
			x["cause"], status = cause, "degraded"
		}
		list = append(list, x)
	}
	if living == 0 {
		status, code = "down", http.StatusServiceUnavailable
	}
	answer(w, code, map[string]any{"status": status, "ranks": list})
}
