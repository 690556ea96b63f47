package safetensors

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
)

// Tensor is one tensor of a Checkpoint: a view that lives as long as it.
type Tensor struct {
	Name  string
	File  string // the file that holds it
	DType DType
	Shape []int // empty for a scalar
	data  []byte
}

// Len gives the number of elements.
func (t Tensor) Len() int {
	if size := t.DType.Size(); size > 0 {
		return len(t.data) / size
	}
	return 0
}

// Bytes gives the elements as they stand in the file, little endian, not to be
// written to. They may be mapped: should another program cut the file while
// they are read, the operating system stops this one. Floats survives that.
func (t Tensor) Bytes() []byte { return t.data }

// Floats converts len(dst) elements from element from on. It fails, with an
// *Error that names file and tensor, when the type is none of F32, F16 and
// BF16, when an element is infinite or no number, and when the file shrank
// since it was opened; dst is then partly written. Several goroutines may
// convert parts of one tensor.
func (t Tensor) Floats(dst []float32, from int) (err error) {
	size := t.DType.Size()
	if !t.DType.Float() {
		return t.fault("element type %s is not supported; convert it to F32, F16 or BF16", t.DType)
	}
	if from < 0 || from > t.Len() || len(dst) > t.Len()-from {
		return t.fault("%d elements from %d on are asked for, of %d", len(dst), from, t.Len())
	}
	// A mapped page that is gone faults; this goroutine takes that as a panic.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if _, fault := r.(interface{ Addr() uintptr }); !fault {
				panic(r)
			}
			err = t.fault("its data cannot be read any more: was the file cut?")
		}
	}()
	src := t.data[from*size : (from+len(dst))*size]
	if i := convert(t.DType, dst, src); i >= 0 {
		return t.fault("element %d is %s; weights must be finite", from+i, strconv.FormatFloat(float64(dst[i]), 'g', -1, 32))
	}
	return nil
}

// Fault makes an *Error about this tensor.
func (t Tensor) Fault(err error) error { return &Error{File: t.File, Tensor: t.Name, Err: err} }

func (t Tensor) fault(format string, args ...any) error {
	if len(args) == 0 {
		return t.Fault(errors.New(format))
	}
	return t.Fault(fmt.Errorf(format, args...))
}
