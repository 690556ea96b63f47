package cli

import (
	"context"
	"fmt"
	"image"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reel/lantern/live"
	"reel/lantern/pipeline"
	"reel/lantern/session"
	"reel/rec"
)

// game is the application of reel play: a streaming clip whose prompt the inputs
// change.
type game struct {
	b      *bench
	f      playFlags
	r      pipeline.Request
	keys   []keyPress
	stats  *rec.StatsFile
	screen *live.Screen // nil without --view

	stream  *pipeline.Stream
	session atomic.Pointer[session.Session] // nil until Init is through: the view is there before
	timers  []*time.Timer                   // of keys
	prompt  string                          // of the model loop
	resets  uint64

	mu    sync.Mutex
	scene string // the prompt, for the screen

	shown []*image.RGBA // with --output

	// The presenter's own count, independent of what is recorded.
	count   int
	recent  [30]time.Time // when the latest frames were shown, frame n at n modulo the length
	longest time.Duration // between two frames
}

// maxShown bounds the frames that are kept for the output.
const maxShown = 20_000

// Init loads the stream and registers the loops.
func (g *game) Init(ctx context.Context, s *session.Session) error {
	var err error
	if g.stream, err = g.b.engine.Stream(g.r); err != nil {
		return err
	}
	g.prompt = g.r.Prompt
	g.setScene(g.prompt)
	s.Model(g.block)
	s.UI(g.show)
	g.session.Store(s)
	for _, k := range g.keys {
		g.timers = append(g.timers, time.AfterFunc(k.at, func() { g.input(strings.Replace(k.event, "say ", "say: ", 1)) }))
	}
	return nil
}

// close stops what would still come, and frees the stream.
func (g *game) close() {
	for _, t := range g.timers {
		t.Stop()
	}
	g.session.Store(nil)
	if g.stream != nil {
		g.stream.Close()
	}
}

// block is a step of the model loop: it takes the inputs and makes the next block.
func (g *game) block(ctx context.Context, st session.Step) (session.Result, error) {
	if st.Generation > 0 && st.Index == 0 {
		g.resets++
		g.stream.Reset(g.r.Seed + g.resets)
	}
	changed := ""
	for _, batch := range st.Inputs {
		for _, e := range batch.Events {
			if p := steer(g.prompt, e); p != g.prompt {
				g.prompt, changed = p, p
			}
		}
	}
	if st.Index == 0 {
		changed = g.prompt
	}
	frames, err := g.stream.Next(ctx, changed)
	if err != nil {
		return session.Result{}, err
	}
	g.setScene(g.prompt)
	return session.Result{Frames: frames, Metrics: g.b.memory()}, nil
}

func (g *game) setScene(p string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.scene = p
}

// show is a turn of the UI loop.
func (g *game) show(ctx context.Context, f session.Frame) error {
	if !f.New {
		return nil
	}
	now := time.Now()
	if g.count > 0 {
		g.longest = max(g.longest, now.Sub(g.recent[(g.count-1)%len(g.recent)]))
	}
	g.recent[g.count%len(g.recent)] = now
	g.count++
	if g.f.out != "" && len(g.shown) < maxShown {
		g.shown = append(g.shown, f.Image)
	}
	if g.screen != nil {
		gen, step, _ := f.Step.Parts()
		g.mu.Lock()
		scene := g.scene
		g.mu.Unlock()
		g.screen.Show(f.Image, live.State{Frame: g.count, Generation: gen, Step: step, Rate: g.rate(), Prompt: scene})
	}
	return nil
}

// rate is the frames per second over the last ones.
func (g *game) rate() float64 {
	n := min(g.count, len(g.recent)) - 1
	if n < 1 {
		return 0
	}
	last := g.count - 1
	span := g.recent[last%len(g.recent)].Sub(g.recent[(last-n)%len(g.recent)])
	if span <= 0 {
		return 0
	}
	return float64(n) / span.Seconds()
}

// input hands in events; those that the game does not know, and those that come when
// no session runs, are of no use.
func (g *game) input(events ...string) {
	s := g.session.Load()
	if s == nil {
		return
	}
	var known []string
	for _, e := range events {
		switch _, said := strings.CutPrefix(e, "say: "); {
		case e == "reset":
			s.Reset()
		case said && len(e) > len("say: "), !said && arrow(e):
			known = append(known, e)
		}
	}
	s.Input(known...)
}

func (g *game) restart() { g.input("reset") }

var moving = regexp.MustCompile(`\b(moving|going) (left|right|up|down)\b`)

// arrow reports whether a key is one that steers.
func arrow(key string) bool {
	switch key {
	case "left", "right", "up", "down":
		return true
	}
	return false
}

// knownEvent reports whether an event of --keys is one that the game takes.
func knownEvent(e string) bool {
	return arrow(e) || e == "reset" || strings.HasPrefix(e, "say ") && len(e) > len("say ")
}

// steer is the prompt behind an input: another direction, or another scene.
func steer(prompt, event string) string {
	if text, ok := strings.CutPrefix(event, "say: "); ok {
		return text
	}
	to := fmt.Sprintf("moving %s", event)
	if moving.MatchString(prompt) {
		return moving.ReplaceAllString(prompt, to)
	}
	if before, after, ok := strings.Cut(prompt, " on "); ok {
		return before + " " + to + " on " + after
	}
	return prompt + " " + to
}
