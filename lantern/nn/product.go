package nn

import (
	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
)

// product is c = a·b (+ bias): c is m by n and its rows are contiguous; a is m rows
// of k; b is n rows of k when turned (x·wᵀ), else k rows of n. The bias has n values.
type product struct {
	m, n, k       int
	c, a, b, bias []float32
	turned        bool
}

// Block sizes. A panel of b stays in the first cache while the rows of a block of a,
// which stays in the second, go by.
const (
	blockK    = 256
	blockRows = 96
	alone     = 1 << 18 // operations that are not worth another core
	fewRows   = 4       // products of so few rows are dot products: packing b would cost more
)

func (g product) work(times int) device.Work {
	m, n, k, t := int64(g.m), int64(g.n), int64(g.k), int64(times)
	return device.Work{FLOPs: 2 * t * m * n * k, Bytes: 4 * t * (m*k + k*n + m*n)}
}

// few reports whether the product is done by dot products.
func (g product) few() bool { return g.turned && g.m <= fewRows }

// room returns how many floats of workspace the product needs.
func (g product) room(t simd.Tile) int {
	if g.few() || g.direct(t) {
		return 0
	}
	return up(g.n, t.Width)*g.k + simd.Slack
}

// direct reports whether b is used where it lies: its rows are whole panels, and
// packing would not pay.
func (g product) direct(t simd.Tile) bool { return !g.turned && g.n%t.Width == 0 && g.m <= 64 }

// up rounds n up to a multiple.
func up(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// run computes the product; ws is its workspace.
func (g product) run(k *device.Kernel, t simd.Tile, ws []float32) {
	switch {
	case g.m == 0 || g.n == 0:
	case g.few():
		g.dots(k)
	default:
		x := tiled{product: g, t: t, panels: ws}
		if g.direct(t) {
			x.panels, x.ldb, x.step = g.b, g.n, t.Width
		} else {
			x.ldb, x.step = t.Width, t.Width*g.k
			x.pack(k)
		}
		x.run(k)
	}
}

// dots computes a product of few rows.
func (g product) dots(k *device.Kernel) {
	k.Ranges(g.n, max(grain/max(g.k, 1), 4), func(from, to int, _ *device.Lane) {
		for i := range g.m {
			c := g.c[i*g.n+from : i*g.n+to]
			simd.Dots(c, g.a[i*g.k:(i+1)*g.k], g.b[from*g.k:], g.k)
			if g.bias != nil {
				simd.Add(c, c, g.bias[from:to])
			}
		}
	})
}

// tiled is a product by tiles: row p of panel j of b begins at panels[j*step+p*ldb].
type tiled struct {
	product
	t         simd.Tile
	panels    []float32
	ldb, step int
}

// pack lays b out in panels of the tile's width.
func (x *tiled) pack(k *device.Kernel) {
	w := x.t.Width
	count := (x.n + w - 1) / w
	k.Ranges(count, max(grain/(w*max(x.k, 1)), 1), func(from, to int, _ *device.Lane) {
		for j := from; j < to; j++ {
			dst, cols := x.panels[j*x.step:], min(w, x.n-j*w)
			if x.turned {
				simd.Pack(dst, w, x.b[j*w*x.k:], x.k, cols, x.k)
				continue
			}
			for p := range x.k {
				row := dst[p*w : (p+1)*w]
				clear(row[copy(row, x.b[p*x.n+j*w:p*x.n+j*w+cols]):])
			}
		}
	})
}

// run goes over blocks of rows, and over groups of panels where rows are too few for
// all cores.
func (x *tiled) run(k *device.Kernel) {
	panels := (x.n + x.t.Width - 1) / x.t.Width
	rows, groups, whole := blockRows/x.t.Rows*x.t.Rows, 1, 2*x.m*x.n*x.k < alone
	if !whole {
		rows = min(rows, up((x.m+2*k.Cores()-1)/(2*k.Cores()), x.t.Rows))
	}
	blocks := (x.m + rows - 1) / rows
	if whole {
		for i := range blocks {
			x.block(k.Lane(), i*rows, min(rows, x.m-i*rows), 0, panels)
		}
		return
	}
	if blocks < 2*k.Cores() {
		groups = min(panels, (2*k.Cores()+blocks-1)/blocks)
	}
	k.Parallel(blocks*groups, func(task int, l *device.Lane) {
		i, g := task%blocks, task/blocks
		x.block(l, i*rows, min(rows, x.m-i*rows), g*panels/groups, (g+1)*panels/groups)
	})
}

// block computes some rows of c for some panels of b.
func (x *tiled) block(l *device.Lane, first, rows, from, to int) {
	t := x.t
	a := l.Floats(0, up(rows, t.Rows)*blockK+simd.Slack)
	tile := l.Floats(1, t.Rows*t.Width)
	for p := 0; p < max(x.k, 1); p += blockK {
		steps := min(blockK, x.k-p)
		for i := 0; i < rows; i += t.Rows {
			simd.Pack(a[i*steps:], t.Rows, x.a[(first+i)*x.k+p:], x.k, min(t.Rows, rows-i), steps)
		}
		for j := from; j < to; j++ {
			b := x.panels[j*x.step+p*x.ldb:]
			cols := min(t.Width, x.n-j*t.Width)
			for i := 0; i < rows; i += t.Rows {
				c := x.c[(first+i)*x.n+j*t.Width:]
				x.tile(steps, a[i*steps:], b, c, tile, min(t.Rows, rows-i), cols, p > 0)
			}
			if x.bias != nil && p+blockK >= x.k {
				for i := range rows {
					c := x.c[(first+i)*x.n+j*t.Width:][:cols]
					simd.Add(c, c, x.bias[j*t.Width:][:cols])
				}
			}
		}
	}
}

// tile computes a tile of c, by way of scratch where it is cut.
func (x *tiled) tile(steps int, a, b, c, scratch []float32, rows, cols int, add bool) {
	t := x.t
	if rows == t.Rows && cols == t.Width {
		t.Mul(steps, a, b, x.ldb, c, x.n, add)
		return
	}
	t.Mul(steps, a, b, x.ldb, scratch, t.Width, false)
	for i := range rows {
		d, s := c[i*x.n:i*x.n+cols], scratch[i*t.Width:]
		if add {
			simd.Add(d, d, s)
		} else {
			copy(d, s)
		}
	}
}
