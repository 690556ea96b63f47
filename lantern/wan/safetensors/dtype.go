package safetensors

import "fmt"

// DType is an element type by its name in the format.
type DType string

// The element types that Tensor.Floats converts. Others can be listed.
const (
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
)

// Size gives the bytes of one element, 0 for a type that is not known.
func (d DType) Size() int {
	switch d {
	case "F64", "I64", "U64", "C64":
		return 8
	case F32, "I32", "U32":
		return 4
	case F16, BF16, "I16", "U16":
		return 2
	case "I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ":
		return 1
	}
	return 0
}

// Float says whether Tensor.Floats converts the type.
func (d DType) Float() bool { return d == F32 || d == F16 || d == BF16 }

// Error is what is wrong with a checkpoint, and where.
type Error struct {
	File   string // as the file system names it
	Tensor string // "" when no tensor is to blame
	Err    error
}

func (e *Error) Error() string {
	if e.Tensor == "" {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s: tensor %s: %v", e.File, clip(e.Tensor), e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// clip keeps a hostile name from filling the screen.
func clip(name string) string {
	const most = 120
	if len(name) > most {
		name = name[:most] + "…"
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
