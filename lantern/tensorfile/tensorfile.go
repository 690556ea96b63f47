// Package tensorfile keeps one tensor in a file: as safetensors, or as the .pt that
// torch.save writes and torch.load reads. It runs nothing that a file holds: of
// pickles it understands what tensors need and refuses the rest.
package tensorfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reel/lantern/wan/safetensors"
)

// Tensor is float32 values, row-major.
type Tensor struct {
	Name  string // "" in a .pt of a lone tensor
	Shape []int
	Data  []float32
}

// maxElements bounds what is read.
const maxElements = 1 << 28

// Fit reports whether Write can write files of this name.
func Fit(path string) bool {
	return slices.Contains([]string{".safetensors", ".pt", ".pth"}, strings.ToLower(filepath.Ext(path)))
}

// Write writes a tensor to a new file; the name's ending says how: .safetensors or
// .pt. An existing file is an error that wraps fs.ErrExist unless force is set. The
// file appears whole.
func Write(path string, t Tensor, force bool) error {
	if t.Len() != len(t.Data) {
		return fmt.Errorf("tensorfile: %d values of shape %v", len(t.Data), t.Shape)
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".safetensors":
		name := t.Name
		if name == "" {
			name = "tensor"
		}
		return safetensors.WriteFile(path, []safetensors.Values{{Name: name, Shape: t.Shape, Data: t.Data}}, nil, force)
	case ".pt", ".pth":
		return writePT(path, t, force)
	}
	return fmt.Errorf("tensorfile: %s: a name that ends in .safetensors or .pt is wanted", path)
}

// Len is the number of elements of the shape; -1 when it is none.
func (t Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		if d < 0 || d > maxElements || n*d > maxElements {
			return -1
		}
		n *= d
	}
	return n
}

// Read reads the tensor of a file, whatever its name ends in. A file of several
// tensors is an error that names them.
func Read(path string) (Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return Tensor{}, err
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := f.ReadAt(head, 0); err != nil {
		return Tensor{}, fmt.Errorf("tensorfile: %s: too short for a tensor", path)
	}
	if string(head[:2]) == "PK" {
		st, err := f.Stat()
		if err != nil {
			return Tensor{}, err
		}
		t, err := readPT(f, st.Size())
		if err != nil {
			return t, fmt.Errorf("tensorfile: %s: %w", path, err)
		}
		return t, nil
	}
	return readSafetensors(path)
}

func readSafetensors(path string) (t Tensor, err error) {
	c, err := safetensors.Open(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return t, err
	}
	defer c.Close()
	all := c.Tensors()
	if len(all) != 1 {
		var names []string
		for _, x := range all[:min(len(all), 5)] {
			names = append(names, x.Name)
		}
		return t, fmt.Errorf("tensorfile: %s: %d tensors (%s): one is wanted", path, len(all), strings.Join(names, ", "))
	}
	x := all[0]
	t = Tensor{x.Name, x.Shape, nil}
	if n := t.Len(); n < 0 || n != x.Len() {
		return t, fmt.Errorf("tensorfile: %s: %s has %d elements; at most %d are read", path, x.Name, x.Len(), maxElements)
	}
	t.Data = make([]float32, x.Len())
	return t, x.Floats(t.Data, 0)
}

// Difference says how far two tensors are apart.
type Difference struct {
	Shape    string  `json:"shape"`
	Equal    bool    `json:"equal"` // bit by bit
	Absolute float64 `json:"max_absolute_error"`
	Relative float64 `json:"max_relative_error"` // to the larger of the two values; 0 where both are 0
	Cosine   float64 `json:"cosine"`             // of the angle between them; 1 when both are zero
	First    *int    `json:"first_difference,omitempty"`
	Index    []int   `json:"first_index,omitempty"` // the same as an index into the shape
	Differ   int     `json:"differing"`             // elements
}

// ErrShape says that two tensors cannot be compared.
var ErrShape = errors.New("the shapes differ")

// Compare compares two tensors element by element. NaN equals NaN of the same bits
// alone; the errors are infinite where one of the two is NaN.
func Compare(a, b Tensor) (d Difference, err error) {
	if fmt.Sprint(a.Shape) != fmt.Sprint(b.Shape) || len(a.Data) != len(b.Data) {
		return d, fmt.Errorf("%w: %v and %v", ErrShape, a.Shape, b.Shape)
	}
	d.Shape = fmt.Sprint(a.Shape)
	var ab, aa, bb float64
	for i, x := range a.Data {
		y := b.Data[i]
		ab, aa, bb = ab+float64(x)*float64(y), aa+float64(x)*float64(x), bb+float64(y)*float64(y)
		if math.Float32bits(x) == math.Float32bits(y) {
			continue
		}
		if d.Differ++; d.First == nil {
			d.First, d.Index = &i, index(i, a.Shape)
		}
		abs := math.Abs(float64(x) - float64(y))
		if math.IsNaN(abs) {
			abs = math.Inf(1)
		}
		d.Absolute = max(d.Absolute, abs)
		if m := max(math.Abs(float64(x)), math.Abs(float64(y))); m > 0 {
			d.Relative = max(d.Relative, abs/m)
		} else if abs > 0 {
			d.Relative = math.Inf(1)
		}
	}
	d.Equal = d.Differ == 0
	if d.Cosine = 1; aa > 0 || bb > 0 {
		d.Cosine = ab / math.Sqrt(aa) / math.Sqrt(bb)
	}
	return d, nil
}

func index(i int, shape []int) []int {
	out := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		out[k] = i % shape[k]
		i /= shape[k]
	}
	return out
}
