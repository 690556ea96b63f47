package window

import (
	"errors"
	"fmt"
)

// Window is one stretch that was, or is, recorded.
type Window struct {
	Mode     Mode
	Range    Range // with mode Steps: what was asked for
	Request  int   // counted from 0, warm-up requests not included
	Loop     int   // with mode Steps
	From, To int   // with mode Steps: the steps recorded; To is -1 while open
	// Provisional says that only a later loop shows whether this was the last
	// one. It is discarded when a later loop begins.
	Provisional bool
}

// Recorder opens and closes what records. Calls alternate for each window, Open
// first. Discard follows the Close of a provisional window that was not of the
// last loop; one that cannot undo a window opens none that is provisional and
// returns ErrLastUnknown. Errors are kept for the report and never reach the request.
type Recorder interface {
	Open(Window) error
	Close(Window) error
	Discard(Window)
}

// Gate follows one process's requests and opens and closes windows. Its methods
// are called by the program's scopes in the order of what happens; it is not
// safe for concurrent use: a worker runs one request at a time.
type Gate struct {
	spec     Spec
	rec      Recorder
	request  int // of the current or next request
	requests int // requests begun, warm-up ones not included
	inside   bool
	warm     bool
	loops    int // the request's number of loops, -1 unknown
	loop     int // of the current or next loop
	step     int // of the current or next step
	begun    int // the latest step begun in this loop
	inLoop   bool
	usedPre  bool // predenoise has had its request
	usedPost bool // postdenoise has
	arm      bool // postdenoise opens behind this request's first loop
	open     *Window
	last     []Window // provisional windows of the latest loop
	report   report
}

// NewGate makes the gate of a process.
func NewGate(spec Spec, rec Recorder) *Gate {
	return &Gate{spec: spec, rec: rec, loops: -1}
}

// ErrLastUnknown is what a recorder says that cannot take back a provisional window,
// as an outer profiler cannot.
var ErrLastUnknown = errors.New("which loop is the last is not known before it runs: the request did not say how many it has (RequestOptions.Loops), and no warm-up request showed it; this collector cannot forget a loop afterwards, so it records none")

// ErrNested is returned by a request that begins within another.
var ErrNested = errors.New("window: a request begins inside another; the outer one counts")

// BeginRequest begins a request. Warm-up requests open nothing and use nothing
// up, but they show how many loops a request has; loops is that number when the
// program declares it, and 0 otherwise.
func (g *Gate) BeginRequest(warmUp bool, loops int) error {
	if g.inside {
		return ErrNested
	}
	g.inside, g.warm, g.loop, g.step, g.inLoop, g.arm = true, warmUp, 0, 0, false, false
	if loops > 0 {
		g.loops = loops
	}
	if warmUp {
		return nil
	}
	g.request = g.requests
	g.requests++
	g.arm = g.spec.Mode == PostDenoise && !g.usedPost
	switch {
	case g.spec.Mode == All:
		g.start(Window{Mode: All})
	case g.spec.Mode == PreDenoise && !g.usedPre:
		g.usedPre = true
		g.start(Window{Mode: PreDenoise})
	}
	return nil
}

// EndRequest ends the request, however it went, and closes what is open.
func (g *Gate) EndRequest() {
	if !g.inside {
		return
	}
	g.endLoop(false)
	g.stop()
	if !g.warm {
		g.usedPost = g.usedPost || g.spec.Mode == PostDenoise
		g.report.request(g.spec, g.loop)
	} else if g.loops < 0 && g.loop > 0 {
		g.loops = g.loop
	}
	g.last = nil
	g.inside = false
}

// BeginLoop begins the request's next denoise loop.
func (g *Gate) BeginLoop() {
	if !g.inside || g.inLoop {
		return
	}
	g.inLoop, g.step = true, 0
	for _, w := range g.last { // there is a later loop, so they were not of the last
		g.rec.Discard(w)
		g.report.discarded(w)
	}
	g.last = nil
}

// BeginStep begins the loop's next step.
func (g *Gate) BeginStep() {
	if !g.inLoop {
		return
	}
	g.begun = g.step
	if g.open != nil && g.open.Mode == PreDenoise {
		g.stop()
	}
	if g.warm || g.spec.Mode != Steps || g.open != nil {
		return
	}
	for _, r := range g.spec.Ranges {
		if r.From == g.step && g.means(r) {
			g.start(Window{Mode: Steps, Range: r, Loop: g.loop, From: g.step, To: -1, Provisional: r.Loop == LastLoop && g.loops < 0})
			return
		}
	}
}

// means reports whether r selects the current loop.
func (g *Gate) means(r Range) bool {
	switch r.Loop {
	case AnyLoop:
		return true
	case LastLoop:
		return g.loops < 0 || g.loop == g.loops-1
	}
	return int(r.Loop) == g.loop
}

// EndStep ends the step.
func (g *Gate) EndStep() {
	if !g.inLoop {
		return
	}
	if w := g.open; w != nil && w.Mode == Steps && w.Range.To == g.step {
		g.stop()
	}
	g.step++
}

// EndLoop ends the loop; whole says that it ran to its end, not into an early
// break or a failure.
func (g *Gate) EndLoop(whole bool) { g.endLoop(whole) }

func (g *Gate) endLoop(whole bool) {
	if !g.inLoop {
		return
	}
	if w := g.open; w != nil && (w.Mode == Steps || w.Mode == PreDenoise) {
		g.stop()
	}
	if !g.warm {
		g.report.loop(g.spec, g.request, g.loop, g.step)
	}
	if whole && g.step > 0 && g.arm {
		g.start(Window{Mode: PostDenoise})
	}
	g.arm = false
	g.inLoop = false
	g.loop++
}

// BeginDecode and EndDecode frame a decode stage.
func (g *Gate) BeginDecode() {
	if g.inside && !g.warm && g.spec.Mode == Decode && g.open == nil {
		g.start(Window{Mode: Decode})
	}
}

// EndDecode ends the decode stage.
func (g *Gate) EndDecode() {
	if g.open != nil && g.open.Mode == Decode {
		g.stop()
	}
}

// Open returns the window that is open.
func (g *Gate) Open() (Window, bool) {
	if g.open == nil {
		return Window{}, false
	}
	return *g.open, true
}

func (g *Gate) start(w Window) {
	w.Request = g.request
	if err := g.rec.Open(w); err != nil {
		g.report.refused(w, fmt.Errorf("open window %s: %w", w, err))
		return
	}
	g.open = &w
}

func (g *Gate) stop() {
	if g.open == nil {
		return
	}
	w := *g.open
	g.open = nil
	if w.Mode == Steps {
		w.To = min(w.Range.To, g.begun)
	}
	if err := g.rec.Close(w); err != nil {
		g.report.fail(fmt.Errorf("close window %s: %w", w, err))
	}
	g.report.entered(w)
	if w.Provisional {
		g.last = append(g.last, w)
	}
}

// String names a window for messages and files: "request 0, loop 1, steps 0-4".
func (w Window) String() string {
	if w.Mode != Steps {
		return fmt.Sprintf("%s, request %d", w.Mode, w.Request)
	}
	return fmt.Sprintf("request %d, loop %d, steps %d-%d", w.Request, w.Loop, w.From, max(w.To, w.From))
}
