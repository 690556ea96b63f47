package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A .pt is a zip archive, without compression, of a folder: data.pkl, a pickle in
// which tensors refer to storages by number, and the storages as data/<number>,
// little-endian. torch.load maps storages, so they begin at multiples of 64 bytes.

// writePT writes a lone tensor.
func writePT(name string, t Tensor, force bool) (err error) {
	if _, err := os.Lstat(name); err == nil && !force {
		return fmt.Errorf("tensorfile: %s: %w", name, os.ErrExist)
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".tensor-*")
	if err != nil {
		return fmt.Errorf("tensorfile: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	err = errors.Join(encodePT(tmp, t), tmp.Chmod(0o644), tmp.Close())
	if err != nil {
		return fmt.Errorf("tensorfile: %s: %w", name, err)
	}
	if force {
		return os.Rename(tmp.Name(), name)
	}
	if err := os.Link(tmp.Name(), name); err != nil {
		return fmt.Errorf("tensorfile: %w", err)
	}
	return os.Remove(tmp.Name())
}

// counter counts what is written, for the alignment of storages.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func encodePT(w io.Writer, t Tensor) error {
	c := &counter{w: w}
	z := zip.NewWriter(c)
	raw := make([]byte, 4*len(t.Data))
	for i, v := range t.Data {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(v))
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"data.pkl", pickleTensor(t)}, {"byteorder", []byte("little")}, {"data/0", raw}, {"version", []byte("3\n")}} {
		h := &zip.FileHeader{Name: "archive/" + f.name, Method: zip.Store}
		if err := z.Flush(); err != nil {
			return err
		}
		// The local header is 30 bytes and the name; a field of zeros ("FB", as torch
		// writes it) moves what follows to a multiple of 64.
		if pad := (64 - (c.n+30+int64(len(h.Name))+4)%64) % 64; true {
			h.Extra = binary.LittleEndian.AppendUint16([]byte("FB"), uint16(pad))
			h.Extra = append(h.Extra, make([]byte, pad)...)
		}
		out, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// maxPickle bounds a pickle: a tensor's takes some hundred bytes.
const maxPickle = 1 << 20

func readPT(r io.ReaderAt, size int64) (t Tensor, err error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return t, err
	}
	files := map[string]*zip.File{}
	for _, f := range z.File {
		if _, rest, ok := strings.Cut(path.Clean(f.Name), "/"); ok {
			files[rest] = f
		}
	}
	pkl, err := content(files["data.pkl"], maxPickle)
	if err != nil {
		return t, fmt.Errorf("data.pkl: %w", err)
	}
	if order, err := content(files["byteorder"], 16); err == nil && string(order) != "little" {
		return t, fmt.Errorf("byte order %q: little is read", order)
	}
	v, err := unpickle(bytes.NewReader(pkl))
	if err != nil {
		return t, fmt.Errorf("data.pkl: %w", err)
	}
	x, name, err := onlyTensor(v)
	if err != nil {
		return t, err
	}
	t = Tensor{name, x.shape, nil}
	n := t.Len()
	if n < 0 {
		return t, fmt.Errorf("a tensor of shape %v; at most %d elements are read", x.shape, maxElements)
	}
	width := widths[x.kind]
	if width == 0 {
		return t, fmt.Errorf("a storage of %s: float32, float16, bfloat16 and float64 are read", x.kind)
	}
	raw, err := content(files["data/"+x.storage], int64(maxElements)*int64(width))
	if err != nil {
		return t, fmt.Errorf("data/%s: %w", x.storage, err)
	}
	t.Data, err = x.values(raw, n, width)
	return t, err
}

// content reads a stored file of the archive.
func content(f *zip.File, limit int64) ([]byte, error) {
	if f == nil {
		return nil, errors.New("is not in the archive")
	}
	if f.UncompressedSize64 > uint64(limit) {
		return nil, fmt.Errorf("%d bytes; at most %d are read", f.UncompressedSize64, limit)
	}
	rc, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	return io.ReadAll(io.LimitReader(rc, limit))
}

// widths are the bytes of an element, by storage.
var widths = map[string]int{"FloatStorage": 4, "HalfStorage": 2, "BFloat16Storage": 2, "DoubleStorage": 8}

// values gathers the elements of a view of a storage.
func (x *reference) values(raw []byte, n, width int) ([]float32, error) {
	have := len(raw) / width
	last := x.offset
	for i, d := range x.shape {
		if d == 0 {
			return []float32{}, nil
		}
		if x.stride[i] < 0 || x.stride[i] > maxElements {
			return nil, fmt.Errorf("stride %d", x.stride[i])
		}
		last += (d - 1) * x.stride[i]
	}
	if x.offset < 0 || last >= have {
		return nil, fmt.Errorf("a view of elements up to %d of a storage of %d", last, have)
	}
	out := make([]float32, n)
	at := make([]int, len(x.shape))
	for i := range out {
		k := x.offset
		for d, p := range at {
			k += p * x.stride[d]
		}
		out[i] = element(raw[k*width:], x.kind)
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < x.shape[d] {
				break
			}
			at[d] = 0
		}
	}
	return out, nil
}

func element(b []byte, kind string) float32 {
	switch kind {
	case "FloatStorage":
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case "BFloat16Storage":
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	case "DoubleStorage":
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return half(binary.LittleEndian.Uint16(b))
}

// half is the value of an IEEE 754 half.
func half(h uint16) float32 {
	sign, exp, frac := float64(1), int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 31:
		if frac != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	case 0:
		return float32(sign * math.Ldexp(frac, -24))
	}
	return float32(sign * math.Ldexp(1024+frac, exp-25))
}
