package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reel/control"
	"reel/internal/yaml"
	"reel/lantern/media"
	"reel/lantern/pipeline"
	"reel/rec"
	"reel/window"
)

// engineFlags are what demo, play and serve have in common.
type engineFlags struct {
	model                         string
	config, window, report        string
	shapes, stacks, flops, memory bool
	force                         bool
}

func (f *engineFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.model, "model", "", "a Diffusers `FOLDER` of class WanPipeline (default: the built-in model)")
	s.StringVar(&f.config, "profiler-config", "", "a profiler_config, as JSON or a `FILE` of YAML or JSON")
	s.StringVar(&f.report, "report-path", "", "the run `FOLDER` (default artifacts/profiles/APP-TIME-PID)")
	s.BoolVar(&f.shapes, "shapes", false, "record the shapes of operators' inputs")
	s.BoolVar(&f.stacks, "stacks", false, "record the Go calls that led to operators")
	s.BoolVar(&f.flops, "flops", true, "record floating-point operations and bytes")
	s.BoolVar(&f.memory, "memory", false, "record allocations on the device")
	s.BoolVar(&f.force, "force", false, "overwrite the output")
	_ = c.MarkFlagDirname("model") // fails for unknown flags only
	_ = c.MarkFlagDirname("report-path")
}

func (f *engineFlags) profiler() (cfg control.Config, err error) {
	if f.config == "" {
		return cfg, nil
	}
	cfg, err = control.Load(f.config, yaml.Decode)
	if err != nil {
		return cfg, misusef("--profiler-config: %w", err)
	}
	return cfg, nil
}

// demoFlags are those of reel demo.
type demoFlags struct {
	engineFlags
	prompt, negative, size, kind, image, out, stats string
	frames, steps, blocks, scale                    int
	seed                                            uint64
	guidance                                        float32
	strength                                        float64
	timeout                                         string
	view                                            bool
}

// demoPrompt is what reel demo makes when nothing is asked for.
const demoPrompt = "a red circle moving right on a blue background"

func (a *app) demoCmd() *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:     "demo",
		Short:   "make a clip with the built-in engine under the profiler",
		GroupID: "demo",
		Long: `Makes a picture or clip from a text with Lantern, the built-in text-to-video engine,
while it is profiled, and leaves a run folder: the recording, run.json, the clip,
and what --profiler-config asks for. Then it says where the time went.

The built-in model is tiny. It was trained on coloured circles, squares and
triangles that move over plain backgrounds; a Wan folder of your own goes with
--model.`,
		Example: `  reel demo
  reel demo --prompt "a green square moving up on a white background" --seed 7
  reel demo --frames 1 -o still.png
  reel demo --pipeline streaming --blocks 6 --stats-path stats.json
  reel demo --window 2-4 --stacks --shapes
  reel demo --profiler-config '{"profiler": "torch", "torch_profiler_dir": "./perf"}'`,
		Args: a.noArgs,
		RunE: a.run(func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), f) }),
	}
	f.add(c)
	return c
}

func (f *demoFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.prompt, "prompt", demoPrompt, "what to show")
	s.StringVar(&f.negative, "negative", "", "what to keep away from")
	s.StringVar(&f.size, "size", "64x64", "pixels: `WIDTHxHEIGHT`")
	s.IntVar(&f.frames, "frames", 17, "frames: 1 is a picture, else 1 more than a multiple of 4")
	s.IntVar(&f.steps, "steps", 20, "denoise steps")
	s.Uint64Var(&f.seed, "seed", 1, "of the noise")
	s.Float32Var(&f.guidance, "guidance", 4, "how closely to follow the prompt; 1 is not at all, at half the time")
	s.StringVar(&f.kind, "pipeline", string(pipeline.Text), fmt.Sprintf("%s, %s or %s", pipeline.Text, pipeline.TwoStage, pipeline.Streaming))
	s.IntVar(&f.blocks, "blocks", 4, "blocks of a streaming clip")
	s.StringVar(&f.image, "image", "", "a picture to begin from: `FILE`, PNG, JPEG or GIF")
	s.Float64Var(&f.strength, "strength", 0.6, "how much of a picture, or of the first stage, is made anew: above 0, to 1")
	s.StringVarP(&f.out, "output", "o", "", "the clip: `FILE`.gif, .apng, .png or, with ffmpeg, .mp4 (default in the run folder)")
	s.IntVar(&f.scale, "scale", 4, "how many times as large the clip is written")
	s.StringVar(&f.window, "window", "", "the parts of the request to record: "+window.Forms)
	s.StringVar(&f.stats, "stats-path", "", "write statistics per block to this `FILE`, with --pipeline streaming; stages then wait for the device")
	s.StringVar(&f.timeout, "timeout", "", "end the session after this `TIME` (20, 1m), with --pipeline streaming; what was made is kept")
	s.BoolVar(&f.view, "view", false, "show the run in the browser afterwards, until Ctrl-C")
	f.engineFlags.add(c)
	kinds := []string{string(pipeline.Text), string(pipeline.TwoStage), string(pipeline.Streaming)}
	_ = c.RegisterFlagCompletionFunc("pipeline", cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
}

// request reads the flags.
func (f *demoFlags) request() (r pipeline.Request, err error) {
	w, h, err := parseSize(f.size)
	if err != nil {
		return r, err
	}
	r = pipeline.Request{Prompt: f.prompt, Negative: f.negative, Kind: pipeline.Kind(f.kind), Width: w, Height: h, Frames: f.frames, Steps: f.steps,
		Guidance: f.guidance, Seed: f.seed, Strength: f.strength, Blocks: f.blocks}
	if f.scale < 1 || f.scale > 64 {
		return r, misusef("--scale %d: 1 to 64", f.scale)
	}
	for _, x := range []struct {
		name string
		bad  bool
	}{{"frames", f.frames < 1}, {"steps", f.steps < 1}, {"blocks", f.blocks < 1}, {"guidance", !(f.guidance > 0)}, {"strength", !(f.strength > 0 && f.strength <= 1)}} {
		if x.bad {
			return r, misusef("--%s is out of range", x.name)
		}
	}
	if err := f.fits(w, h); err != nil {
		return r, err
	}
	if r.Kind != pipeline.Streaming && (f.stats != "" || f.timeout != "") {
		return r, misusef("--stats-path and --timeout go with --pipeline streaming")
	}
	if f.image != "" {
		if r.Image, err = readImage(f.image); err != nil {
			return r, err
		}
	}
	return r, nil
}

// maxClip bounds the pixels of a clip as it is written: 1 GiB in memory.
const maxClip = 1 << 28

// fits refuses a clip that is too large to be written, before it is made.
func (f *demoFlags) fits(w, h int) error {
	frames := float64(f.frames)
	if f.kind == string(pipeline.Streaming) {
		frames = 8 * float64(f.blocks)
	}
	s := float64(f.scale)
	if n := frames * float64(w) * float64(h) * s * s; n > maxClip {
		return misusef("the clip would have %.3g pixels, %d times as large as it is made, and at most %.3g are written; make --scale, --size or its length less", n, f.scale, float64(maxClip))
	}
	return nil
}

func parseSize(s string) (w, h int, err error) {
	ws, hs, ok := strings.Cut(strings.ToLower(s), "x")
	w, errW := strconv.Atoi(ws)
	h, errH := strconv.Atoi(hs)
	if !ok || errW != nil || errH != nil || w < 1 || h < 1 {
		return 0, 0, misusef("--size %q: want WIDTHxHEIGHT", s)
	}
	return w, h, nil
}

// demo makes the clip and tells of the run.
func (a *app) demo(ctx context.Context, f demoFlags) error {
	began := time.Now()
	r, err := f.request()
	if err != nil {
		return err
	}
	timeout, err := parseTimeout(f.timeout)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := media.Fit(f.out); err != nil {
			return misusef("--output: %w", err)
		}
		if err := outputFree(f.out, f.force); err != nil {
			return err
		}
	}
	a.ownsSignals.Store(true) // from here on: the recording is closed whenever it ends
	if r.Kind == pipeline.Streaming {
		f.stats = cmp.Or(f.stats, a.Getenv(rec.EnvStatsPath))
	}
	b, err := a.openBench(ctx, "demo", &f.engineFlags, benchNeeds{window: f.window, stats: f.stats != ""})
	if err != nil {
		return err
	}
	if timeout > 0 {
		timeout = max(timeout-time.Since(began), 1) // loading is part of it
	}
	made, err := b.make(ctx, r, f, timeout)
	if end := b.close(ctx); err == nil {
		err = end
	}
	if err != nil {
		b.tellPartial(err)
		return err
	}
	if err := b.keep(ctx, made, f); err != nil {
		b.tellPartial(err)
		return err
	}
	if err := b.tell(made); err != nil || !f.view || b.dir == "" {
		return err
	}
	return a.viewRun(relative(b.dir))
}
