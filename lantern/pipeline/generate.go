package pipeline

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"

	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/wan"
	"reel/rec"
)

// FrameRate is how many frames of a clip make a second: Wan's models are trained at
// 16.
const FrameRate = 16

// Result is what a request made.
type Result struct {
	Request Request // with what it left open filled in
	Frames  []*image.RGBA
	Rate    float64   // frames per second
	Latents []float32 // that the frames were decoded from, normalised, [ZDim, T, h, w]; of the last block of a stream
	Memory  device.MemoryStats
}

// Generate makes a picture or clip. Errors that wrap ErrRequest are the request's
// fault; those of the device and of the context come as they are.
func (e *Engine) Generate(ctx context.Context, r Request) (*Result, error) {
	r, g, err := e.complete(r)
	if err != nil {
		return nil, err
	}
	if r.Kind == Streaming {
		return e.stream1(ctx, r)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dev.ResetPeak()
	res := &Result{Request: r, Rate: FrameRate}
	e.worker.Event(ctx, "pipeline.generate", 1, rec.StepID{})
	err = e.worker.Request(ctx, rec.RequestOptions{Loops: loops(r), WarmUp: r.WarmUp}, func(ctx context.Context) error {
		x := &run{e: e, r: r, g: g, o: e.ops(ctx), rng: rand.New(rand.NewPCG(r.Seed, 0)), all: steps(r)}
		defer x.o.Close()
		err := x.whole(ctx, res)
		x.close()
		return err
	})
	res.Memory = e.dev.Memory()
	if err != nil {
		return nil, e.recover(err)
	}
	return res, nil
}

// recover leaves the stream clean behind a request that failed.
func (e *Engine) recover(err error) error {
	_ = e.stream.Synchronize(context.Background()) // its error is err's cause, or follows from it
	return err
}

// loops is the number of denoise loops, steps that of all their steps.
func loops(r Request) int {
	if r.Kind == TwoStage {
		return 2
	}
	return 1
}

func steps(r Request) int {
	switch {
	case r.Kind == TwoStage:
		return r.Steps + partial(r)
	case r.Image != nil && r.Frames == 1:
		return partial(r)
	}
	return r.Steps
}

func partial(r Request) int { return min(r.Steps, max(1, int(float64(r.Steps)*r.Strength+0.5))) }

// whole makes the clip at once.
func (x *run) whole(ctx context.Context, res *Result) error {
	x.encode(ctx)
	o := x.o
	var latents nn.Tensor
	var err error
	switch {
	case x.r.Kind == TwoStage:
		latents, err = x.twoStage(ctx, o)
	case x.r.Image != nil && x.g.t == 1:
		latents, err = x.edit(ctx, o)
	case x.r.Image != nil:
		latents, err = x.animate(ctx, o)
	default:
		latents, err = x.text2(ctx, o)
	}
	if err != nil {
		return err
	}
	if res.Frames, err = x.decode(ctx, o, latents, nil); err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	res.Latents, err = o.ToHost(latents)
	return err
}

// text2 is one loop from noise.
func (x *run) text2(ctx context.Context, o *nn.Ops) (nn.Tensor, error) {
	s, err := x.schedule(1)
	if err != nil {
		return nn.Tensor{}, err
	}
	var latents nn.Tensor
	if x.r.Latents != nil {
		latents = o.FromHost(x.r.Latents, 1, x.e.models.VAE.Config.ZDim, x.g.t, x.g.h, x.g.w)
	} else {
		latents = x.noise(o, x.g.t, x.g.h, x.g.w)
	}
	x.diffuse(ctx, func() {
		for i := range rec.Steps(ctx, s.Steps()) {
			if !x.step(ctx, o, &latents, s, i, nil) {
				break
			}
		}
	})
	return latents, o.Err()
}

// twoStage makes the clip at half the size, makes that larger, and refines it from
// a part of the noise.
func (x *run) twoStage(ctx context.Context, o *nn.Ops) (nn.Tensor, error) {
	full, err := x.schedule(1)
	if err != nil {
		return nn.Tensor{}, err
	}
	part, err := x.schedule(x.r.Strength)
	if err != nil {
		return nn.Tensor{}, err
	}
	latents := x.noise(o, x.g.t, x.g.h/2, x.g.w/2)
	x.diffuse(ctx, func() {
		for i := range rec.Steps(ctx, full.Steps()) {
			if !x.step(ctx, o, &latents, full, i, nil) {
				break
			}
		}
	})
	latents = x.blend(o, x.upsample(ctx, o, latents), part)
	x.diffuse(ctx, func() {
		for i := range rec.Steps(ctx, part.Steps()) {
			if !x.step(ctx, o, &latents, part, i, nil) {
				break
			}
		}
	})
	return latents, o.Err()
}

// upsample doubles the latents' sides.
func (x *run) upsample(ctx context.Context, o *nn.Ops, small nn.Tensor) nn.Tensor {
	defer rec.Stage(ctx, "upsample").End()
	return o.UpsampleNearest(small, 2)
}

// edit makes a picture of the request's image: its latents under some noise.
func (x *run) edit(ctx context.Context, o *nn.Ops) (nn.Tensor, error) {
	s, err := x.schedule(x.r.Strength)
	if err != nil {
		return nn.Tensor{}, err
	}
	latents := x.blend(o, x.encodeImage(ctx, o), s)
	x.diffuse(ctx, func() {
		for i := range rec.Steps(ctx, s.Steps()) {
			if !x.step(ctx, o, &latents, s, i, nil) {
				break
			}
		}
	})
	return latents, o.Err()
}

// animate makes a clip that begins with the request's image: its latent frame is a
// clean block that the others attend to.
func (x *run) animate(ctx context.Context, o *nn.Ops) (nn.Tensor, error) {
	s, err := x.schedule(1)
	if err != nil {
		return nn.Tensor{}, err
	}
	first := x.encodeImage(ctx, o)
	cache := x.e.models.Transformer.NewCache(o, x.g.t+1, x.g.h, x.g.w)
	defer cache.Close()
	x.finalize(ctx, o, first, cache)
	rest := x.noise(o, x.g.t-1, x.g.h, x.g.w)
	x.diffuse(ctx, func() {
		for i := range rec.Steps(ctx, s.Steps()) {
			if !x.step(ctx, o, &rest, s, i, cache) {
				break
			}
		}
	})
	return o.Concat(2, first, rest), o.Err()
}

// finalize puts a clean block into the cache, for the blocks that follow.
func (x *run) finalize(ctx context.Context, o *nn.Ops, block nn.Tensor, cache *wan.KVCache) {
	defer rec.Stage(ctx, "finalize").End()
	in := o.Scope()
	defer in.Close()
	x.e.models.Transformer.Commit(in, block, x.with, cache)
}
