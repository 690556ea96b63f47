package pipeline

import (
	"context"
	"math"
	"math/rand/v2"

	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/wan"
	"reel/rec"
)

// run is a request under way.
type run struct {
	e      *Engine
	r      Request
	g      geometry
	o      *nn.Ops
	rng    *rand.Rand
	with   *wan.TextContext // the prompt
	free   *wan.TextContext // the negative prompt; nil without guidance
	done   int              // denoise steps
	all    int
	held   []*nn.Ops       // of contexts that live as long as the request
	behind []*device.Event // of the steps that the device has not been waited for
}

// encode makes the text contexts of the prompt and, for guidance, of what to keep
// away from.
func (x *run) encode(ctx context.Context) {
	defer rec.Stage(ctx, "encode").End()
	o := x.e.ops(ctx)
	x.with = x.text(o, x.r.Prompt)
	if x.r.Guidance != 1 {
		x.free = x.text(o, x.r.Negative)
	}
	x.adopt(o)
}

// text is a prompt as the transformer uses it.
func (x *run) text(o *nn.Ops, prompt string) *wan.TextContext {
	states := x.e.models.EncodePrompt(o, prompt, x.e.opt.TextTokens)
	return x.e.models.Transformer.Text(o, states)
}

// adopt has what o made live as long as the request.
func (x *run) adopt(o *nn.Ops) { x.held = append(x.held, o) }

// close frees what the request made.
func (x *run) close() {
	for _, o := range x.held {
		x.o.Fail(o.Err())
		o.Close()
	}
	x.held = nil
}

// ahead is how many denoise steps the host may run ahead of the device: it bounds
// the queue, and what a cancelled request still has to do.
const ahead = 2

// diffuse runs a denoise loop as a stage. The loop is the caller's own, so that one
// sees in each pipeline what it steps through; a test holds them all to rec.Steps.
func (x *run) diffuse(ctx context.Context, loop func()) {
	defer rec.Stage(ctx, "diffuse").End()
	loop()
	for range x.behind {
		x.tell()
	}
	x.behind = nil
}

// step is one denoise step over the latents that it is given, which it replaces. It
// lets the host run ahead of the device a little and reports whether to go on.
func (x *run) step(ctx context.Context, o *nn.Ops, latents *nn.Tensor, s wan.Schedule, i int, cache *wan.KVCache) bool {
	if ctx.Err() != nil {
		o.Fail(ctx.Err())
	}
	if o.Err() != nil {
		return false
	}
	*latents = x.denoise(ctx, o, *latents, s, i, cache)
	x.behind = append(x.behind, x.e.stream.Record(ctx))
	if len(x.behind) > ahead {
		_ = x.behind[0].Synchronize(ctx) // what went wrong stays the stream's error
		x.behind = x.behind[1:]
		x.tell()
	}
	return o.Err() == nil
}

// tell says that one more step is done.
func (x *run) tell() {
	if x.done++; x.r.Progress != nil {
		x.r.Progress(min(x.done, x.all), x.all)
	}
}

// denoise launches a step: the model with and without the prompt, guidance, the
// scheduler's step. The latents that it is given are freed.
func (x *run) denoise(ctx context.Context, o *nn.Ops, latents nn.Tensor, s wan.Schedule, i int, cache *wan.KVCache) nn.Tensor {
	in := o.Scope()
	defer in.Close()
	w := x.e.worker
	at := s.Timesteps[i : i+1]
	predict := func(text *wan.TextContext) nn.Tensor {
		defer w.Range(ctx, "transformer_forward").End()
		return x.e.models.Transformer.Forward(in, latents, at, text, cache)
	}
	flow := predict(x.with)
	if x.free != nil {
		flow = wan.Guide(in, flow, predict(x.free), x.r.Guidance)
	}
	g := w.Range(ctx, "scheduler_step")
	next := in.Keep(s.Step(in, i, latents, flow))
	g.End()
	o.Free(latents)
	return next
}

// noise draws latents [1, ZDim, t, h, w] of mean 0 and deviation 1.
func (x *run) noise(o *nn.Ops, t, h, w int) nn.Tensor {
	c := x.e.models.VAE.Config.ZDim
	v := make([]float32, c*t*h*w)
	for i := range v {
		v[i] = float32(x.rng.NormFloat64())
	}
	return o.FromHost(v, 1, c, t, h, w)
}

// schedule is the noise levels of a loop that starts at strength, of 1 all of them.
func (x *run) schedule(strength float64) (wan.Schedule, error) {
	full, err := x.e.models.Scheduler.Schedule(x.r.Steps)
	if err != nil || strength >= 1 {
		return full, err
	}
	// As image-to-image pipelines do: of the whole schedule the last steps.
	n := min(x.r.Steps, max(1, int(math.Round(float64(x.r.Steps)*strength))))
	from := x.r.Steps - n
	return wan.Schedule{Sigmas: full.Sigmas[from:], Timesteps: full.Timesteps[from:]}, nil
}

// blend adds noise to clean latents: those of the schedule's first level.
func (x *run) blend(o *nn.Ops, clean nn.Tensor, s wan.Schedule) nn.Tensor {
	d := clean.Dims()
	sigma := s.Sigmas[0]
	noise := x.noise(o, d[2], d[3], d[4])
	return o.Add(o.Affine(clean, 1-sigma, 0), o.Affine(noise, sigma, 0))
}
