package pipeline

import (
	"context"
	"image"

	"reel/lantern/nn"
	"reel/lantern/wan"
	"reel/rec"
)

// decode makes frames of latents, a latent frame at a time so that the memory in
// use does not grow with the clip. With a cache the clip goes on where the last
// call ended.
func (x *run) decode(ctx context.Context, o *nn.Ops, latents nn.Tensor, cache *wan.VAECache) ([]*image.RGBA, error) {
	defer rec.Stage(ctx, "decode").End()
	if o.Err() != nil {
		return nil, o.Err()
	}
	vae := x.e.models.VAE
	if cache == nil {
		cache = vae.NewDecodeCache(o)
		defer cache.Close()
	}
	var pieces []piece
	for t := range latents.Dim(2) {
		in := o.Scope()
		clip := vae.Decode(in, vae.Denormalize(in, in.Slice(latents, 2, t, t+1)), cache)
		p := piece{frames: clip.Dim(2), height: clip.Dim(3), width: clip.Dim(4), values: make([]float32, clip.Len())}
		in.CopyToHost(p.values, clip)
		in.Close()
		pieces = append(pieces, p)
		if ctx.Err() != nil {
			o.Fail(ctx.Err())
			break
		}
	}
	if err := o.Sync(); err != nil {
		return nil, err
	}
	var frames []*image.RGBA
	for i := range pieces {
		frames = append(frames, pieces[i].images()...)
	}
	return frames, nil
}

// piece is decoded frames on the host, [3, frames, height, width], from -1 to 1.
type piece struct {
	frames, height, width int
	values                []float32
}

func (p *piece) images() []*image.RGBA {
	var out []*image.RGBA
	plane := p.height * p.width
	for f := range p.frames {
		img := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
		for i := range plane {
			for c := range 3 {
				img.Pix[4*i+c] = pixel(p.values[(c*p.frames+f)*plane+i])
			}
			img.Pix[4*i+3] = 255
		}
		out = append(out, img)
	}
	return out
}

// pixel takes a value of -1 to 1 to 0 to 255; NaN is black.
func pixel(v float32) uint8 {
	v = (v + 1) * 127.5
	switch {
	case v >= 255:
		return 255
	case v > 0:
		return uint8(v + 0.5)
	}
	return 0
}

// encodeImage makes the latent frame of the request's image, stretched to the
// clip's size.
func (x *run) encodeImage(ctx context.Context, o *nn.Ops) nn.Tensor {
	defer rec.Stage(ctx, "encode").End()
	vae := x.e.models.VAE
	in := o.Scope()
	defer in.Close()
	pixels := in.FromHost(planes(x.r.Image, x.g.width, x.g.height), 1, 3, 1, x.g.height, x.g.width)
	return in.Keep(vae.Normalize(in, vae.Encode(in, pixels, nil)))
}

// planes are the values of a picture, [3, h, w] from -1 to 1, each pixel the mean of
// those that it covers.
func planes(img image.Image, w, h int) []float32 {
	b := img.Bounds()
	out := make([]float32, 3*w*h)
	for y := range h {
		y0, y1 := cover(y, h, b.Dy())
		for x := range w {
			x0, x1 := cover(x, w, b.Dx())
			var sum [3]float64
			for sy := y0; sy < y1; sy++ {
				for sx := x0; sx < x1; sx++ {
					r, g, bl, _ := img.At(b.Min.X+sx, b.Min.Y+sy).RGBA()
					sum[0] += float64(r)
					sum[1] += float64(g)
					sum[2] += float64(bl)
				}
			}
			n := float64((y1-y0)*(x1-x0)) * 65535
			for c := range 3 {
				out[(c*h+y)*w+x] = float32(sum[c]/n*2 - 1)
			}
		}
	}
	return out
}

// cover is which of m source pixels the i-th of n covers, one at least.
func cover(i, n, m int) (from, to int) {
	from = min(i*m/n, m-1)
	return from, max(from+1, (i+1)*m/n)
}
