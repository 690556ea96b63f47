package analyze

import (
	"encoding/binary"
	"strings"

	"reel/event"
	"reel/timeline"
)

// opsStacks numbers call stacks: the innermost Python calls around a range.
type opsStacks struct {
	tl    *timeline.Timeline
	calls int
	text  []timeline.NameID // the old "Call stack" argument; nil when not kept
	ids   map[string]uint32
	list  [][]string // by id; 0 is no stack
	skip  map[timeline.NameID]bool
	last  timeline.RangeID // the Python call that was asked for last, and its id
	id    uint32
}

func newOpsStacks(tl *timeline.Timeline, calls int) opsStacks {
	return opsStacks{tl: tl, calls: calls, text: tl.RangeArg(argCallStack), ids: map[string]uint32{},
		list: [][]string{nil}, skip: map[timeline.NameID]bool{}, last: timeline.NoRange}
}

// of returns the id of the stack around range r.
func (s *opsStacks) of(r timeline.RangeID) uint32 {
	if r == timeline.NoRange {
		return 0
	}
	p := s.python(s.tl.Ranges.Parent[r])
	if p == timeline.NoRange {
		return s.written(r)
	}
	if p != s.last {
		s.last, s.id = p, s.around(p)
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

// around numbers the stack that begins with Python call p.
func (s *opsStacks) around(p timeline.RangeID) uint32 {
	var key []byte
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

// written numbers the stack that the operator's own argument holds.
func (s *opsStacks) written(r timeline.RangeID) uint32 {
	if s.text == nil || s.text[r] == 0 {
		return 0
	}
	key := "=" + string(binary.LittleEndian.AppendUint32(nil, s.text[r]))
	if id, ok := s.ids[key]; ok {
		return id
	}
	var calls []string
	for call := range strings.SplitSeq(s.tl.Name(s.text[r]), ";") {
		if call = strings.TrimSpace(call); call != "" && !opsHidesCall(call) && len(calls) < s.calls {
			calls = append(calls, call)
		}
	}
	id := s.number(strings.Join(calls, "\n")+"\n", calls)
	s.ids[key] = id
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
