package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"reel/control"
	"reel/internal/rundir"
	"reel/window"
)

// reply asks a server and validates what it answers, with the error that strictness
// gives for fields that the schema does not name.
func reply(t *testing.T, s *jsonschema.Schema, method, url, body string, code int) control.Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != code {
		t.Errorf("%s %s: %d, want %d: %s", method, url, res.StatusCode, code, data)
	}
	check(t, s, []string{method, url}, string(data))
	var r control.Reply
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// lossy is a collector whose stop fails when it is told to; it drops events.
type lossy struct{ stop error }

func (lossy) Name() string               { return "lossy" }
func (lossy) Prepare(*control.Run) error { return nil }
func (lossy) Start() error               { return nil }
func (f lossy) Stop() (control.Seen, error) {
	return control.Seen{Events: 9, DeviceEvents: 1, Dropped: 2, Overhead: time.Millisecond}, f.stop
}

// TestSessionSchemas validates the replies of a server in every state, and the notes
// that its sessions leave.
func TestSessionSchemas(t *testing.T) {
	all := schemas(t)
	profile, run := all["profile"], all["run"]
	collect := &lossy{}
	var device error
	cfg, err := control.Parse([]byte(`{"profiler":"torch","torch_profiler_dir":"` + filepath.ToSlash(t.TempDir()) + `","max_iterations":1}`))
	if err != nil {
		t.Fatal(err)
	}
	export := control.Exporter{Name: "note", Export: func(_ context.Context, r *control.Run) error {
		f, err := r.Folder.Create("note.txt", control.Other, control.Derived)
		if err != nil {
			return err
		}
		_, err = f.Commit()
		return err
	}}
	c, err := control.New(cfg, control.Options{App: "paint", World: 2, Device: "a device", Window: "0-4", Collectors: []control.Collector{collect},
		Exporters: []control.Exporter{export}, Sync: func() error { return device },
		Coverage: func() []control.Coverage {
			return []control.Coverage{{Asked: "window 0-4", Of: 1, Unit: "loops", Missed: "loop 0 of request 0 had 2 steps"}}
		}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(control.Handler(c, control.HandlerOptions{}))
	defer srv.Close()
	ask := func(method, path, body string, code int) control.Reply {
		t.Helper()
		return reply(t, profile, method, srv.URL+path, body, code)
	}
	ask("GET", "/profile", "", 200)
	ask("POST", "/stop_profile", "", 409)
	ask("POST", "/start_profile", `{"delay":1,"max_iterations":-1}`, 400)
	ask("POST", "/start_profile", `{"delay_iterations":1}`, 200)
	ask("POST", "/start_profile", "", 409)
	ask("POST", "/stop_profile", "", 200) // called off
	for i, fault := range []error{nil, errors.New("it broke")} {
		collect.stop, device = fault, fault
		ask("POST", "/start_profile", "", 200)
		ask("GET", "/profile", "", 200)
		if err := c.Iteration(window.Requests).End(); (err != nil) != (fault != nil) {
			t.Errorf("the request: %v", err)
		}
		r := ask("POST", "/stop_profile", "", []int{200, 500}[i])
		data, err := os.ReadFile(filepath.Join(r.Session.Run, rundir.RunFile))
		if err != nil {
			t.Fatal(err)
		}
		check(t, run, []string{"run.json"}, string(data))
	}
	ask("GET", "/profile", "", 200)
	open := httptest.NewServer(control.Handler(c, control.HandlerOptions{Token: "t"}))
	defer open.Close()
	reply(t, profile, "GET", open.URL+"/profile", "", 401)
	none, err := control.New(control.Config{}, control.Options{})
	if err != nil {
		t.Fatal(err)
	}
	off := httptest.NewServer(control.Handler(none, control.HandlerOptions{}))
	defer off.Close()
	reply(t, profile, "POST", off.URL+"/start_profile", "", 404)
}

// TestRunSchema validates run.json of a launched command with two ranks, of which
// one was killed.
func TestRunSchema(t *testing.T) {
	run := schemas(t)["run"]
	f, err := rundir.Create(t.TempDir(), "run")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code := 137
	launch := rundir.Launch{Backend: "own", Command: []string{"python", "x.py"}, PID: 7, Started: time.Now(), Ended: time.Now(), ExitCode: &code,
		Signal: "killed", Timeout: "1s", Asked: []string{"nvtx"}, Missing: []string{"cuda"}, Lost: []string{"8"}, Warnings: []string{"lost"},
		Files: []rundir.Artifact{{ID: "1", Kind: rundir.Trace, Role: rundir.Source, Path: "a.json"}}}
	for _, l := range []rundir.Launch{{Backend: "plain"}, launch} {
		if err := f.WriteLaunch(rundir.Describe("x"), l); err != nil {
			t.Fatal(err)
		}
		for rank, state := range []string{"done", "recording"} {
			if err := f.Write(rundir.Describe("x"), rundir.Rank{Rank: rank, PID: 7 + rank, Host: "h", State: state, Started: time.Now(),
				Environment: map[string]string{"GOGC": "50"}, Faults: []string{"it broke"}}); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(filepath.Join(f.Path(), rundir.RunFile))
		if err != nil {
			t.Fatal(err)
		}
		check(t, run, []string{"run.json"}, string(data))
	}
}
