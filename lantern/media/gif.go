package media

import (
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"io"
	"slices"
)

// GIF writes an animated GIF that plays for ever, with one palette of at most 256
// colours for the whole clip. Its clock counts hundredths of a second: delays
// are rounded so that the clip as a whole keeps its rate.
func GIF(w io.Writer, c Clip) error {
	if err := c.check(); err != nil {
		return err
	}
	palette := newPalette(c.Frames)
	g := &gif.GIF{Config: image.Config{ColorModel: palette.colors, Width: c.Frames[0].Bounds().Dx(), Height: c.Frames[0].Bounds().Dy()}}
	at := func(i int) int { return int(float64(i)*100/c.Rate + 0.5) }
	for i, f := range c.Frames {
		g.Image = append(g.Image, palette.paint(f))
		delay := 0
		if len(c.Frames) > 1 {
			delay = at(i+1) - at(i)
		}
		g.Delay = append(g.Delay, delay)
	}
	return gif.EncodeAll(w, g)
}

// palette maps colours, taken to five bits a channel, to the palette's.
type palette struct {
	colors color.Palette
	index  []uint8 // by bucket
}

const buckets = 1 << 15

func bucket(p []uint8) int { return int(p[0]>>3)<<10 | int(p[1]>>3)<<5 | int(p[2]>>3) }

// swatch is a bucket in use: how many pixels, and the sum of their colours.
type swatch struct {
	at, n int
	sum   [3]int
}

func (s *swatch) mean(c int) int { return s.sum[c] / s.n }

// newPalette chooses colours by median cut: the box of colours with the widest
// spread is halved until there are enough.
func newPalette(frames []*image.RGBA) *palette {
	all := make([]swatch, buckets)
	for _, f := range frames {
		b := f.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			row := f.Pix[f.PixOffset(b.Min.X, y) : f.PixOffset(b.Max.X-1, y)+4]
			for ; len(row) >= 4; row = row[4:] {
				s := &all[bucket(row)]
				s.n++
				for c := range 3 {
					s.sum[c] += int(row[c])
				}
			}
		}
	}
	used := all[:0]
	for at, s := range all {
		if s.at = at; s.n > 0 {
			used = append(used, s)
		}
	}
	p := &palette{index: make([]uint8, buckets)}
	for i, box := range cut(used, 256) {
		p.colors = append(p.colors, average(box))
		for _, s := range box {
			p.index[s.at] = uint8(i)
		}
	}
	return p
}

// cut halves boxes of colours until there are n, or each holds one.
func cut(all []swatch, n int) [][]swatch {
	boxes := [][]swatch{all}
	for len(boxes) < n {
		widest, channel, spread := -1, 0, 0
		for i, box := range boxes {
			if c, d := extent(box); d > spread {
				widest, channel, spread = i, c, d
			}
		}
		if widest < 0 {
			break
		}
		box := boxes[widest]
		slices.SortFunc(box, func(a, b swatch) int { return cmp.Compare(a.mean(channel), b.mean(channel)) })
		half := len(box) / 2
		boxes[widest] = box[:half]
		boxes = append(boxes, box[half:])
	}
	return boxes
}

// extent is the channel with the widest spread of a box, and how wide it is.
func extent(box []swatch) (channel, spread int) {
	for c := range 3 {
		lo, hi := 255, 0
		for i := range box {
			lo, hi = min(lo, box[i].mean(c)), max(hi, box[i].mean(c))
		}
		if hi-lo > spread {
			channel, spread = c, hi-lo
		}
	}
	return channel, spread
}

func average(box []swatch) color.Color {
	n, sum := 0, [3]int{}
	for _, s := range box {
		n += s.n
		for c := range 3 {
			sum[c] += s.sum[c]
		}
	}
	return color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255}
}

func (p *palette) paint(f *image.RGBA) *image.Paletted {
	b := f.Bounds()
	out := image.NewPaletted(image.Rect(0, 0, b.Dx(), b.Dy()), p.colors)
	for y := range b.Dy() {
		for x := range b.Dx() {
			i := f.PixOffset(b.Min.X+x, b.Min.Y+y)
			out.Pix[y*out.Stride+x] = p.index[bucket(f.Pix[i:i+3])]
		}
	}
	return out
}
