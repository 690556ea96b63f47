package rec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"reel/reelfile"
	"reel/window"
)

// Options says how a Recorder records. The zero value records everything.
type Options struct {
	Mode      reelfile.Mode // full, or a flight recorder
	MaxBytes  int64         // bound of a recording; 0 is reelfile's
	Rank      *int          // of this process; nil when not known
	WorldSize *int
	Producer  string            // for people
	Props     map[string]string // kept in the recording

	// Windows says which parts of requests are recorded. When it is set, the
	// path of Open is the base of file names: each window has a file of its own.
	Windows window.Spec
	// Export makes something else of a window's recording, a trace in another
	// format for instance. name is the path for it, derived from the path of
	// Open; without Export it is the recording that lies there.
	Export func(recording, name string) error
	// Outer is the gate of an outer profiler, open while a window is.
	Outer Switch
	// Iteration begins an iteration of a session, as control.Controller does;
	// nil for none.
	Iteration func(window.Unit) Iteration

	// Sync waits until the device is idle. It is called before a window closes;
	// with SyncStages also around each stage, whose time is then that of its work,
	// and says so, at the price of the overlap that the program has without it.
	Sync       func() error
	SyncStages bool

	RuntimeTrace bool         // ranges are regions, events messages of runtime/trace as well
	Ranges       *slog.Logger // gets each range, at level debug, with its time; nil for none
	Log          *slog.Logger // gets faults of the profiler; slog.Default when nil

	// Clock tells the time of ranges and marks; nil is the process's clock. With
	// the clock of a modelled device a recording is the same on every machine.
	Clock func() Time

	// Heap keeps a recording in memory until it is closed. It is not safe from a
	// kill; the race detector sees through it, which it does not through a
	// mapped file.
	Heap bool
}

// Recorder is the Profiler that writes recordings; Open and New make one. Its
// methods may be called at the same time.
type Recorder struct {
	active atomic.Uint32        // not 0 while something is recorded; beside sink, so that Range can be inlined
	sink   atomic.Pointer[sink] // nil while nothing is recorded
	slow   bool                 // ranges need more than their two records

	opt    Options
	log    *slog.Logger
	worker *Worker
	waits  waits

	mu     sync.Mutex // starting and stopping
	device error      // of Sync, to be taken by the request
}

var (
	_ Profiler = (*Recorder)(nil)
	_ Labeler  = (*Recorder)(nil)
)

// Open makes a Recorder that records to a new file at path. An empty path keeps
// the recording in memory, for Save. With Options.Windows nothing is recorded, and
// no file made, before a window opens; an empty path then leaves it to Options.Outer
// to record. Folders on the way are made.
func Open(path string, opt Options) (*Recorder, error) {
	r := New(opt)
	if opt.Windows.Mode == window.Unset {
		r.worker = NewWorker(r, WorkerOptions{Iteration: opt.Iteration, Log: r.log})
		return r, r.Start(path)
	}
	c := &Capture{Recorder: r, Outer: opt.Outer, Sync: opt.Sync, Export: opt.Export}
	if path == "" {
		c.Recorder = nil
	} else {
		c.Name = WindowName(rankPath(path, opt.Rank))
	}
	r.worker = NewWorker(r, WorkerOptions{Windows: opt.Windows, Recorder: c, Iteration: opt.Iteration, Log: r.log})
	return r, nil
}

// New makes a Recorder that records nothing until Start.
func New(opt Options) *Recorder {
	r := &Recorder{opt: opt, log: opt.Log}
	if r.log == nil {
		r.log = slog.Default()
	}
	r.slow = opt.RuntimeTrace || opt.Ranges != nil || opt.SyncStages && opt.Sync != nil
	r.worker = NewWorker(r, WorkerOptions{Iteration: opt.Iteration, Log: r.log})
	return r
}

// rankPath keeps the files of ranks apart.
func rankPath(path string, rank *int) string {
	if rank == nil {
		return path
	}
	stem, suffix := split(clean(path, "rec"+recordingSuffix))
	return fmt.Sprintf("%s-rank-%d%s", stem, *rank, suffix)
}

// Worker returns the worker that Request runs in.
func (r *Recorder) Worker() *Worker { return r.worker }

// Request runs f as a request: see Worker.Request.
func (r *Recorder) Request(ctx context.Context, o RequestOptions, f func(context.Context) error) error {
	return r.Worker().Request(ctx, o, f)
}

// ErrRecording is returned by Start while something is recorded.
var ErrRecording = errors.New("rec: a recording is under way")

// Start begins a recording in a new file at path, as Open does.
func (r *Recorder) Start(path string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sink.Load() != nil {
		return ErrRecording
	}
	host, _ := os.Hostname() // a recording does without
	if path != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("rec: %w", err)
		}
	}
	w, err := reelfile.Create(path, reelfile.Options{Mode: r.opt.Mode, MaxBytes: r.opt.MaxBytes, Rank: r.opt.Rank, World: r.opt.WorldSize,
		Host: host, Producer: r.opt.Producer, Props: r.opt.Props, Clock: r.opt.clock(), Heap: r.opt.Heap || path == ""})
	if err != nil {
		return fmt.Errorf("rec: %w", err)
	}
	r.sink.Store(newSink(w))
	r.active.Store(1)
	return nil
}

// clock returns the recording's clock; nil is the process's.
func (o Options) clock() *reelfile.Clock {
	if o.Clock == nil {
		return nil
	}
	return reelfile.VirtualClock(func() int64 { return int64(o.Clock()) })
}

// Recorded says what a recording holds and lacks.
type Recorded struct {
	Path       string
	Events     int64 // what it holds
	Activities int64 // of devices, among them
	Counts     reelfile.Counts
}

// Stop ends the recording. What is open is kept as unfinished, or ends late.
// Without a recording it does nothing.
func (r *Recorder) Stop() (Recorded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active.Store(0)
	s := r.sink.Swap(nil)
	if s == nil {
		return Recorded{}, nil
	}
	r.waits.forget()
	err := s.w.Close()
	events, activities := s.w.Held()
	s.release()
	return Recorded{s.w.Path(), events, activities, s.w.Counts()}, err
}

// Close ends the recording and says in the log what was asked for and not seen.
func (r *Recorder) Close() error {
	done, err := r.Stop()
	r.dropped(done)
	r.worker.Close()
	return err
}

// dropped says in the log what a recording lacks.
func (r *Recorder) dropped(done Recorded) {
	if n := done.Counts.Dropped(); n > 0 {
		r.log.Warn("events were dropped", "recording", done.Path, "events", n)
	}
}

// ErrNotRecording is returned by Save while nothing is recorded.
var ErrNotRecording = errors.New("rec: nothing is being recorded")

// Save writes a copy of the recording as it is now to a new file, while recording
// goes on: how the content of a flight recorder is kept when something happened.
func (r *Recorder) Save(path string) error {
	if s := r.on(); s != nil {
		return s.w.Save(path)
	}
	return ErrNotRecording
}

// On reports whether something is recorded at present, for arguments that are
// costly to make.
func (r *Recorder) On() bool { return r.on() != nil }

func (r *Recorder) on() *sink { return r.sink.Load() }
