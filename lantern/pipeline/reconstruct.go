package pipeline

import (
	"context"
	"image"

	"reel/rec"
)

// Reconstruct takes a picture through the VAE and back. It generates in its own way,
// as FlashVSR does: it has no denoise loop and marks no stage, only that it was
// called, so that a profile shows one request without parts.
func (e *Engine) Reconstruct(ctx context.Context, img image.Image, width, height int) (out *image.RGBA, err error) {
	r, g, err := e.complete(Request{Width: width, Height: height, Frames: 1})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.worker.Event(ctx, "pipeline.generate", 1, rec.StepID{})
	err = e.worker.Request(ctx, rec.RequestOptions{}, func(ctx context.Context) error {
		o := e.ops(ctx)
		defer o.Close()
		pixels := o.FromHost(planes(img, r.Width, r.Height), 1, 3, 1, g.height, g.width)
		clip := e.models.VAE.Decode(o, e.models.VAE.Encode(o, pixels, nil), nil)
		values, err := o.ToHost(clip)
		if err != nil {
			return err
		}
		p := piece{1, r.Height, r.Width, values}
		out = p.images()[0]
		return nil
	})
	if err != nil {
		return nil, e.recover(err)
	}
	return out, nil
}
