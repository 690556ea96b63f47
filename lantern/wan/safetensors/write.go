package safetensors

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Values is a tensor to be written.
type Values struct {
	Name  string
	DType DType // F32 when empty; F16 and BF16 round to the nearest
	Shape []int
	Data  []float32
}

// Write writes tensors as one safetensors file, in the given order. meta
// becomes the header's "__metadata__"; nil leaves it out.
func Write(w io.Writer, tensors []Values, meta map[string]string) error {
	head, err := header(tensors, meta)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(head))))
	out.Write(head)
	for _, t := range tensors {
		encode(out, t)
	}
	return out.Flush() // says too what the writes before it met
}

// header makes the header's JSON, padded with blanks so that the data begin at
// a multiple of eight bytes, as the format advises.
func header(tensors []Values, meta map[string]string) ([]byte, error) {
	head := []byte("{")
	if meta != nil {
		m, err := json.Marshal(meta)
		if err != nil {
			return nil, err
		}
		head = append(append(head, `"__metadata__":`...), m...)
	}
	at := 0
	seen := map[string]bool{"__metadata__": true}
	for _, t := range tensors {
		size, n := 4, 1
		if t.DType != "" {
			size = t.DType.Size()
		}
		if t.DType != "" && !t.DType.Float() {
			return nil, fmt.Errorf("write tensor %s: element type %q is none of F32, F16 and BF16", clip(t.Name), t.DType)
		}
		for _, d := range t.Shape {
			n *= d
		}
		if n != len(t.Data) {
			return nil, fmt.Errorf("write tensor %s: %d elements for shape %v", clip(t.Name), len(t.Data), t.Shape)
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("write tensor %s: the name stands twice", clip(t.Name))
		}
		seen[t.Name] = true
		e, err := headerEntry(t, at, at+n*size)
		if err != nil {
			return nil, err
		}
		if len(head) > 1 {
			head = append(head, ',')
		}
		head = append(head, e...)
		at += n * size
	}
	head = append(head, '}')
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	if len(head) > maxHeader {
		return nil, fmt.Errorf("write safetensors: the header takes %d bytes, more than the %d allowed", len(head), maxHeader)
	}
	return head, nil
}

func headerEntry(t Values, begin, end int) ([]byte, error) {
	name, err := json.Marshal(t.Name)
	if err != nil {
		return nil, err
	}
	shape := t.Shape
	if shape == nil {
		shape = []int{}
	}
	dtype := t.DType
	if dtype == "" {
		dtype = F32
	}
	e, err := json.Marshal(struct {
		DType   DType  `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}{dtype, shape, [2]int{begin, end}})
	return append(append(name, ':'), e...), err
}

func encode(out *bufio.Writer, t Values) {
	var b [4]byte
	for _, v := range t.Data {
		switch t.DType {
		case F16:
			binary.LittleEndian.PutUint16(b[:], toHalf(v))
			out.Write(b[:2])
		case BF16:
			binary.LittleEndian.PutUint16(b[:], toBrain(v))
			out.Write(b[:2])
		default:
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
			out.Write(b[:])
		}
	}
}

// WriteFile writes tensors to the file path, which appears complete or not at
// all. An existing file is left alone, with an error that wraps fs.ErrExist,
// unless overwrite is set.
func WriteFile(path string, tensors []Values, meta map[string]string, overwrite bool) (err error) {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*"+filepath.Ext(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	err = Write(tmp, tensors, meta)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return err
}
