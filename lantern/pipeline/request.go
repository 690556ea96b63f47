package pipeline

import (
	"errors"
	"fmt"
	"image"

	"reel/lantern/wan"
)

// Kind is a way to generate.
type Kind string

// The kinds. An image to begin from goes with all of them.
const (
	Auto      Kind = ""          // text to image or video, by the number of frames
	Text      Kind = "text"      // one denoise loop over the whole clip
	TwoStage  Kind = "two-stage" // a loop at half the size, upsampling, a second loop that refines
	Streaming Kind = "streaming" // block after block, each with a loop of its own
)

// Request says what to make. Zeros are the engine's choice.
type Request struct {
	Prompt   string
	Negative string  // what to keep away from
	Kind     Kind    //
	Width    int     // pixels; a multiple of 16 with Wan's models; 0 is 64
	Height   int     //
	Frames   int     // 1 is a picture; else 1 + 4n; 0 is 17. Streaming makes as many as its blocks hold
	Steps    int     // of a denoise loop; 0 is 20
	Guidance float32 // of the prompt; 0 is 4; 1 is none, at half the time
	Seed     uint64  // of the noise: the same request with the same seed makes the same clip

	Image    image.Image // to begin from; the first frame of a clip, or what a picture is made of
	Strength float64     // of the noise over Image in a picture, and of the second of two stages: 0 to 1; 0 is 0.6

	Blocks      int // of streaming; 0 is 4
	BlockFrames int // latent frames of a block; 0 is 2

	Latents []float32 // in place of noise, [ZDim, T, h, w]; one denoise loop alone
	WarmUp  bool      // opens no window and is no iteration of a session

	// Progress is told as denoise steps are done, of all loops; it must not block.
	Progress func(done, all int)
}

// ErrRequest is wrapped by errors that are the request's own fault.
var ErrRequest = errors.New("request")

// The bounds of requests. What fits into memory may be less.
const (
	maxSide   = 2048
	maxFrames = 1025
	maxBlocks = 10_000
	maxTokens = 1 << 17 // patches of one attention
)

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRequest, fmt.Sprintf(format, args...))
}

// geometry is the sizes of a request on the device.
type geometry struct {
	frames, height, width int // pixels
	t, h, w               int // latents
}

// scale of latents to pixels: a frame of latents is so many pixels to a side, and so
// many frames.
func (e *Engine) scale() (space, time int) {
	space, time = 1<<(len(e.models.VAE.Config.DimMult)-1), 1
	for _, down := range e.models.VAE.Config.TimeDown {
		if down {
			time *= 2
		}
	}
	return space, time
}

// complete fills in what a request leaves open and checks the rest.
func (e *Engine) complete(r Request) (Request, geometry, error) {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	set(&r.Width, 64)
	set(&r.Height, r.Width)
	set(&r.Frames, 17)
	set(&r.Steps, 20)
	set(&r.Blocks, 4)
	set(&r.BlockFrames, 2)
	if r.Guidance == 0 {
		r.Guidance = 4
	}
	if r.Strength == 0 {
		r.Strength = 0.6
	}
	switch r.Kind {
	case Auto:
		r.Kind = Text
	case Text, TwoStage, Streaming:
	default:
		return r, geometry{}, refuse("pipeline %q: want %s, %s or %s", r.Kind, Text, TwoStage, Streaming)
	}
	g, err := e.geometry(r)
	if err != nil {
		return r, g, err
	}
	return r, g, e.check(r, g)
}

func (e *Engine) geometry(r Request) (g geometry, err error) {
	space, time := e.scale()
	p := e.models.Transformer.Config.PatchSize
	unit := space * max(p[1], p[2])
	if r.Kind == TwoStage {
		unit *= 2
	}
	if r.Width < unit || r.Height < unit || r.Width > maxSide || r.Height > maxSide || r.Width%unit != 0 || r.Height%unit != 0 {
		return g, refuse("%d x %d pixels: sides are multiples of %d, up to %d", r.Width, r.Height, unit, maxSide)
	}
	if r.Frames < 1 || r.Frames > maxFrames || (r.Frames-1)%time != 0 {
		return g, refuse("%d frames: 1, or 1 more than a multiple of %d, up to %d", r.Frames, time, maxFrames)
	}
	g = geometry{frames: r.Frames, height: r.Height, width: r.Width, t: 1 + (r.Frames-1)/time, h: r.Height / space, w: r.Width / space}
	if r.Kind == Streaming {
		g.t = r.BlockFrames
	}
	if n := g.t * (g.h / p[1]) * (g.w / p[2]); n > maxTokens {
		return g, refuse("%d frames of %d x %d pixels: %d patches at once, at most %d", r.Frames, r.Width, r.Height, n, maxTokens)
	}
	return g, nil
}

func (e *Engine) check(r Request, g geometry) error {
	if len(r.Prompt) > 1<<16 || len(r.Negative) > 1<<16 {
		return refuse("a prompt of more than %d bytes", 1<<16)
	}
	if r.Steps < 1 || r.Steps > wan.MaxSteps {
		return refuse("%d steps: 1 to %d", r.Steps, wan.MaxSteps)
	}
	if !(r.Guidance >= 0 && r.Guidance <= 100) {
		return refuse("guidance %g: 0 to 100", r.Guidance)
	}
	if !(r.Strength > 0 && r.Strength <= 1) {
		return refuse("strength %g: above 0, 1 at most", r.Strength)
	}
	if r.Blocks < 1 || r.Blocks > maxBlocks || r.BlockFrames < 1 || r.BlockFrames > 64 {
		return refuse("%d blocks of %d latent frames: 1 to %d of 1 to 64", r.Blocks, r.BlockFrames, maxBlocks)
	}
	if r.Latents != nil {
		if want := e.models.VAE.Config.ZDim * g.t * g.h * g.w; len(r.Latents) != want {
			return refuse("%d latent values: %d x %d x %d x %d = %d are wanted", len(r.Latents), e.models.VAE.Config.ZDim, g.t, g.h, g.w, want)
		}
		if r.Kind != Text || r.Image != nil {
			return refuse("latents of one's own go with one denoise loop and no image")
		}
	}
	return nil
}
