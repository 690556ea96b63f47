package cli

import (
	"context"
	"fmt"
	"image"
	"regexp"
	"strings"
	"sync"
	"time"

	"reel/lantern/live"
	"reel/lantern/pipeline"
	"reel/lantern/session"
)

// game is the application of reel play: a streaming clip whose prompt the inputs
// change.
type game struct {
	b      *bench
	f      playFlags
	r      pipeline.Request
	keys   []keyPress
	stats  *session.StatsFile
	screen *live.Screen // nil without --view

	stream  *pipeline.Stream
	session *session.Session
	prompt  string // of the model loop
	resets  uint64

	mu    sync.Mutex
	scene string // the prompt, for the screen

	shown []*image.RGBA // with --output
	last  time.Time
	gaps  []time.Duration
	count int
}

// maxShown bounds the frames that are kept for the output.
const maxShown = 20_000

// Init loads the stream and registers the loops.
func (g *game) Init(ctx context.Context, s *session.Session) error {
	var err error
	if g.stream, err = g.b.engine.Stream(g.r); err != nil {
		return err
	}
	g.session, g.prompt = s, g.r.Prompt
	g.setScene(g.prompt)
	s.Model(g.block)
	s.UI(g.show)
	for _, k := range g.keys {
		time.AfterFunc(k.at, func() {
			if k.event == "reset" {
				s.Reset()
				return
			}
			s.Input(strings.Replace(k.event, "say ", "say: ", 1))
		})
	}
	return nil
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
	if !g.last.IsZero() {
		g.gaps = append(g.gaps, now.Sub(g.last))
	}
	g.last = now
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
	n := min(len(g.gaps), 30)
	var sum time.Duration
	for _, d := range g.gaps[len(g.gaps)-n:] {
		sum += d
	}
	if sum <= 0 {
		return 0
	}
	return float64(n) / sum.Seconds()
}

func (g *game) input(events ...string) {
	var known []string
	for _, e := range events {
		if knownEvent(strings.Replace(e, "say: ", "say ", 1)) {
			known = append(known, e)
		}
	}
	g.session.Input(known...)
}

func (g *game) restart() { g.session.Reset() }

var moving = regexp.MustCompile(`\b(moving|going) (left|right|up|down)\b`)

// knownEvent reports whether an input is one that the game takes.
func knownEvent(e string) bool {
	switch e {
	case "left", "right", "up", "down", "reset":
		return true
	}
	return strings.HasPrefix(e, "say ") && len(e) > 4
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
