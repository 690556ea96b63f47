package main

import (
	"context"
	"errors"
	"math"

	"reel/rec"
)

// pipeline makes clips. It knows no profiler: the context brings one.
type pipeline struct {
	steps int
	dev   *device
}

func newPipeline(steps int) *pipeline { return &pipeline{steps, newDevice()} }

func (p *pipeline) close() { p.dev.close() }

// generate makes one clip.
func (p *pipeline) generate(ctx context.Context, prompt string) error {
	if prompt == "" {
		return errors.New("no prompt")
	}
	latent := p.encode(ctx, prompt)
	p.denoise(ctx, latent)
	clip := p.decode(ctx, latent)
	if math.IsNaN(clip[0]) {
		return errors.New("the clip is not finite")
	}
	return nil
}

func (p *pipeline) encode(ctx context.Context, prompt string) []float64 {
	defer rec.Stage(ctx, "encode").End()
	latent := make([]float64, 4096)
	for i := range latent {
		latent[i] = math.Sin(float64(i) * float64(prompt[i%len(prompt)]))
	}
	return latent
}

func (p *pipeline) denoise(ctx context.Context, latent []float64) {
	defer rec.Stage(ctx, "diffuse").End()
	for i := range rec.Steps(ctx, p.steps) {
		sigma := 1 - float64(i)/float64(p.steps)
		for range 3 { // layers
			p.dev.launch(ctx, "attention", func() { mix(latent, sigma) })
			p.dev.launch(ctx, "feed_forward", func() { mix(latent, sigma/2) })
		}
	}
	p.dev.wait(ctx)
}

func (p *pipeline) decode(ctx context.Context, latent []float64) []float64 {
	defer rec.Stage(ctx, "decode").End()
	clip := make([]float64, len(latent))
	p.dev.launch(ctx, "conv3d", func() {
		copy(clip, latent)
		mix(clip, 1)
	})
	p.dev.wait(ctx)
	rec.From(ctx).Event(ctx, "model.frame", 16, rec.StepID{})
	return clip
}

// mix is work.
func mix(x []float64, by float64) {
	for i := range x {
		x[i] = math.Tanh(x[i] + by*x[(i*7+1)%len(x)])
	}
}
