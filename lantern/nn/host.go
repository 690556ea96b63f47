package nn

import (
	"encoding/binary"
	"math"

	"reel/event"
	"reel/lantern/device"
)

// copyWork says what a copy of n floats is.
func copyWork(n int) device.Work { return device.Work{Class: event.Copy, Bytes: 4 * int64(n)} }

// FromHost copies values to the device. The copy happens when the stream gets there:
// data must stay as it is until then.
func (o *Ops) FromHost(data []float32, dims ...int) Tensor {
	n, ok := count(dims)
	if !ok || n != len(data) {
		return o.fail("from host", "%d values for shape %s", len(data), shapeText(dims))
	}
	defer o.op("from_host").End()
	t := o.Empty(dims...)
	if dst := t.data(); dst != nil {
		o.launch("memcpy HtoD", copyWork(n), func(k *device.Kernel) { copy(dst, data) })
	}
	return t
}

// DType is how values lie in a file.
type DType uint8

// The types. The bytes are little-endian.
const (
	F32 DType = iota
	F16
	BF16
)

// Size returns the bytes of a value.
func (d DType) Size() int {
	if d == F32 {
		return 4
	}
	return 2
}

// String returns the name that safetensors files give the type.
func (d DType) String() string {
	switch d {
	case F32:
		return "F32"
	case F16:
		return "F16"
	case BF16:
		return "BF16"
	}
	return "unknown"
}

// FromBytes copies values to the device and makes float32 of them. raw must stay as
// it is until the stream has got there.
func (o *Ops) FromBytes(raw []byte, d DType, dims ...int) Tensor {
	n, ok := count(dims)
	if !ok || d > BF16 || n*d.Size() != len(raw) {
		return o.fail("from bytes", "%d bytes for shape %s of %v", len(raw), shapeText(dims), d)
	}
	defer o.op("from_bytes").End()
	t := o.Empty(dims...)
	if dst := t.data(); dst != nil {
		w := device.Work{Class: event.Copy, Bytes: int64(len(raw))}
		o.launch("memcpy HtoD "+d.String(), w, func(k *device.Kernel) {
			k.Ranges(n, 1<<16, func(from, to int, _ *device.Lane) { decode(dst[from:to], raw[from*d.Size():], d) })
		})
	}
	return t
}

func decode(dst []float32, raw []byte, d DType) {
	switch d {
	case F32:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case BF16:
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		}
	case F16:
		for i := range dst {
			dst[i] = FromHalf(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	}
}

// FromHalf returns the value of an IEEE 754 half.
func FromHalf(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch {
	case exp == 31:
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
	}
	v := float32(frac) / (1 << 24) // subnormal, or zero
	return math.Float32frombits(sign | math.Float32bits(v))
}

// CopyToHost copies t to dst when the stream gets there; dst has the values after a
// synchronisation.
func (o *Ops) CopyToHost(dst []float32, t Tensor) {
	if !o.ready("copy to host", t) {
		return
	}
	if len(dst) != t.n {
		o.fail("copy to host", "%v into %d values", t, len(dst))
		return
	}
	defer o.op("to_host", t).End()
	src := t.data()
	o.launch("memcpy DtoH", copyWork(t.n), func(k *device.Kernel) { copy(dst, src) })
}

// ToHost waits for t and returns its values.
func (o *Ops) ToHost(t Tensor) ([]float32, error) {
	dst := make([]float32, t.n)
	o.CopyToHost(dst, t)
	if err := o.Sync(); err != nil {
		return nil, err
	}
	return dst, nil
}

// Copy returns a copy of t.
func (o *Ops) Copy(t Tensor) Tensor {
	if !o.ready("copy", t) {
		return Tensor{}
	}
	defer o.op("copy", t).End()
	out := o.like(t)
	if dst, src := out.data(), t.data(); dst != nil {
		o.launch("memcpy DtoD", copyWork(t.n), func(k *device.Kernel) { copy(dst, src) })
	}
	return out
}

// CopyInto copies src over dst, which has as many elements: into a view of a cache,
// say.
func (o *Ops) CopyInto(dst, src Tensor) {
	if !o.ready("copy into", dst, src) {
		return
	}
	if dst.n != src.n {
		o.fail("copy into", "%v over %v", src, dst)
		return
	}
	defer o.op("copy_", dst, src).End()
	to, from := dst.data(), src.data()
	o.launch("memcpy DtoD", copyWork(src.n), func(k *device.Kernel) { copy(to, from) })
}

// Full returns a tensor of which all values are v.
func (o *Ops) Full(v float32, dims ...int) Tensor {
	defer o.op("full").End()
	t := o.Empty(dims...)
	if dst := t.data(); dst != nil {
		o.launch("memset", device.Work{Class: event.Set, Bytes: 4 * int64(t.n)}, func(k *device.Kernel) {
			for i := range dst {
				dst[i] = v
			}
		})
	}
	return t
}

// Zeros returns a tensor of zeros.
func (o *Ops) Zeros(dims ...int) Tensor { return o.Full(0, dims...) }
