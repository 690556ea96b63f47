package nn

import (
	"fmt"
	"strings"

	"reel/lantern/device"
)

// MaxRank is how many dimensions a tensor has at most.
const MaxRank = 8

// Tensor is float32 values in the memory of a device, contiguous, the last
// dimension fastest. It is a value; the zero Tensor is none, which is how optional
// inputs are left out. Its memory belongs to the Ops that made it.
type Tensor struct {
	buf  device.Buffer
	off  int // floats into buf: a view begins there
	n    int // floats
	dims [MaxRank]int
	rank int
}

// IsNone reports whether t is no tensor.
func (t Tensor) IsNone() bool { return t.rank == 0 }

// Rank returns the number of dimensions; 0 is no tensor.
func (t Tensor) Rank() int { return t.rank }

// Len returns the number of elements.
func (t Tensor) Len() int { return t.n }

// Dim returns dimension i, counted from the end when negative; 0 when there is none.
func (t Tensor) Dim(i int) int {
	if i < 0 {
		i += t.rank
	}
	if i < 0 || i >= t.rank {
		return 0
	}
	return t.dims[i]
}

// Dims returns a copy of the dimensions.
func (t Tensor) Dims() []int { return append([]int(nil), t.dims[:t.rank]...) }

// HasDims reports whether these are the dimensions; a negative one matches any.
func (t Tensor) HasDims(dims ...int) bool {
	if len(dims) != t.rank {
		return false
	}
	for i, d := range dims {
		if d >= 0 && d != t.dims[i] {
			return false
		}
	}
	return true
}

// String returns the dimensions, as "[2 3 4]".
func (t Tensor) String() string {
	if t.IsNone() {
		return "[none]"
	}
	return shapeText(t.dims[:t.rank])
}

func shapeText(dims []int) string {
	var b strings.Builder
	for i, d := range dims {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, d)
	}
	return "[" + b.String() + "]"
}

// data returns the memory; nil when it was freed.
func (t Tensor) data() []float32 {
	d := t.buf.Data()
	if d == nil {
		return nil
	}
	return d[t.off : t.off+t.n : t.off+t.n]
}

// rows returns how many rows of the last dimension there are.
func (t Tensor) rows() int {
	if c := t.Dim(-1); c > 0 {
		return t.n / c
	}
	return 0
}

// count multiplies dimensions; ok is false for impossible ones.
func count(dims []int) (n int, ok bool) {
	if len(dims) == 0 || len(dims) > MaxRank {
		return 0, false
	}
	n = 1
	for _, d := range dims {
		if d < 0 || d > 0 && n > maxLen/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// maxLen bounds the elements of a tensor.
const maxLen = 1 << 36

// shaped returns t with other dimensions, of the same number of elements.
func (t Tensor) shaped(dims []int) Tensor {
	t.rank = copy(t.dims[:], dims)
	clear(t.dims[t.rank:])
	return t
}
