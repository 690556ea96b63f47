package pipeline

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"reel/lantern/device"
	"reel/rec"
)

// watcher notes ranges and marks as they come.
type watcher struct {
	rec.Noop
	mu   sync.Mutex
	open int
	seen []string
}

func (w *watcher) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, s)
}

type watched struct{ w *watcher }

func (r watched) End() {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.w.open--
}

func (w *watcher) Range(ctx context.Context, name string) rec.Range {
	return w.RangeAs(ctx, rec.Label{Name: name})
}

func (w *watcher) RangeAs(_ context.Context, l rec.Label) rec.Range {
	name := l.Name
	if l.Indexed {
		name = fmt.Sprintf("%s[%d]", name, l.Index)
	}
	w.note(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open++
	return rec.RangeOf(watched{w})
}

func (w *watcher) Event(_ context.Context, name string, _ int, _ rec.StepID) { w.note("!" + name) }

// stages are the ranges that a person looks for, in their order; steps as one
// word with their number.
func (w *watcher) stages() string {
	var out []string
	steps := 0
	flush := func() {
		if steps > 0 {
			out = append(out, fmt.Sprintf("%d steps", steps))
		}
		steps = 0
	}
	for _, s := range w.seen {
		switch {
		case strings.HasPrefix(s, "denoise["):
			steps++
		case strings.HasPrefix(s, "pipeline."), s == "request", s == "block", strings.HasPrefix(s, "!"):
			flush()
			out = append(out, strings.TrimPrefix(s, "pipeline."))
		}
	}
	flush()
	return strings.Join(out, " ")
}

// tiny is an engine of a small random model.
func tiny(t *testing.T) (*Engine, *watcher) {
	t.Helper()
	w := &watcher{}
	e, err := Open(t.Context(), os.DirFS("../wan/testdata/model"), Options{Worker: rec.NewWorker(w, rec.WorkerOptions{}), TextTokens: 16})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if m := e.dev.Memory(); m.Allocated != 0 {
			t.Errorf("%d bytes of the device are lost", m.Allocated)
		}
	})
	return e, w
}

// side is the smallest side that the tiny model makes.
func side(e *Engine) int {
	space, _ := e.scale()
	return space * e.models.Transformer.Config.PatchSize[1]
}

func TestText(t *testing.T) {
	e, w := tiny(t)
	for _, frames := range []int{1, 9} {
		w.seen = nil
		r, err := e.Generate(t.Context(), Request{Prompt: "a b", Width: side(e), Frames: frames, Steps: 3, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Frames) != frames || r.Frames[0].Bounds().Dx() != side(e) {
			t.Errorf("%d frames of %v", len(r.Frames), r.Frames[0].Bounds())
		}
		if got := w.stages(); got != "!pipeline.generate request encode diffuse 3 steps decode" {
			t.Errorf("%s", got)
		}
	}
	if w.open != 0 {
		t.Errorf("%d ranges are open", w.open)
	}
}

// TestSame: the same request gives the same frames; another seed others; the noise
// of one's own is what is used.
func TestSame(t *testing.T) {
	e, _ := tiny(t)
	make1 := func(r Request) *Result {
		r.Prompt, r.Width, r.Frames, r.Steps = "a", side(e), 5, 2
		res, err := e.Generate(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	a, b, c := make1(Request{Seed: 1}), make1(Request{Seed: 1}), make1(Request{Seed: 2})
	if !slices.Equal(a.Latents, b.Latents) || slices.Equal(a.Latents, c.Latents) {
		t.Error("the seed does not decide")
	}
	noise := make([]float32, len(a.Latents))
	for i := range noise {
		noise[i] = float32(math.Sin(float64(i)))
	}
	if d, f := make1(Request{Latents: noise, Seed: 1}), make1(Request{Latents: noise, Seed: 2}); !slices.Equal(d.Latents, f.Latents) {
		t.Error("latents of one's own are not used")
	}
}

func TestTwoStage(t *testing.T) {
	e, w := tiny(t)
	r, err := e.Generate(t.Context(), Request{Prompt: "a", Kind: TwoStage, Width: 2 * side(e), Frames: 5, Steps: 4, Strength: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.stages(); got != "!pipeline.generate request encode diffuse 4 steps upsample diffuse 2 steps decode" {
		t.Errorf("%s", got)
	}
	if r.Frames[0].Bounds().Dx() != 2*side(e) {
		t.Errorf("%v", r.Frames[0].Bounds())
	}
}

// TestStreaming: blocks with a loop, a decode and a finalize each; the prompt is
// encoded when it changes.
func TestStreaming(t *testing.T) {
	e, w := tiny(t)
	r, err := e.Generate(t.Context(), Request{Prompt: "a", Kind: Streaming, Width: side(e), Steps: 2, Blocks: 3, BlockFrames: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, time := e.scale()
	if want := 1 + (3*2-1)*time; len(r.Frames) != want {
		t.Errorf("%d frames, want %d", len(r.Frames), want)
	}
	one := "!pipeline.generate block encode diffuse 2 steps decode finalize"
	if got := w.stages(); got != strings.Join([]string{one, one, one}, " ") {
		t.Errorf("%s", got)
	}
}

// TestLongStream: memory does not grow with the clip.
func TestLongStream(t *testing.T) {
	e, _ := tiny(t)
	s, err := e.Stream(Request{Prompt: "a", Width: side(e), Steps: 1, BlockFrames: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var at int64
	for i := range 12 {
		prompt := ""
		if i == 8 {
			prompt = "b"
		}
		if _, err := s.Next(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
		if m := e.dev.Memory().Allocated; i == 6 {
			at = m
		} else if i > 6 && m > at {
			t.Fatalf("block %d: %d bytes, %d before", i, m, at)
		}
	}
	s.Reset(7)
	if _, err := s.Next(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// picture is an image to begin from.
func picture() image.Image {
	img := image.NewRGBA(image.Rect(3, 5, 40, 31))
	for y := 5; y < 31; y++ {
		for x := 3; x < 40; x++ {
			img.Set(x, y, color.RGBA{uint8(6 * x), 20, uint8(8 * y), 255})
		}
	}
	return img
}

func TestImage(t *testing.T) {
	e, w := tiny(t)
	for _, c := range []struct {
		r      Request
		stages string
		frames int
	}{
		{Request{Frames: 1, Strength: 0.5}, "encode encode diffuse 2 steps decode", 1},
		{Request{Frames: 5}, "encode encode finalize diffuse 4 steps decode", 5},
	} {
		w.seen = nil
		c.r.Prompt, c.r.Width, c.r.Steps, c.r.Image = "a", side(e), 4, picture()
		r, err := e.Generate(t.Context(), c.r)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.stages(); got != "!pipeline.generate request "+c.stages || len(r.Frames) != c.frames {
			t.Errorf("%d frames: %s", len(r.Frames), got)
		}
	}
	w.seen = nil
	if _, err := e.Reconstruct(t.Context(), picture(), side(e), side(e)); err != nil {
		t.Fatal(err)
	}
	if got := w.stages(); got != "!pipeline.generate request" {
		t.Errorf("%s", got)
	}
}

func TestPlanes(t *testing.T) {
	v := planes(picture(), 4, 4)
	for i, x := range v {
		if x < -1 || x > 1 {
			t.Fatalf("value %d is %g", i, x)
		}
	}
	if v[0] >= v[3] { // red grows to the right
		t.Errorf("%v", v[:4])
	}
	if big := planes(picture(), 100, 90); len(big) != 3*9000 {
		t.Error("a larger size")
	}
}

func TestRefuses(t *testing.T) {
	e, _ := tiny(t)
	for _, r := range []Request{{Width: 7}, {Width: 1 << 20}, {Width: -16}, {Frames: 2}, {Frames: -1}, {Frames: 5001}, {Steps: -1}, {Steps: 1e6},
		{Guidance: -1}, {Guidance: float32(math.NaN())}, {Strength: 2}, {Strength: math.NaN()}, {Kind: "x"}, {Kind: Streaming, Blocks: -1},
		{Latents: []float32{1}}, {Prompt: strings.Repeat("a", 1<<17)}} {
		if r.Width == 0 {
			r.Width = side(e)
		}
		if _, err := e.Generate(t.Context(), r); !errors.Is(err, ErrRequest) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestCancel: a request that is called off ends soon, with the context's error, and
// the next one works.
func TestCancel(t *testing.T) {
	e, w := tiny(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := Request{Prompt: "a", Width: side(e), Frames: 5, Steps: 1000, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}}
	if _, err := e.Generate(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if n := strings.Count(strings.Join(w.seen, " "), "denoise["); n > 20 {
		t.Errorf("%d steps were taken", n)
	}
	if _, err := e.Generate(t.Context(), Request{Prompt: "a", Width: side(e), Frames: 1, Steps: 2}); err != nil {
		t.Error(err)
	}
	if w.open != 0 {
		t.Errorf("%d ranges are open", w.open)
	}
}

// TestProgress: every step is told, in order, of all loops together.
func TestProgress(t *testing.T) {
	e, _ := tiny(t)
	var got []int
	r := Request{Prompt: "a", Kind: TwoStage, Width: 2 * side(e), Frames: 1, Steps: 4, Progress: func(done, all int) {
		if all != 6 {
			t.Errorf("of %d", all)
		}
		got = append(got, done)
	}}
	if _, err := e.Generate(t.Context(), r); err != nil || !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v %v", got, err)
	}
}

// TestMemory: a device that is too small refuses, and goes on.
func TestMemory(t *testing.T) {
	e, err := Open(t.Context(), os.DirFS("../wan/testdata/model"), Options{Worker: rec.NewWorker(rec.Noop{}, rec.WorkerOptions{}), Device: device.Options{Memory: 24 << 20}})
	if err != nil {
		t.Skipf("skipped: the model alone does not fit: %v", err)
	}
	defer e.Close()
	var oom *device.OutOfMemory
	if _, err := e.Generate(t.Context(), Request{Prompt: "a", Width: 256, Frames: 17, Steps: 1}); !errors.As(err, &oom) {
		t.Errorf("%v", err)
	}
	if _, err := e.Generate(t.Context(), Request{Prompt: "a", Width: side(e), Frames: 1, Steps: 1}); err != nil {
		t.Error(err)
	}
}
