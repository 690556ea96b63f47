package tensorfile

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func sample() Tensor {
	t := Tensor{Shape: []int{2, 3, 4}}
	for i := range 24 {
		t.Data = append(t.Data, float32(i)/7-1)
	}
	return t
}

func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"a.safetensors", "a.pt"} {
		path := filepath.Join(t.TempDir(), name)
		for _, want := range []Tensor{sample(), {Shape: []int{}, Data: []float32{3}}, {Shape: []int{0, 4}, Data: []float32{}}} {
			if err := Write(path, want, true); err != nil {
				t.Fatal(err)
			}
			got, err := Read(path)
			if err != nil || !slices.Equal(got.Shape, want.Shape) || !slices.Equal(got.Data, want.Data) {
				t.Errorf("%s: %v %v", name, got, err)
			}
		}
		if err := Write(path, sample(), false); !errors.Is(err, os.ErrExist) {
			t.Errorf("written over: %v", err)
		}
	}
	if Write(filepath.Join(t.TempDir(), "a.npy"), sample(), false) == nil {
		t.Error(".npy was written")
	}
}

// TestTorch exchanges files with PyTorch, where REEL_PYTHON names a Python that has
// it.
func TestTorch(t *testing.T) {
	python := os.Getenv("REEL_PYTHON")
	if python == "" {
		t.Skip("skipped: REEL_PYTHON names no Python with torch")
	}
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "ours.pt"), sample(), false); err != nil {
		t.Fatal(err)
	}
	script := `
import torch
x = torch.load("ours.pt")
assert x.shape == (2, 3, 4) and torch.equal(x.flatten(), torch.arange(24) / 7 - 1), x
torch.save(x.transpose(0, 2)[1:], "view.pt")
torch.save({"y": x.half()}, "half.pt")
torch.save([x.bfloat16()], "bf16.pt")
torch.save(torch.nn.Parameter(x.double()), "param.pt")
`
	c := exec.Command(python, "-c", script)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	v, err := Read(filepath.Join(dir, "view.pt"))
	if err != nil || !slices.Equal(v.Shape, []int{3, 3, 2}) || v.Data[0] != sample().Data[1] || v.Data[1] != sample().Data[13] {
		t.Errorf("%v %v", v, err)
	}
	for _, name := range []string{"half.pt", "bf16.pt", "param.pt"} {
		got, err := Read(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d, err := Compare(sample(), got); err != nil || d.Absolute > 0.01 {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
}

func TestCompare(t *testing.T) {
	a, b := sample(), sample()
	if d, err := Compare(a, b); err != nil || !d.Equal || d.Cosine < 0.999999 {
		t.Errorf("%+v %v", d, err)
	}
	b.Data = slices.Clone(a.Data)
	b.Data[17] += 0.5
	d, err := Compare(a, b)
	if err != nil || d.Equal || *d.First != 17 || !slices.Equal(d.Index, []int{1, 1, 1}) || d.Differ != 1 || math.Abs(d.Absolute-0.5) > 1e-6 {
		t.Errorf("%+v %v", d, err)
	}
	b.Data[3] = float32(math.NaN())
	if d, _ := Compare(a, b); !math.IsInf(d.Absolute, 1) {
		t.Errorf("%+v", d)
	}
	if _, err := Compare(a, Tensor{Shape: []int{4, 3, 2}, Data: a.Data}); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}

func FuzzPT(f *testing.F) {
	var out bytes.Buffer
	if err := encodePT(&out, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := readPT(bytes.NewReader(data), int64(len(data)))
		if err == nil && x.Len() != len(x.Data) {
			t.Errorf("%v: %d values", x.Shape, len(x.Data))
		}
	})
}

func FuzzPickle(f *testing.F) {
	f.Add(pickleTensor(sample()))
	f.Add([]byte("\x80\x02]q\x00(h\x00h\x00e."))
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := unpickle(bytes.NewReader(data)); err == nil {
			_, _, _ = onlyTensor(v)
		}
	})
}
