package simd

import "unsafe"

// Tile is a micro-kernel: it computes Rows by Width of a matrix product.
type Tile struct {
	Rows, Width int
	level       Level
}

// Tiles returns the micro-kernels that run on this machine, the best one last.
func Tiles() []Tile { return tiles[:level+1] }

// BestTile returns the best of them.
func BestTile() Tile { return tiles[level] }

var tiles = [...]Tile{Scalar: {4, 4, Scalar}, AVX2: {6, 16, AVX2}, AVX512: {8, 32, AVX512}}

// Level returns which instructions the tile uses.
func (t Tile) Level() Level { return t.level }

// Slack is how many floats behind a packed panel are written, and behind what Mul
// reads are read, at most.
const Slack = 32

// Mul writes c = a·b, or adds it to c, for k steps: a is packed by Pack, row p of b
// begins at b[p*ldb] and has Width values, c's rows are ldc apart.
func (t Tile) Mul(k int, a, b []float32, ldb int, c []float32, ldc int, add bool) {
	if k > 0 {
		_, _ = a[t.Rows*k-1], b[(k-1)*ldb+t.Width-1]
	}
	_ = c[(t.Rows-1)*ldc+t.Width-1]
	t.mul(k, unsafe.SliceData(a), unsafe.SliceData(b), ldb, unsafe.SliceData(c), ldc, add)
}

// MulAt is Mul for rows of b that begin at the offsets, of which limit is the
// largest.
func (t Tile) MulAt(offs []int32, limit int, a, b, c []float32, ldc int, add bool) {
	if len(offs) > 0 {
		_, _ = a[t.Rows*len(offs)-1], b[limit+t.Width-1]
	}
	_ = c[(t.Rows-1)*ldc+t.Width-1]
	t.mulAt(offs, unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(c), ldc, add)
}

// scalarTile is the micro-kernel in Go, for a tile of 4 by 4: rows of b lie ldb apart,
// or at offsets when there are any.
func scalarTile(k int, a, b *float32, ldb int, offs []int32, c *float32, ldc int, add bool) {
	as := unsafe.Slice(a, 4*k)
	var c00, c01, c02, c03, c10, c11, c12, c13, c20, c21, c22, c23, c30, c31, c32, c33 float32
	at := 0
	for p := range k {
		if offs != nil {
			at = int(offs[p])
		}
		x := (*[4]float32)(unsafe.Add(unsafe.Pointer(b), 4*at))
		y := (*[4]float32)(as[4*p:])
		at += ldb
		b0, b1, b2, b3 := x[0], x[1], x[2], x[3]
		v := y[0]
		c00, c01, c02, c03 = c00+v*b0, c01+v*b1, c02+v*b2, c03+v*b3
		v = y[1]
		c10, c11, c12, c13 = c10+v*b0, c11+v*b1, c12+v*b2, c13+v*b3
		v = y[2]
		c20, c21, c22, c23 = c20+v*b0, c21+v*b1, c22+v*b2, c23+v*b3
		v = y[3]
		c30, c31, c32, c33 = c30+v*b0, c31+v*b1, c32+v*b2, c33+v*b3
	}
	cs := unsafe.Slice(c, 3*ldc+4)
	for i, s := range [4][4]float32{{c00, c01, c02, c03}, {c10, c11, c12, c13}, {c20, c21, c22, c23}, {c30, c31, c32, c33}} {
		row := (*[4]float32)(cs[i*ldc:])
		if add {
			s[0], s[1], s[2], s[3] = s[0]+row[0], s[1]+row[1], s[2]+row[2], s[3]+row[3]
		}
		*row = s
	}
}

// Pack writes rows as columns: dst[p*width+i] = src[i*stride+p] for each of the rows
// and k steps, zero for rows up to width. dst has room for k*width and Slack.
func Pack(dst []float32, width int, src []float32, stride, rows, k int) {
	i := 0
	for ; i < rows; i += 8 {
		n := packed8(dst[i:], width, src, i, stride, k)
		for p := n; p < k; p++ {
			for r := i; r < min(i+8, rows); r++ {
				dst[p*width+r] = src[r*stride+p]
			}
		}
	}
	if rows < width {
		for p := range k {
			clear(dst[p*width+rows : (p+1)*width])
		}
	}
}
