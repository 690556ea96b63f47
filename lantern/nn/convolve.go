package nn

import (
	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
)

// conv is a convolution at work: a product of the weight, a row for each output
// channel, with the input as it lies under each tap. That matrix is never made: the
// micro-kernel reads the (padded) input at an offset for each tap. Triples are time,
// height, width.
//
// Places of the output are numbered by where they lie in the padded input, so that a
// tile of neighbours has neighbours under every tap; those behind the end of a row
// are computed and thrown away.
type conv struct {
	n, in, out                   int
	size, kernel, stride, result [3]int
	pad                          [3][2]int
	dst, src, w, bias            []float32

	t      simd.Tile
	full   [3]int  // of the padded input
	padded bool    // the input is copied into zeros
	taps   int     // steps of the product
	offs   []int32 // of taps
	last   int     // the largest of them
	room   int     // floats of workspace: packed weight, padded input
}

// work counts the operations of the definition.
func (c *conv) work() device.Work {
	values := int64(c.n) * int64(c.out) * int64(c.result[0]) * int64(c.result[1]) * int64(c.result[2])
	return device.Work{FLOPs: 2 * values * int64(c.taps), Bytes: 4 * (values + int64(len(c.src)+len(c.w)))}
}

// plan decides how the convolution is done; taps are offsets that were made before.
func (c *conv) plan(t simd.Tile, taps map[tapsKey][]int32) {
	c.t = t
	for i := range 3 {
		c.full[i] = c.size[i] + c.pad[i][0] + c.pad[i][1]
		c.padded = c.padded || c.pad[i] != [2]int{}
	}
	key := tapsKey{c.in, c.kernel, c.full}
	c.offs = taps[key]
	if c.offs == nil {
		if len(taps) >= maxTaps {
			clear(taps)
		}
		c.offs = key.offsets()
		taps[key] = c.offs
	}
	c.taps = len(c.offs)
	c.last = int(c.offs[c.taps-1])
	c.room = c.weightRoom()
	if c.padded {
		c.room += c.n*c.in*c.volume() + simd.Slack
	}
}

// tapsKey is what the offsets of taps depend on.
type tapsKey struct {
	in           int
	kernel, full [3]int
}

// maxTaps bounds the offsets that are kept: a model has some dozens.
const maxTaps = 256

// offsets returns where each tap reads, from the place of the output.
func (k tapsKey) offsets() []int32 {
	out := make([]int32, 0, k.in*k.kernel[0]*k.kernel[1]*k.kernel[2])
	for ch := range k.in {
		for t := range k.kernel[0] {
			for y := range k.kernel[1] {
				for x := range k.kernel[2] {
					out = append(out, int32(((ch*k.full[0]+t)*k.full[1]+y)*k.full[2]+x))
				}
			}
		}
	}
	return out
}

func (c *conv) volume() int { return c.full[0] * c.full[1] * c.full[2] }

func (c *conv) weightRoom() int { return up(c.out, c.t.Rows)*c.taps + simd.Slack }

// run computes the convolution.
func (c *conv) run(k *device.Kernel, ws []float32) {
	if len(c.dst) == 0 {
		return
	}
	weight, src := ws[:c.weightRoom()], c.src
	groups := up(c.out, c.t.Rows) / c.t.Rows
	k.Ranges(groups, max(grain/(c.t.Rows*c.taps), 1), func(from, to int, _ *device.Lane) {
		for i := from * c.t.Rows; i < min(to*c.t.Rows, c.out); i += c.t.Rows {
			simd.Pack(weight[i*c.taps:], c.t.Rows, c.w[i*c.taps:], c.taps, min(c.t.Rows, c.out-i), c.taps)
		}
	})
	if c.padded {
		src = ws[c.weightRoom():]
		c.fill(k, src)
	}
	frames, per := c.n*c.result[0], c.tilesOfFrame()
	const least = 1 << 17 // operations that are worth another core
	tile := 2 * c.t.Width * c.taps * up(c.out, c.t.Rows)
	k.Ranges(frames*per, least/max(tile, 1)+1, func(from, to int, l *device.Lane) {
		for i := from; i < to; i++ {
			c.tile(l, weight, src, i/per, i%per)
		}
	})
}

// fill copies the input into zeros.
func (c *conv) fill(k *device.Kernel, dst []float32) {
	row, from := c.full[2], c.size[2]
	rows := c.n * c.in * c.full[0] * c.full[1]
	k.Ranges(rows, max(grain/row, 1), func(a, b int, _ *device.Lane) {
		for r := a; r < b; r++ {
			y, t, ch := r%c.full[1]-c.pad[1][0], r/c.full[1]%c.full[0]-c.pad[0][0], r/c.full[1]/c.full[0]
			d := dst[r*row : (r+1)*row]
			if y < 0 || y >= c.size[1] || t < 0 || t >= c.size[0] {
				clear(d)
				continue
			}
			clear(d[:c.pad[2][0]])
			copy(d[c.pad[2][0]:], c.src[((ch*c.size[0]+t)*c.size[1]+y)*from:][:from])
			clear(d[c.pad[2][0]+from:])
		}
	})
	clear(dst[rows*row : rows*row+simd.Slack])
}

// run of places of a frame: with steps of 1 they are neighbours in the padded input,
// from the first to the last; else they are those of the output.
func (c *conv) places() int {
	if c.dense() {
		return (c.result[1]-1)*c.full[2] + c.result[2]
	}
	return c.result[1] * c.result[2]
}

// dense reports whether neighbours in the output are neighbours in the input.
func (c *conv) dense() bool { return c.stride[1] == 1 && c.stride[2] == 1 }

func (c *conv) tilesOfFrame() int { return (c.places() + c.t.Width - 1) / c.t.Width }

// tile computes all output channels of some places of a frame.
func (c *conv) tile(l *device.Lane, weight, src []float32, frame, i int) {
	w, rows := c.t.Width, c.t.Rows
	img, t := frame/c.result[0], frame%c.result[0]
	first := i * w
	count := min(w, c.places()-first)
	src = src[img*c.in*c.volume()+t*c.stride[0]*c.full[1]*c.full[2]:]
	direct := c.dense() && first+c.last+w <= len(src)
	out := l.Floats(0, up(c.out, rows)*w)
	var cols []float32
	if !direct {
		cols = l.Floats(1, blockK*w)
	}
	for p := 0; p < c.taps; p += blockK {
		steps := min(blockK, c.taps-p)
		offs := c.offs[p : p+steps]
		if !direct {
			c.gather(cols, src, offs, first, count)
		}
		for g := 0; g < c.out; g += rows {
			a, d := weight[g*c.taps+p*rows:], out[g*w:]
			if direct {
				c.t.MulAt(offs, int(offs[steps-1]), a, src[first:], d, w, p > 0)
			} else {
				c.t.Mul(steps, a, cols, w, d, w, p > 0)
			}
		}
	}
	c.store(out, img, t, first, count)
}

// gather makes the rows of the input matrix for a tile of which the places are no
// neighbours, or lie at the end of memory.
func (c *conv) gather(cols, src []float32, offs []int32, first, count int) {
	w := c.t.Width
	for p, off := range offs {
		row := cols[p*w : (p+1)*w]
		if c.dense() {
			s := src[int(off)+first:]
			clear(row[copy(row, s[:min(count, len(s))]):])
			continue
		}
		y, x := first/c.result[2], first%c.result[2]
		for j := range count {
			row[j] = src[int(off)+y*c.stride[1]*c.full[2]+x*c.stride[2]]
			if x++; x == c.result[2] {
				x, y = 0, y+1
			}
		}
		clear(row[count:])
	}
}

// store writes the places of a tile that are in the output.
func (c *conv) store(out []float32, img, t, first, count int) {
	w, row := c.t.Width, c.result[2]
	if c.dense() {
		row = c.full[2]
	}
	area := c.result[1] * c.result[2]
	for ch := range c.out {
		add := float32(0)
		if c.bias != nil {
			add = c.bias[ch]
		}
		dst := c.dst[((img*c.out+ch)*c.result[0]+t)*area:][:area]
		for j := 0; j < count; {
			y, x := (first+j)/row, (first+j)%row
			n := min(count-j, row-x)
			if keep := min(n, c.result[2]-x); keep > 0 {
				simd.Affine(dst[y*c.result[2]+x:][:keep], out[ch*w+j:], 1, add)
			}
			j += n
		}
	}
}
