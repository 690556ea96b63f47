package safetensors

import (
	"encoding/binary"
	"math"
)

// block is how many elements are converted before they are checked, so that
// the check finds them in the first-level cache.
const block = 2048

// convert writes the float32 of src to dst, and gives the index of the first
// element that is not finite, or -1.
func convert(d DType, dst []float32, src []byte) int {
	size := d.Size()
	for at := 0; at < len(dst); at += block {
		out := dst[at:min(at+block, len(dst))]
		in := src[at*size : (at+len(out))*size]
		finite := true
		switch d {
		case F32:
			finite = fromF32(out, in)
		case F16:
			finite = fromF16(out, in)
		case BF16:
			finite = fromBF16(out, in)
		}
		if !finite {
			return at + firstBad(out)
		}
	}
	return -1
}

func firstBad(values []float32) int {
	for i, v := range values {
		if v-v != 0 { // infinite or no number
			return i
		}
	}
	return 0
}

// In each loop below, a bit is carried into bad when an exponent is all ones.

func fromF32(dst []float32, src []byte) bool {
	bad := uint32(0)
	for i := range dst {
		b := binary.LittleEndian.Uint32(src[4*i:])
		bad |= b&0x7f800000 + 0x00800000
		dst[i] = math.Float32frombits(b)
	}
	return bad&0x80000000 == 0
}

func fromBF16(dst []float32, src []byte) bool {
	bad := uint32(0)
	for i := range dst {
		b := uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16
		bad |= b&0x7f800000 + 0x00800000
		dst[i] = math.Float32frombits(b)
	}
	return bad&0x80000000 == 0
}

func fromF16(dst []float32, src []byte) bool {
	n, finite := widen(dst, src)
	if !finite {
		return false
	}
	dst, src = dst[n:], src[2*n:]
	bad := uint32(0)
	for i := range dst {
		h := uint32(binary.LittleEndian.Uint16(src[2*i:]))
		bad |= h&0x7c00 + 0x0400
		dst[i] = half(h)
	}
	return bad&0x8000 == 0
}

// half widens the bits of an F16. Multiplying by a power of two is exact, and
// makes normal numbers of those that are subnormal in 16 bits.
func half(h uint32) float32 {
	bits := h & 0x7fff << 13
	if bits >= 0x0f800000 { // infinite or no number
		return math.Float32frombits(bits | 0x7f800000 | h&0x8000<<16)
	}
	const scale = 0x1p112 // from F16's exponent bias, 15, to F32's, 127
	return math.Float32frombits(math.Float32bits(math.Float32frombits(bits)*scale) | h&0x8000<<16)
}

// toHalf narrows to F16, to the nearest and halves to even, as PyTorch does.
func toHalf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	switch abs := bits & 0x7fffffff; {
	case abs > 0x7f800000:
		return sign | 0x7e00
	case abs >= 0x477ff000: // 65520 and more round to infinity
		return sign | 0x7c00
	case abs < 0x38800000: // below 2^-14: adding 0.5 rounds at 2^-24
		const magic = 0x3f000000
		sum := math.Float32frombits(abs) + math.Float32frombits(magic)
		return sign | uint16(math.Float32bits(sum)-magic)
	default:
		abs += 0xfff + abs>>13&1
		return sign | uint16((abs-0x38000000)>>13)
	}
}

// toBrain narrows to BF16, to the nearest and halves to even.
func toBrain(f float32) uint16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
