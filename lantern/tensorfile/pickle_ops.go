package tensorfile

import (
	"fmt"
	"strings"
)

// runData runs opcodes that have data behind them.
func (m *machine) runData(op byte) error {
	switch op {
	case 'K', 'M':
		v, err := m.uint(map[byte]int{'K': 1, 'M': 2}[op])
		m.stack = append(m.stack, v)
		return err
	case 'J':
		v, err := m.uint(4)
		m.stack = append(m.stack, int(int32(uint32(v))))
		return err
	case 0x8a: // LONG1
		n, err := m.uint(1)
		if err != nil || n > 7 {
			return errPickle
		}
		v, err := m.uint(n)
		if n > 0 && v>>(8*n-1)&1 == 1 {
			v -= 1 << (8 * n)
		}
		m.stack = append(m.stack, v)
		return err
	case 'X', 0x8c:
		n, err := m.uint(map[byte]int{'X': 4, 0x8c: 1}[op])
		if err != nil {
			return err
		}
		s, err := m.text(n)
		m.stack = append(m.stack, s)
		return err
	case 'c':
		module, err := m.line()
		if err != nil {
			return err
		}
		name, err := m.line()
		m.stack = append(m.stack, global(module+"."+name))
		return err
	}
	return m.runMemo(op)
}

// runMemo runs the opcodes of the memo.
func (m *machine) runMemo(op byte) error {
	at, err := len(m.memo), error(nil)
	if n := map[byte]int{'q': 1, 'r': 4, 'h': 1, 'j': 4}[op]; n > 0 {
		if at, err = m.uint(n); err != nil {
			return err
		}
	}
	if op == 'h' || op == 'j' {
		v, ok := m.memo[at]
		if !ok {
			return errPickle
		}
		return m.push(v)
	}
	if len(m.stack) == 0 {
		return errPickle
	}
	m.memo[at] = m.stack[len(m.stack)-1]
	return nil
}

func (m *machine) runTuple(op byte) error {
	if op == 't' {
		items, err := m.toMark()
		if err != nil {
			return err
		}
		return m.push(tuple(items))
	}
	n := int(op-0x85) + 1
	if len(m.stack) < n {
		return errPickle
	}
	items := append(tuple(nil), m.stack[len(m.stack)-n:]...)
	m.stack = m.stack[:len(m.stack)-n]
	return m.push(items)
}

// runItems adds to a list or dict.
func (m *machine) runItems(op byte) error {
	var items []any
	var err error
	switch op {
	case 'e', 'u':
		items, err = m.toMark()
	default:
		for range map[byte]int{'a': 1, 's': 2}[op] {
			v, e := m.pop()
			if e != nil {
				return e
			}
			items = append([]any{v}, items...)
		}
	}
	if err != nil || len(m.stack) == 0 {
		return errPickle
	}
	switch x := m.stack[len(m.stack)-1].(type) {
	case *list:
		x.items = append(x.items, items...)
	case *dict:
		if len(items)%2 != 0 {
			return errPickle
		}
		for i := 0; i < len(items); i += 2 {
			x.keys, x.values = append(x.keys, items[i]), append(x.values, items[i+1])
		}
	case opaque:
	default:
		return errPickle
	}
	return nil
}

// storage is what a persistent id stands for: ("storage", torch.FloatStorage, "0",
// "cpu", elements).
func storage(id any) any {
	t, ok := id.(tuple)
	if !ok || len(t) < 3 || t[0] != "storage" {
		return opaque{}
	}
	kind, ok := t[1].(global)
	name, ok2 := t[2].(string)
	if !ok || !ok2 {
		return opaque{}
	}
	return reference{kind: strings.TrimPrefix(string(kind), "torch."), storage: name}
}

// call is what a call gives.
func call(f, args any) any {
	a, ok := args.(tuple)
	switch {
	case !ok:
		return opaque{}
	case f == global("collections.OrderedDict"):
		return &dict{}
	case f == global("torch._utils._rebuild_tensor_v2") && len(a) >= 4:
		r, ok := a[0].(reference)
		offset, ok2 := a[1].(int)
		shape, ok3 := ints(a[2])
		stride, ok4 := ints(a[3])
		if ok && ok2 && ok3 && ok4 && len(shape) == len(stride) && len(shape) <= 16 {
			r.offset, r.shape, r.stride = offset, shape, stride
			return &r
		}
	case f == global("torch._utils._rebuild_parameter") && len(a) > 0:
		return a[0]
	}
	return opaque{}
}

func ints(v any) ([]int, bool) {
	t, ok := v.(tuple)
	out := []int{}
	for _, x := range t {
		n, isInt := x.(int)
		ok = ok && isInt
		out = append(out, n)
	}
	return out, ok
}

// onlyTensor finds the one tensor of a pickle: itself, or that of a dict or list.
func onlyTensor(v any) (*reference, string, error) {
	var found []*reference
	var names []string
	add := func(name string, v any) {
		if r, ok := v.(*reference); ok {
			found, names = append(found, r), append(names, name)
		}
	}
	switch x := v.(type) {
	case *dict:
		for i, k := range x.keys {
			name, _ := k.(string)
			add(name, x.values[i])
		}
	case *list:
		for _, y := range x.items {
			add("", y)
		}
	case tuple:
		for _, y := range x {
			add("", y)
		}
	default:
		add("", v)
	}
	if len(found) != 1 {
		return nil, "", fmt.Errorf("%d tensors: one is wanted", len(found))
	}
	return found[0], names[0], nil
}
