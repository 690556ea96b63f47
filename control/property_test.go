package control

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"reel/window"
)

// strict checks a collector's calls: Prepare, Start, Stop, each once, never two at
// a time, and Stop behind every Prepare that succeeded.
type strict struct {
	mu       sync.Mutex
	rnd      *rand.Rand
	state    string
	sessions map[int]bool
	faults   []string
}

func (k *strict) Name() string { return "strict" }

// enter notes a call and says whether it crashes.
func (k *strict) enter(call, from, to string) (crash bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !strings.Contains(from, k.state) {
		k.faults = append(k.faults, fmt.Sprintf("%s in state %s", call, k.state))
	}
	switch crash = k.rnd.IntN(8) == 0; {
	case crash && call == "prepare":
		k.state = "off"
	default:
		k.state = to
	}
	return crash
}

func (k *strict) result(crash bool) error {
	if crash {
		if k.rnd.IntN(2) == 0 { // rnd is used by one call at a time
			panic("crash")
		}
		return errors.New("crash")
	}
	return nil
}

func (k *strict) Prepare(r *Run) error {
	k.mu.Lock()
	if k.sessions[r.Session] {
		k.faults = append(k.faults, "a session is prepared twice")
	}
	k.sessions[r.Session] = true
	k.mu.Unlock()
	return k.result(k.enter("prepare", "off", "ready"))
}
func (k *strict) Start() error { return k.result(k.enter("start", "ready", "on")) }
func (k *strict) Stop() (Seen, error) {
	return Seen{Events: 1}, k.result(k.enter("stop", "ready on", "off"))
}

// Random starts, stops, crashes and requests from several goroutines: collectors
// see ordered calls, no request gets a profiler fault, exact maxima hold, and at
// the end everything is off.
func TestRandomSequences(t *testing.T) {
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		k := &strict{rnd: rand.New(rand.NewPCG(seed, 5)), state: "off", sessions: map[int]bool{}}
		cfg := Config{Delay: rnd.IntN(3), Wait: rnd.IntN(2), Warmup: rnd.IntN(3), Active: rnd.IntN(4), Max: rnd.IntN(4)}
		c, _ := rig(t, cfg, func(o *Options) {
			o.Collectors, o.Sync = []Collector{k}, nil
		})
		var wg sync.WaitGroup
		for w := range 4 {
			seed := rnd.Uint64()
			wg.Go(func() { worker(t, c, rand.New(rand.NewPCG(seed, uint64(w)))) })
		}
		wg.Wait()
		if err := c.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantState(t, c, Idle, Done, Failed)
		k.mu.Lock()
		if k.state != "off" || len(k.faults) > 0 {
			t.Errorf("seed %d: collector %s, %v", seed, k.state, k.faults)
		}
		k.mu.Unlock()
		st := c.Status()
		for _, s := range append(st.Earlier, *st.Session) {
			if limit := cfg.target(); limit > 0 && s.Recorded > limit {
				t.Errorf("seed %d: session %d recorded %d of %d", seed, s.ID, s.Recorded, limit)
			}
			if s.State == Done && len(s.Artifacts) != 1 || s.State == Idle && len(s.Artifacts) != 0 {
				t.Errorf("seed %d: %+v", seed, s)
			}
		}
	}
}

func worker(t *testing.T, c *Controller, rnd *rand.Rand) {
	for range 25 {
		switch rnd.IntN(6) {
		case 0:
			_, _ = c.Start(StartOptions{})
		case 1:
			ctx, cancel := context.WithCancel(t.Context())
			if rnd.IntN(3) == 0 {
				cancel()
			}
			s, err := c.Stop(ctx)
			var state *StateError
			var failed *SessionError
			if err != nil && !errors.As(err, &state) && !errors.As(err, &failed) && !errors.Is(err, context.Canceled) || err == nil && busy(s.State) {
				t.Errorf("stop: %+v, %v", s, err)
			}
			cancel()
		case 2:
			c.Status()
		default:
			if err := c.Iteration(window.Requests).End(); err != nil {
				t.Errorf("a request got %v", err)
			}
		}
	}
}
