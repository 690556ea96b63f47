package tensorfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// reference is a tensor of a pickle: a view of a storage.
type reference struct {
	kind, storage string
	offset        int
	shape, stride []int
}

// pickleTensor writes the pickle of a lone tensor, protocol 2, as torch.save does: a
// call of torch._utils._rebuild_tensor_v2 with the storage, its offset, size and
// stride, requires_grad and hooks.
func pickleTensor(t Tensor) []byte {
	var b bytes.Buffer
	text := func(s string) {
		b.WriteByte('X')
		_ = binary.Write(&b, binary.LittleEndian, uint32(len(s))) // a Buffer takes all
		b.WriteString(s)
	}
	number := func(n int) {
		b.WriteByte('J')
		_ = binary.Write(&b, binary.LittleEndian, int32(n))
	}
	tuple := func(v []int) {
		b.WriteByte('(')
		for _, n := range v {
			number(n)
		}
		b.WriteByte('t')
	}
	b.WriteString("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((")
	text("storage")
	b.WriteString("ctorch\nFloatStorage\n")
	text("0")
	text("cpu")
	number(len(t.Data))
	b.WriteString("tQ")
	number(0)
	stride := make([]int, len(t.Shape))
	for i, n := len(t.Shape)-1, 1; i >= 0; i-- {
		stride[i] = n
		n *= t.Shape[i]
	}
	tuple(t.Shape)
	tuple(stride)
	b.WriteString("\x89ccollections\nOrderedDict\n)RtR.")
	return b.Bytes()
}

// The values of a pickle beside strings, int and bool.
type (
	mark   struct{}
	none   struct{}
	tuple  []any
	list   struct{ items []any }
	dict   struct{ keys, values []any }
	global string // module.name, never looked up
	opaque struct{}
)

// machine reads pickles of tensors. It calls nothing: of all calls it knows the one
// that makes a tensor, and an empty OrderedDict; others give an opaque value.
type machine struct {
	r     *bufio.Reader
	stack []any
	memo  map[int]any
	steps int
}

var errPickle = errors.New("a pickle that no tensor has")

// maxOps and maxDepth bound the work.
const (
	maxOps   = 1 << 18
	maxDepth = 1 << 16
)

func unpickle(r io.Reader) (any, error) {
	m := &machine{r: bufio.NewReader(r), memo: map[int]any{}}
	for {
		op, err := m.r.ReadByte()
		if err != nil {
			return nil, errPickle
		}
		if m.steps++; m.steps > maxOps || len(m.stack) > maxDepth || len(m.memo) > maxDepth {
			return nil, errPickle
		}
		if op == '.' {
			return m.pop()
		}
		if err := m.run(op); err != nil {
			return nil, err
		}
	}
}

func (m *machine) push(v any) error {
	m.stack = append(m.stack, v)
	return nil
}

func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errPickle
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// toMark takes everything above the last mark, and the mark.
func (m *machine) toMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errPickle
}

// uint reads n bytes, little-endian.
func (m *machine) uint(n int) (int, error) {
	v := 0
	for i := range n {
		b, err := m.r.ReadByte()
		if err != nil {
			return 0, errPickle
		}
		v |= int(b) << (8 * i)
	}
	return v, nil
}

func (m *machine) text(n int) (string, error) {
	if n < 0 || n > maxPickle {
		return "", errPickle
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(m.r, b); err != nil {
		return "", errPickle
	}
	return string(b), nil
}

func (m *machine) line() (string, error) {
	s, err := m.r.ReadString('\n')
	if err != nil {
		return "", errPickle
	}
	return s[:len(s)-1], nil
}

// run runs one opcode; the names are those of Python's pickletools.
func (m *machine) run(op byte) error {
	switch op {
	case 0x80: // PROTO
		_, err := m.uint(1)
		return err
	case 0x95: // FRAME
		_, err := m.uint(8)
		return err
	case '(':
		return m.push(mark{})
	case ')', ']', '}', 'N', 0x88, 0x89:
		return m.push(map[byte]any{')': tuple{}, ']': &list{}, '}': &dict{}, 'N': none{}, 0x88: true, 0x89: false}[op])
	case 'K', 'M', 'J', 'X', 0x8c, 'c', 'q', 'r', 'h', 'j', 0x94, 0x8a:
		return m.runData(op)
	case 0x93: // STACK_GLOBAL
		return m.both(func(module, name any) error { return m.push(global(fmt.Sprint(module, ".", name))) })
	case 't', 0x85, 0x86, 0x87:
		return m.runTuple(op)
	case 'Q': // BINPERSID
		id, err := m.pop()
		if err != nil {
			return err
		}
		return m.push(storage(id))
	case 'R':
		return m.both(func(f, args any) error { return m.push(call(f, args)) })
	case 'b': // BUILD: the state of an object that is not made
		_, err := m.pop()
		return err
	case 'a', 'e', 's', 'u':
		return m.runItems(op)
	}
	return fmt.Errorf("%w: opcode 0x%02x", errPickle, op)
}

// both takes the two topmost values.
func (m *machine) both(f func(a, b any) error) error {
	b, err := m.pop()
	if err != nil {
		return err
	}
	a, err := m.pop()
	if err != nil {
		return err
	}
	return f(a, b)
}
