package safetensors

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"
)

var some = []Values{
	{Name: "b", Shape: []int{2, 3}, Data: []float32{0, -1, 2.5, 1e-7, 65504, -0.1}},
	{Name: "half", DType: F16, Shape: []int{3}, Data: []float32{1, -2.001953125, 6e-8}},
	{Name: "brain", DType: BF16, Shape: []int{1}, Data: []float32{3.140625}},
	{Name: "scalar", Shape: nil, Data: []float32{7}},
	{Name: "none", Shape: []int{0, 4}},
}

// TestRoundTrip writes a file and reads it mapped and from memory.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.safetensors")
	meta := map[string]string{"format": "pt", "ü": "\"\n"}
	if err := WriteFile(path, some, meta, false); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for where, fsys := range map[string]fs.FS{"disk": os.DirFS(dir), "memory": fstest.MapFS{"w.safetensors": {Data: data}}} {
		c, err := OpenFolder(fsys, ".")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Files()[0]; !reflect.DeepEqual(got.Metadata, meta) || got.Size != int64(len(data)) {
			t.Errorf("%s: %+v", where, got)
		}
		for _, want := range some {
			got, ok := c.Tensor(want.Name)
			if !ok || len(got.Shape) != len(want.Shape) || got.Len() != len(want.Data) {
				t.Fatalf("%s: %s: %+v", where, want.Name, got)
			}
			values := make([]float32, got.Len())
			if err := got.Floats(values, 0); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if diff := math.Abs(float64(v - want.Data[i])); diff > 6e-8 {
					t.Errorf("%s: %s[%d] = %g, want %g", where, want.Name, i, v, want.Data[i])
				}
			}
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Error(err)
		}
	}
	if err := WriteFile(path, some, nil, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("overwritten: %v", err)
	}
	if err := WriteFile(path, some[:1], nil, true); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestWriteRefuses covers what cannot be written.
func TestWriteRefuses(t *testing.T) {
	for name, list := range map[string][]Values{
		"shape": {{Name: "a", Shape: []int{2}, Data: []float32{1}}},
		"twice": {{Name: "a", Data: []float32{1}}, {Name: "a", Data: []float32{1}}},
		"type":  {{Name: "a", DType: "I8", Data: []float32{1}}},
		"name":  {{Name: "__metadata__", Data: []float32{1}}},
	} {
		var b bytes.Buffer
		if err := Write(&b, list, nil); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, b.Len())
		}
	}
}

// TestHalves compares both 16-bit types with their definition, for each of
// their 65,536 bit patterns, there and back.
func TestHalves(t *testing.T) {
	for bits := range uint32(1 << 16) {
		sign := 1.0
		if bits>>15 == 1 {
			sign = -1
		}
		exp, frac := int(bits>>10&31), float64(bits&1023)
		want := sign * math.Ldexp(1+frac/1024, exp-15)
		switch exp {
		case 0:
			want = sign * math.Ldexp(frac/1024, -14)
		case 31:
			want = math.Inf(int(sign))
			if frac != 0 {
				want = math.NaN()
			}
		}
		got := half(bits)
		if math.IsNaN(want) {
			if got == got || toHalf(got)&0x7e00 != 0x7e00 {
				t.Fatalf("%04x: %g", bits, got)
			}
			continue
		}
		if float64(got) != want || toHalf(got) != uint16(bits) {
			t.Fatalf("%04x: %g, want %g; back %04x", bits, got, want, toHalf(got))
		}
		brain := math.Float32frombits(bits << 16)
		if brain == brain && toBrain(brain) != uint16(bits) {
			t.Fatalf("bfloat16 %04x becomes %04x", bits, toBrain(brain))
		}
	}
	for f, want := range map[float32]uint16{
		65519.996: 0x7bff, 65520: 0x7c00, 1e9: 0x7c00, -1e9: 0xfc00, // rounds to the largest, to infinity
		0x1p-25: 0, 0x1.000002p-25: 1, 0x3p-25: 2, 0x1p-14: 0x0400, 0x0.fffp-14: 0x0400, // subnormal, ties to even
		1 + 0x1p-11: 0x3c00, 1 + 0x3p-11: 0x3c02,
	} {
		if got := toHalf(f); got != want {
			t.Errorf("toHalf(%g) = %04x, want %04x", f, got, want)
		}
	}
	if toBrain(1+0x1p-8) != 0x3f80 || toBrain(1+0x3p-8) != 0x3f82 {
		t.Error("bfloat16 does not round ties to even")
	}
}

// TestWiden compares the fast conversion with the plain one, for every half and
// for slices of any length.
func TestWiden(t *testing.T) {
	src := make([]byte, 0, 1<<17)
	for bits := range 1 << 16 {
		if bits>>10&31 == 31 {
			bits &= 0x83ff // finite ones only
		}
		src = append(src, byte(bits), byte(bits>>8))
	}
	for _, n := range []int{0, 1, 15, 16, 17, 47, 1 << 16} {
		dst := make([]float32, n)
		if i := convert(F16, dst, src[:2*n]); i >= 0 {
			t.Fatalf("%d: element %d is not finite", n, i)
		}
		for i, v := range dst {
			if want := half(uint32(src[2*i]) | uint32(src[2*i+1])<<8); math.Float32bits(v) != math.Float32bits(want) {
				t.Fatalf("%d: element %d is %g, want %g", n, i, v, want)
			}
		}
	}
	for i := range 40 {
		bad := make([]byte, 80)
		bad[2*i+1] = 0xfc // minus infinity
		if got := convert(F16, make([]float32, 40), bad); got != i {
			t.Errorf("element %d is found at %d", i, got)
		}
	}
}

func BenchmarkFloatsF16(b *testing.B) {
	const n = 1 << 22
	t := Tensor{DType: F16, data: make([]byte, 2*n)}
	dst := make([]float32, n)
	b.SetBytes(2 * n)
	for b.Loop() {
		if err := t.Floats(dst, 0); err != nil {
			b.Fatal(err)
		}
	}
}
