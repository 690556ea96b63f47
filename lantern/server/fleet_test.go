package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"reel/control"
	"reel/rec"
	"reel/window"
)

// collector is a collector that may fail.
type collector struct{ fail *atomic.Bool }

func (c collector) Name() string               { return "toy" }
func (c collector) Prepare(*control.Run) error { return nil }
func (c collector) Start() error {
	if c.fail.Load() {
		return fmt.Errorf("the device is busy")
	}
	return nil
}
func (c collector) Stop() (control.Seen, error) { return control.Seen{Events: 1, DeviceEvents: 1}, nil }

// member is a rank of a test's fleet: a server on a socket of this process.
type member struct {
	*Rank
	engine *engine
	fail   atomic.Bool
	died   chan struct{}
	close  func()
}

// newFleet makes a fleet of n ranks that have one run folder.
func newFleet(t *testing.T, n int) (*httptest.Server, []*member) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	dir, run := t.TempDir(), filepath.Join(t.TempDir(), "run")
	var ranks []*Rank
	var members []*member
	for i := range n {
		m := &member{engine: &engine{}, died: make(chan struct{})}
		cfg, err := control.Parse([]byte(`{"profiler": "torch", "torch_profiler_dir": "` + dir + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		c, err := control.New(cfg, control.Options{App: "toy", Rank: i, World: n, Dir: run, Log: quiet, Collectors: []control.Collector{collector{&m.fail}},
			Exporters: []control.Exporter{{Name: "toy", Export: func(_ context.Context, r *control.Run) error {
				f, err := r.Folder.Create(fmt.Sprintf("trace_rank%d.json", r.Rank), control.Trace, control.Derived)
				if err != nil {
					return err
				}
				_, err = f.Commit()
				return err
			}}}})
		if err != nil {
			t.Fatal(err)
		}
		w := rec.NewWorker(rec.Noop{}, rec.WorkerOptions{Iteration: func(u window.Unit) rec.Iteration { return c.Iteration(u) }})
		s := New(m.engine, Options{Control: c, Worker: w, JobPrefix: JobPrefix(i), Log: quiet})
		socket := filepath.Join(dir, fmt.Sprint(i, ".sock"))
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		h := &http.Server{Handler: s}
		go func() { _ = h.Serve(l) }()
		m.Rank = &Rank{Rank: i, Socket: socket, Died: m.died, Cause: func() string { return "signal: killed" }}
		m.close = sync.OnceFunc(func() { _ = h.Close(); close(m.died) })
		t.Cleanup(func() { m.close(); _ = s.Close(context.Background()) })
		ranks, members = append(ranks, m.Rank), append(members, m)
	}
	h := httptest.NewServer(NewFleet(ranks, FleetOptions{Profiler: true, Log: quiet}))
	t.Cleanup(h.Close)
	return h, members
}

// profile asks the fleet's profiler.
func profile(t *testing.T, h *httptest.Server, path string) (int, fleetReply) {
	t.Helper()
	r, err := http.Post(h.URL+path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var v fleetReply
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, v
}

// TestFleetShares: requests go round, video jobs are found again, metrics tell
// their rank.
func TestFleetShares(t *testing.T) {
	h, members := newFleet(t, 3)
	for range 9 {
		if code, v := post(t, h.URL+"/v1/images/generations", `{"prompt":"a"}`); code != 200 {
			t.Fatal(v)
		}
	}
	for _, m := range members {
		if n := m.engine.calls.Load(); n != 3 {
			t.Errorf("rank %d had %d requests", m.Rank.Rank, n)
		}
	}
	for range 3 {
		_, job := post(t, h.URL+"/v1/videos", `{"prompt":"a"}`)
		r, err := http.Get(h.URL + "/v1/videos/" + job["id"].(string))
		if err != nil || r.StatusCode != 200 {
			t.Errorf("%v %v", job, err)
		}
	}
	if r, _ := http.Get(h.URL + "/v1/videos/video_r9_X"); r.StatusCode != 404 {
		t.Errorf("a job of nobody: %d", r.StatusCode)
	}
	r, err := http.Get(h.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(r.Body)
	if text := string(b); strings.Count(text, "# TYPE reel_requests_running") != 1 || !strings.Contains(text, `reel_requests_running{rank="2"} 0`) ||
		!strings.Contains(text, `reel_requests_total{rank="1",kind="image",result="ok"} 3`) {
		t.Errorf("%s", text)
	}
}

// TestFleetProfile: one folder, the artefacts of all ranks, 409 on a second start.
func TestFleetProfile(t *testing.T) {
	h, _ := newFleet(t, 3)
	if code, v := profile(t, h, "/start_profile"); code != 200 || len(v.Ranks) != 3 {
		t.Fatalf("%d %+v", code, v)
	}
	if code, _ := profile(t, h, "/start_profile"); code != 409 {
		t.Errorf("a second start: %d", code)
	}
	for range 3 {
		post(t, h.URL+"/v1/images/generations", `{"prompt":"a"}`)
	}
	code, v := profile(t, h, "/stop_profile")
	var names []string
	for _, a := range v.Session.Artifacts {
		if a.Kind == control.Trace {
			names = append(names, a.ID[:2]+a.Path)
		}
	}
	if code != 200 || strings.Join(names, " ") != "0:trace_rank0.json 1:trace_rank1.json 2:trace_rank2.json" || v.Session.Recorded != 3 {
		t.Errorf("%d %v %+v", code, names, v)
	}
	if r, err := http.Get(h.URL + "/profile/artifacts/" + v.Session.Artifacts[1].ID); err != nil || r.StatusCode != 200 {
		t.Errorf("%v %v", r, err)
	}
}

// TestFleetStartFails: where one rank cannot start, none goes on, and the reply says
// which one it was.
func TestFleetStartFails(t *testing.T) {
	h, members := newFleet(t, 3)
	members[1].fail.Store(true)
	code, v := profile(t, h, "/start_profile")
	if code != 500 || !strings.Contains(v.Error, "rank 1: ") || !strings.Contains(v.Error, "the device is busy") {
		t.Errorf("%d %s", code, v.Error)
	}
	members[1].fail.Store(false)
	if code, v := profile(t, h, "/start_profile"); code != 200 {
		t.Errorf("a new start: %d %+v", code, v)
	}
}

// TestFleetDeath: a rank dies in a session: the others' artefacts are there, and the
// dead one is named.
func TestFleetDeath(t *testing.T) {
	h, members := newFleet(t, 3)
	profile(t, h, "/start_profile")
	for range 3 {
		post(t, h.URL+"/v1/images/generations", `{"prompt":"a"}`)
	}
	members[1].close()
	code, v := profile(t, h, "/stop_profile")
	traces := 0
	for _, a := range v.Session.Artifacts {
		if a.Kind == control.Trace {
			traces++
		}
	}
	if code != 200 || traces != 2 || !strings.Contains(v.Error, "rank 1: the worker process has ended: signal: killed") {
		t.Errorf("%d, %d traces: %s", code, traces, v.Error)
	}
	if code, _ := post(t, h.URL+"/v1/images/generations", `{"prompt":"a"}`); code != 200 {
		t.Errorf("the others do not serve: %d", code)
	}
	r, err := http.Get(h.URL + "/health")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(r.Body); !strings.Contains(string(b), `"degraded"`) {
		t.Errorf("%s", b)
	}
}
