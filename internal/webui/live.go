package webui

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// maxFollowers bounds the pages that follow a run at a time.
const maxFollowers = 32

// events tells a page of every new state of the run, as server-sent events: "run" with
// the generation, "live" with whether it may still grow.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "too many pages follow this run", http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for {
		s.mu.Lock()
		next := s.changed
		s.mu.Unlock()
		st := s.now.Load()
		if _, err := fmt.Fprintf(w, "event: run\ndata: {\"generation\":%d,\"live\":%v}\n\n", st.generation, st.Live); err != nil || flush.Flush() != nil {
			return
		}
		select {
		case <-next:
		case <-beat.C:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched >= maxFollowers {
		return false
	}
	s.watched++
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched--
}

// Pauses of Follow.
const (
	shortPause = 700 * time.Millisecond
	longPause  = 20 * time.Second
)

// Follow looks for changes of the run until the context ends, as long as a page is
// open. Reading takes at most a quarter of the time. Faults are told to log: a file
// that is being written may be unreadable for a moment.
func (s *Server) Follow(ctx context.Context, log func(error)) {
	if s.opt.Reload == nil {
		return
	}
	pause := shortPause
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-time.After(pause):
		}
		s.mu.Lock()
		watched := s.watched
		s.mu.Unlock()
		if watched == 0 {
			continue
		}
		began := time.Now()
		run, err := s.opt.Reload(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			log(err)
		case run != nil:
			s.replace(run)
		}
		pause = min(max(shortPause, 3*time.Since(began)), longPause)
	}
}
