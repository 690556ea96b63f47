package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"reel/window"
)

// stage writes down what happens to its collectors, gate and exporter, and lets
// any of it fail, by an error or a panic, once or always.
type stage struct {
	mu   sync.Mutex
	log  []string
	fail map[string]string // step → "error", "panic"
}

func (s *stage) do(step string) error {
	s.mu.Lock()
	s.log = append(s.log, step)
	how := s.fail[step]
	s.mu.Unlock()
	switch how {
	case "error":
		return errors.New(step + " broke")
	case "panic":
		panic(step + " panicked")
	}
	return nil
}

func (s *stage) breaks(step, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = map[string]string{step: how}
}

// take returns the log and begins a new one.
func (s *stage) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := strings.Join(s.log, " ")
	s.log = nil
	return log
}

func (s *stage) On() error   { return s.do("on") }
func (s *stage) Off() error  { return s.do("off") }
func (s *stage) Sync() error { return s.do("sync") }

// fake is a collector.
type fake struct {
	*stage
	name string
}

func (f fake) Name() string         { return f.name }
func (f fake) Prepare(r *Run) error { return f.do(f.name + ".prepare") }
func (f fake) Start() error         { return f.do(f.name + ".start") }
func (f fake) Stop() (Seen, error) {
	return Seen{Events: 10, DeviceEvents: 4, Dropped: 1}, f.do(f.name + ".stop")
}

func (s *stage) export(_ context.Context, r *Run) error {
	if err := s.do("export"); err != nil {
		return err
	}
	for _, a := range r.Config.Artifacts(r.Rank)[:1] {
		w, err := r.Folder.Create(a.Name, a.Kind, Derived)
		if err != nil {
			return err
		}
		defer w.Discard()
		if _, err := fmt.Fprintf(w, "session %d", r.Session); err != nil {
			return err
		}
		if _, err := w.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// rig makes a Controller whose collectors are fakes.
func rig(t testing.TB, cfg Config, change func(*Options)) (*Controller, *stage) {
	t.Helper()
	st := &stage{}
	cfg.Profiler = Torch
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	o := Options{App: "paint", Collectors: []Collector{fake{st, "a"}, fake{st, "b"}}, Exporters: []Exporter{{"trace", st.export}}, Sync: st.Sync}
	if change != nil {
		change(&o)
	}
	c, err := New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, st
}

// request runs n whole iterations and returns what their ends say.
func request(c *Controller, n int) (errs []error) {
	for range n {
		if err := c.Iteration(window.Requests).End(); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func wantState(t *testing.T, c *Controller, states ...State) {
	t.Helper()
	if s := c.Status().State; !slices.Contains(states, s) {
		t.Errorf("state %s, want %v", s, states)
	}
}

func wantStateError(t *testing.T, err error, op string, state State) {
	t.Helper()
	var se *StateError
	if !errors.As(err, &se) || se.Op != op || se.State != state {
		t.Errorf("error %v, want that of %s in state %s", err, op, state)
	}
}
