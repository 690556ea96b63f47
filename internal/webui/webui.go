// Package webui serves the page that shows a run: overview, timeline, tables, flame
// graph and comparison, all from what is in memory, and none of it from the network.
//
// It opens no trace (it is given what was read), measures nothing that analyze does
// not, and answers its own page alone: see guard.
package webui

import (
	"context"
	"embed"
	"io/fs"
	"net/http"
	"sync"
	"sync/atomic"

	"reel/analyze"
	"reel/internal/rundir"
	"reel/rec/startup"
)

//go:embed page
var page embed.FS

// Run is what the page shows. It never changes: a run that grows is replaced.
type Run struct {
	Title    string
	Ranks    []analyze.Rank
	Roles    *analyze.Roles
	Document *analyze.Document
	Note     *rundir.Run       // run.json, when there is one
	Files    []rundir.Artifact // of the run folder
	Folder   string            // the run folder; "" for single files
	Startup  *startup.Report   // when the folder holds one
	Live     bool              // it may still grow
}

// Options say how to serve. The zero value serves on loopback and follows nothing.
type Options struct {
	// Token is what a browser elsewhere must bring; "" answers loopback alone.
	Token string
	// Reload looks whether the run has grown and returns it anew, or nil when it has
	// not. It is called again and again while a page follows the run.
	Reload func(context.Context) (*Run, error)
	Other  *Run // a run to compare with
}

// Server holds a run and serves it. Its methods are safe for concurrent use.
type Server struct {
	opt   Options
	other *state

	now     atomic.Pointer[state]
	mu      sync.Mutex
	changed chan struct{} // closed and replaced with every new run
	watched int           // pages that follow
	wake    chan struct{}
}

// state is a run with what was made of it.
type state struct {
	*Run
	generation int64
	pic        *picture
	tiles      *tileCache
	memo       memo
}

// New prepares the page of a run.
func New(run *Run, opt Options) *Server {
	s := &Server{opt: opt, changed: make(chan struct{}), wake: make(chan struct{}, 1)}
	if opt.Other != nil {
		s.other = newState(opt.Other, 1)
	}
	st := newState(run, 1)
	_, _ = s.run(st) // what the page asks for first is ready when it does; a fault is told then
	s.now.Store(st)
	go st.warm(func() bool { return s.now.Load() != st })
	return s
}

func newState(run *Run, generation int64) *state {
	pic := newPicture(run)
	return &state{Run: run, generation: generation, pic: pic, tiles: newTileCache(pic)}
}

// replace shows another state of the run.
func (s *Server) replace(run *Run) {
	next := newState(run, s.now.Load().generation+1)
	_, _ = s.run(next)
	s.now.Store(next)
	go next.warm(func() bool { return s.now.Load() != next })
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Handler serves the page.
func (s *Server) Handler() http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the folder is embedded by name: this cannot happen
	}
	m := http.NewServeMux()
	m.Handle("GET /", http.FileServerFS(files))
	for path, answer := range map[string]func(*state, *query) (any, error){
		"run":     func(st *state, _ *query) (any, error) { return s.run(st) },
		"item":    (*state).item,
		"again":   (*state).again,
		"at":      (*state).at,
		"search":  (*state).search,
		"find":    (*state).find,
		"select":  (*state).selection,
		"frame":   (*state).frame,
		"ops":     (*state).ops,
		"kernels": (*state).kernels,
		"stats":   (*state).stats,
		"flame":   (*state).flame,
		"curves":  (*state).curves,
		"compare": func(st *state, _ *query) (any, error) { return compare(st, s.other) },
	} {
		m.HandleFunc("GET /api/"+path, s.json(answer))
	}
	m.HandleFunc("GET /api/tile", s.tile)
	m.HandleFunc("GET /api/events", s.events)
	m.HandleFunc("GET /api/perfetto", s.perfetto)
	m.HandleFunc("GET /api/file", s.file)
	return s.guard(m)
}
