package pipeline

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"

	"reel/lantern/nn"
	"reel/lantern/wan"
	"reel/rec"
)

// Stream generates block after block. Each block attends to the clean blocks before
// it, whose keys and values pipeline.finalize keeps. It is used by one goroutine.
type Stream struct {
	e      *Engine
	r      Request
	g      geometry
	own    *nn.Ops
	text   *nn.Ops // of the prompt in force
	x      *run
	cache  *wan.KVCache
	vae    *wan.VAECache
	blocks int
	values []float32
}

// window is how many latent frames a block attends to at most: a clip may go on for
// ever in bounded memory. Training saw as many.
const kvWindow = 8

// Stream begins a stream. It has the engine for itself in each Next, and is to be
// closed.
func (e *Engine) Stream(r Request) (*Stream, error) {
	r.Kind = Streaming
	r, g, err := e.complete(r)
	if err != nil {
		return nil, err
	}
	s := &Stream{e: e, r: r, g: g}
	s.reset()
	return s, nil
}

// reset begins the clip.
func (s *Stream) reset() {
	s.own = s.e.ops(context.Background())
	s.x = &run{e: s.e, r: s.r, g: s.g, o: s.own, rng: rand.New(rand.NewPCG(s.r.Seed, 0)), all: s.r.Steps * s.r.Blocks}
	s.cache = s.e.models.Transformer.NewCache(s.own, kvWindow+max(s.g.t, 1), s.g.h, s.g.w)
	s.vae = s.e.models.VAE.NewDecodeCache(s.own)
	s.blocks = 0
}

// Reset forgets the clip, so that Next begins another one, with the noise of seed.
func (s *Stream) Reset(seed uint64) {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	s.free()
	s.r.Seed = seed
	s.reset()
}

// Close frees what the stream holds.
func (s *Stream) Close() {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	s.free()
}

func (s *Stream) free() {
	s.x.close()
	if s.text != nil {
		s.text.Close()
		s.text = nil
	}
	s.cache.Close()
	s.vae.Close()
	s.own.Close()
}

// Next makes the next block's frames. A prompt that is not empty is in force from
// this block on. Behind an error the stream can only be reset or closed.
func (s *Stream) Next(ctx context.Context, prompt string) (frames []*image.RGBA, err error) {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	if prompt != "" {
		s.x.r.Prompt = prompt
	}
	s.e.worker.Event(ctx, "pipeline.generate", 1, rec.StepID{})
	err = s.e.worker.Request(ctx, rec.RequestOptions{Name: "block", Loops: 1, WarmUp: s.r.WarmUp}, func(ctx context.Context) error {
		frames, err = s.block(ctx, prompt != "")
		return err
	})
	if err != nil {
		return nil, s.e.recover(fmt.Errorf("pipeline: block %d: %w", s.blocks, err))
	}
	s.blocks++
	return frames, nil
}

func (s *Stream) block(ctx context.Context, changed bool) ([]*image.RGBA, error) {
	s.encode(ctx, changed)
	o := s.e.ops(ctx)
	defer o.Close()
	if s.blocks == 0 && s.r.Image != nil {
		return s.imageBlock(ctx, o)
	}
	plan, err := s.x.schedule(1)
	if err != nil {
		return nil, err
	}
	latents := s.x.noise(o, s.g.t, s.g.h, s.g.w)
	s.x.diffuse(ctx, func() {
		for i := range rec.Steps(ctx, plan.Steps()) {
			if !s.x.step(ctx, o, &latents, plan, i, s.cache) {
				break
			}
		}
	})
	return s.finish(ctx, o, latents)
}

// imageBlock is the first block of a stream that begins with a picture: its latent
// frame as it is.
func (s *Stream) imageBlock(ctx context.Context, o *nn.Ops) ([]*image.RGBA, error) {
	return s.finish(ctx, o, s.x.encodeImage(ctx, o))
}

// finish decodes a block and keeps it for those that follow.
func (s *Stream) finish(ctx context.Context, o *nn.Ops, latents nn.Tensor) ([]*image.RGBA, error) {
	frames, err := s.x.decode(ctx, o, latents, s.vae)
	if err != nil {
		return nil, err
	}
	n := latents.Dim(2)
	if s.cache.Held()+n > kvWindow {
		s.cache.Trim(o, max(kvWindow-n, 0))
	}
	s.x.finalize(ctx, o, latents, s.cache)
	s.values = make([]float32, latents.Len())
	o.CopyToHost(s.values, latents)
	return frames, o.Sync()
}

// encode makes the text contexts of the prompt in force; those of an unchanged
// prompt are kept, so that the stage is short.
func (s *Stream) encode(ctx context.Context, changed bool) {
	if s.text != nil && !changed {
		rec.Stage(ctx, "encode").End()
		return
	}
	if s.text != nil {
		s.text.Close()
	}
	s.x.held = nil
	s.x.encode(ctx)
	s.text, s.x.held = s.x.held[0], nil
}

// stream1 makes a clip of all blocks.
func (e *Engine) stream1(ctx context.Context, r Request) (*Result, error) {
	s, err := e.Stream(r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	e.dev.ResetPeak()
	res := &Result{Request: s.r, Rate: FrameRate}
	n := r.Blocks
	if r.Image != nil {
		n++
	}
	for range n {
		frames, err := s.Next(ctx, "")
		if err != nil {
			return nil, err
		}
		res.Frames = append(res.Frames, frames...)
	}
	res.Latents, res.Memory = s.values, e.dev.Memory()
	return res, nil
}
