package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reel/internal/display"
	"reel/internal/report"
	"reel/lantern/live"
	"reel/lantern/media"
	"reel/lantern/pipeline"
	"reel/lantern/session"
	"reel/rec"
	"reel/unit"
)

// playFlags are those of reel play.
type playFlags struct {
	engineFlags
	prompt, size, out, stats, timeout, keys, addr string
	steps, blocks, blockFrames, queue, scale      int
	seed                                          uint64
	guidance                                      float32
	fps, rate                                     float64
	latest, view, open                            bool
}

func (a *app) playCmd() *cobra.Command {
	var f playFlags
	c := &cobra.Command{
		Use:     "play",
		Short:   "the built-in interactive session: model loop, UI loop, inputs",
		GroupID: "demo",
		Long: `Runs Lantern as an interactive session under the profiler: a model loop makes block
after block, a UI loop presents frames at its own rate, and key presses steer the
scene. It is headless, with inputs from --keys, unless --view shows it in the
browser. It ends after --blocks, at --timeout, or with Ctrl-C; then it says how
evenly frames came and how long inputs took to the screen.`,
		Example: `  reel play --view
  reel play --blocks 20 --keys "1s:up,2.5s:left,4s:say a green square moving down on a white background"
  reel play --fps 30 --timeout 10s --stats-path stats.json -o session.gif`,
		Args: a.noArgs,
		RunE: a.run(func(c *cobra.Command, _ []string) error {
			a.ownsSignals.Store(true)
			return a.play(c.Context(), f)
		}),
	}
	s := c.Flags()
	s.StringVar(&f.prompt, "prompt", demoPrompt, "the scene")
	s.StringVar(&f.size, "size", "64x64", "pixels: `WIDTHxHEIGHT`")
	s.IntVar(&f.steps, "steps", 6, "denoise steps of a block")
	s.Float32Var(&f.guidance, "guidance", 2.5, "how closely to follow the prompt; 1 is not at all, at half the time")
	s.Uint64Var(&f.seed, "seed", 1, "of the noise")
	s.IntVar(&f.blocks, "blocks", 0, "end after so many blocks; 0 goes on")
	s.IntVar(&f.blockFrames, "block-frames", 2, "latent frames of a block; each is four frames")
	s.Float64Var(&f.fps, "fps", pipeline.FrameRate, "frames shown per second")
	s.Float64Var(&f.rate, "step-rate", 0, "blocks per second that the model loop holds; 0 is as the screen takes them")
	s.IntVar(&f.queue, "queue", 1, "blocks that may wait for the screen")
	s.BoolVar(&f.latest, "latest", false, "show the newest block at once and drop what waits; else the model waits for the screen")
	s.StringVar(&f.keys, "keys", "", "inputs at set times: `TIME:EVENT,…`, an event being left, right, up, down, reset, or say TEXT")
	s.BoolVar(&f.view, "view", false, "show the session in the browser, and take its key presses")
	s.BoolVar(&f.open, "open", false, "open the browser")
	s.StringVar(&f.addr, "addr", "127.0.0.1:0", "where --view listens; this machine alone")
	s.StringVar(&f.stats, "stats-path", "", "write statistics per block to this `FILE`; stages then wait for the device")
	s.StringVar(&f.timeout, "timeout", "", "end the session after this `TIME` (10, 1m), loading included; 0 or nothing goes on")
	s.StringVarP(&f.out, "output", "o", "", "write what was shown: `FILE`.gif, .apng or, with ffmpeg, .mp4")
	s.IntVar(&f.scale, "scale", 4, "how many times as large the clip is written")
	f.engineFlags.add(c)
	return c
}

func (f *playFlags) request() (r pipeline.Request, err error) {
	w, h, err := parseSize(f.size)
	if err != nil {
		return r, err
	}
	if !(f.fps > 0 && f.fps <= 1000) || !(f.rate >= 0) || f.queue < 1 || f.queue > 1000 || f.scale < 1 || f.scale > 64 || f.blocks < 0 {
		return r, misusef("--fps, --step-rate, --queue, --scale or --blocks is out of range")
	}
	if f.blocks == 0 && f.timeout == "" && !f.view && f.keys == "" {
		return r, misusef("nothing would end this session and nobody would see it: say --blocks, --timeout or --view")
	}
	if f.view {
		if host, _, err := net.SplitHostPort(f.addr); err != nil || !loopback(host) {
			return r, misusef("--addr %q: the view is for this machine: 127.0.0.1:PORT", f.addr)
		}
	}
	return pipeline.Request{Prompt: f.prompt, Width: w, Height: h, Steps: f.steps, Guidance: f.guidance, Seed: f.seed, BlockFrames: f.blockFrames,
		Blocks: max(f.blocks, 1)}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (a *app) play(ctx context.Context, f playFlags) error {
	began := time.Now()
	r, err := f.request()
	if err != nil {
		return err
	}
	timeout, err := parseTimeout(f.timeout)
	if err != nil {
		return err
	}
	keys, err := parseKeys(f.keys)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := outputFree(f.out, f.force); err != nil {
			return err
		}
	}
	f.stats = cmp.Or(f.stats, a.Getenv(rec.EnvStatsPath))
	b, err := a.openBench(ctx, "play", &f.engineFlags, benchNeeds{stats: f.stats != ""})
	if err != nil {
		return err
	}
	g := &game{b: b, f: f, r: r, keys: keys}
	if timeout > 0 {
		timeout = max(timeout-time.Since(began), 1) // loading is part of it
	}
	rep, err := g.run(ctx, timeout)
	if end := b.close(ctx); err == nil {
		err = end
	}
	if err != nil {
		b.tellPartial(err)
		return requestError(err)
	}
	return g.tell(ctx, rep)
}

// run runs the session. Ctrl-C is a way to end it.
func (g *game) run(ctx context.Context, timeout time.Duration) (session.Report, error) {
	if g.f.view {
		stop, err := g.serve()
		if err != nil {
			return session.Report{}, err
		}
		defer stop()
	}
	o := session.Options{Profiler: g.b.engine.Worker(), Steps: g.f.blocks, FrameRate: g.f.fps, StepRate: g.f.rate, Queue: g.f.queue, Latest: g.f.latest,
		Timeout: timeout, Sync: g.b.sync, Log: g.b.a.logger()}
	g.f.stats, g.stats = g.b.statistics(g.f.stats)
	o.Stats = g.stats
	rep, err := session.Run(ctx, g, o)
	g.close()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = nil // Ctrl-C
	}
	return rep, err
}

// serve shows the session in the browser.
func (g *game) serve() (stop func(), err error) {
	l, err := net.Listen("tcp", g.f.addr)
	if err != nil {
		return nil, err
	}
	g.screen = live.New(g.input, g.restart)
	srv := &http.Server{Handler: g.screen.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }() // it ends with Close
	url := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(g.b.a.Err, "live at %s\n", url)
	if g.f.open {
		openBrowser(url)
	}
	return func() {
		g.screen.Close()
		_ = srv.Close() // what it still sends is of no use
	}, nil
}

// openBrowser asks the desktop to open a page; where there is none, nothing
// happens.
func openBrowser(url string) {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	if c := exec.Command(name, url); c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}

// tell says how the session went.
func (g *game) tell(ctx context.Context, rep session.Report) error {
	a := g.b.a
	fmt.Fprintf(a.Out, "%s: %d frames of %d blocks shown, %d made and not shown, %d inputs; ended: %s\n", display.Clean(relative(g.b.dir)), rep.Shown, rep.Steps, rep.Dropped, rep.Inputs, rep.Ended)
	if g.count > 1 {
		fmt.Fprintf(a.Out, "the presenter's own count: %d frames, longest interval %v\n", g.count, unit.Dur(g.longest))
	}
	if g.f.out != "" && len(g.shown) > 0 {
		if err := media.Write(context.WithoutCancel(ctx), g.f.out, media.Clip{Frames: g.shown, Rate: g.f.fps}.Scale(g.f.scale), g.f.force); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s\n", display.Clean(g.f.out))
	}
	if g.stats != nil {
		if err := g.stats.Write(g.f.stats, g.f.force); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s\n", display.Clean(relative(g.f.stats)))
	}
	if g.b.dir == "" {
		return nil
	}
	read, stop := interruptible()
	defer stop()
	d, err := a.frames(read, []string{relative(g.b.dir)}, -1, false)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Out)
	if err := report.Frames(a.Out, d, a.layout()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "\nlook closer: reel frames %[1]s --frame 10 · reel summary %[1]s\n", display.Clean(relative(g.b.dir)))
	return err
}

// keyPress is an input at a time of the session.
type keyPress struct {
	at    time.Duration
	event string
}

// parseKeys reads "1s:left,2.5s:say a green square".
func parseKeys(text string) (keys []keyPress, err error) {
	if text == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		at, event, ok := strings.Cut(strings.TrimSpace(part), ":")
		d, err := time.ParseDuration(at)
		event = strings.TrimSpace(event)
		if !ok || err != nil || d < 0 || !knownEvent(event) {
			return nil, misusef("--keys %q: want TIME:EVENT with commas between them, as 1s:left,2s:say a green square", part)
		}
		keys = append(keys, keyPress{d, event})
	}
	return keys, nil
}
