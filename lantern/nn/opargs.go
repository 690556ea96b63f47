package nn

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// dimsJSON writes shapes as traces do: [[2,3],[],[3]], where [] is no tensor.
func dimsJSON(list []Tensor) string {
	b := []byte{'['}
	for i, t := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for k, d := range t.dims[:t.rank] {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(d), 10)
		}
		b = append(b, ']')
	}
	return string(append(b, ']'))
}

// maxCalls bounds the calls of a stack.
const maxCalls = 32

// callStack returns the calls that led to the operator, the innermost first, as
// "file(line): function" joined by semicolons. Those of this package are left out: the
// operator's name says the same.
func callStack() string {
	var pcs [maxCalls]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	var b strings.Builder
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == "" || strings.HasPrefix(f.Function, "runtime.") || b.Len() == 0 && ownCall(f.Function) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, "%s(%d): %s", f.File, f.Line, f.Function)
	}
	return b.String()
}

// ownCall reports whether a call is one of operators, or what makes stacks.
func ownCall(function string) bool {
	_, name, _ := strings.Cut(function, "lantern/nn.")
	return strings.HasPrefix(name, "(*Ops).") || name == "callStack"
}
