package analyze

import (
	"encoding/binary"
	"strings"

	"reel/event"
	"reel/timeline"
)

// opsStacks numbers call stacks: the innermost Python calls around a range.
type opsStacks struct {
	tl       *timeline.Timeline
	calls    int
	text     []timeline.NameID          // the "Call stack" argument; nil when not kept
	texts    map[timeline.NameID]uint32 // ids of arguments
	ids      map[string]uint32
	list     [][]string // by id; 0 is no stack
	skip     map[timeline.NameID]bool
	last     timeline.RangeID // the Python call that was asked for last, and its id
	id       uint32
	backward *opsBackward // nil without a backward pass
}

func newOpsStacks(tl *timeline.Timeline, opt OpsOptions) opsStacks {
	s := opsStacks{tl: tl, calls: opt.Calls, text: tl.RangeArg(argCallStack), texts: map[timeline.NameID]uint32{}, ids: map[string]uint32{},
		list: [][]string{nil}, skip: map[timeline.NameID]bool{}, last: timeline.NoRange}
	if opt.By == OpsByStack {
		s.backward = newOpsBackward(tl)
	}
	return s
}

// of returns the id of range r's stack. As in torch, what a backward pass does has
// the stack of the operator whose derivative it computes.
func (s *opsStacks) of(r timeline.RangeID) uint32 {
	if s.backward != nil {
		r = s.backward.forward(r)
	}
	return s.around(r)
}

// around returns the id of the calls around range r: those that the trace writes
// with it, which has calls that ended within, else those that hold it.
func (s *opsStacks) around(r timeline.RangeID) uint32 {
	if r == timeline.NoRange {
		return 0
	}
	if s.text != nil && s.text[r] != 0 {
		return s.written(s.text[r])
	}
	p := s.python(s.tl.Ranges.Parent[r])
	if p == timeline.NoRange {
		return 0
	}
	if p != s.last {
		s.last, s.id = p, s.from(p)
	}
	return s.id
}

// python returns the first Python call from r outwards.
func (s *opsStacks) python(r timeline.RangeID) timeline.RangeID {
	for r != timeline.NoRange && s.tl.Ranges.Class[r] != event.Python {
		r = s.tl.Ranges.Parent[r]
	}
	return r
}

// from numbers the stack that begins with Python call p.
func (s *opsStacks) from(p timeline.RangeID) uint32 {
	key := []byte{'p'}
	var calls []string
	for ; p != timeline.NoRange && len(calls) < s.calls; p = s.python(s.tl.Ranges.Parent[p]) {
		name := s.tl.Ranges.Name[p]
		skip, known := s.skip[name]
		if !known {
			skip = opsHidesCall(s.tl.Name(name))
			s.skip[name] = skip
		}
		if !skip {
			key = binary.LittleEndian.AppendUint32(key, name)
			calls = append(calls, s.tl.Name(name))
		}
	}
	return s.number(string(key), calls)
}

// written numbers the stack that an argument holds.
func (s *opsStacks) written(text timeline.NameID) uint32 {
	if id, ok := s.texts[text]; ok {
		return id
	}
	var calls []string
	for call := range strings.SplitSeq(s.tl.Name(text), ";") {
		if call = strings.TrimSpace(call); call != "" && !opsHidesCall(call) && len(calls) < s.calls {
			calls = append(calls, call)
		}
	}
	id := s.number("t"+strings.Join(calls, "\n"), calls)
	s.texts[text] = id
	return id
}

func (s *opsStacks) number(key string, calls []string) uint32 {
	if len(calls) == 0 {
		return 0
	}
	id, ok := s.ids[key]
	if !ok {
		id = uint32(len(s.list))
		s.ids[key], s.list = id, append(s.list, calls)
	}
	return id
}

// opsHiddenCalls are calls that torch.profiler leaves out of stacks: file, function.
var opsHiddenCalls = [][2]string{
	{"autograd/__init__", "_make_grads"}, {"autograd/__init__", "backward"}, {"torch/tensor", "backward"},
	{"_internal/common_utils", "prof_callable"}, {"_internal/common_utils", "prof_func_call"},
	{"_internal/common_utils", "prof_meth_call"},
}

func opsHidesCall(call string) bool {
	for _, h := range opsHiddenCalls {
		if strings.Contains(call, h[0]) && strings.Contains(call, h[1]) {
			return true
		}
	}
	return false
}
