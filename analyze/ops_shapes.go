package analyze

import (
	"encoding/json"
	"strings"

	"reel/timeline"
)

// opsShapes numbers the input shapes of operators as torch.profiler tells them
// apart: a list of tensors counts as an input without a shape.
type opsShapes struct {
	tl       *timeline.Timeline
	dims     []timeline.NameID // nil when not kept
	concrete []timeline.NameID // nil when not kept
	types    []timeline.NameID // nil when not kept
	counted  []timeline.NameID // nil when not kept
	ids      map[string]uint32
	list     []string // by id; 0 is none, which torch writes as []
	shapes   map[timeline.NameID]opsShape
}

// opsShape is one parsed argument: its number, and the shape of each input.
type opsShape struct {
	id     uint32
	inputs [][]int64
}

func newOpsShapes(tl *timeline.Timeline) opsShapes {
	return opsShapes{tl: tl, dims: tl.RangeArg(argDims), concrete: tl.RangeArg(argConcrete), types: tl.RangeArg(argTypes), counted: tl.RangeArg(argFLOPs),
		ids: map[string]uint32{"[]": 0}, list: []string{""}, shapes: map[timeline.NameID]opsShape{}}
}

// of returns the id of range r's input shapes.
func (s *opsShapes) of(r timeline.RangeID) uint32 {
	if s.dims == nil || s.dims[r] == 0 {
		return 0
	}
	return s.parsed(s.dims[r]).id
}

func (s *opsShapes) parsed(dims timeline.NameID) opsShape {
	shape, ok := s.shapes[dims]
	if ok {
		return shape
	}
	text := s.tl.Name(dims)
	var items []json.RawMessage
	if json.Unmarshal([]byte(text), &items) == nil {
		shape.inputs = make([][]int64, len(items))
		for i, item := range items {
			if json.Unmarshal(item, &shape.inputs[i]) != nil {
				shape.inputs[i] = nil // a list of tensors
			}
		}
		text = opsShapesText(shape.inputs)
	}
	id, ok := s.ids[text]
	if !ok {
		id = uint32(len(s.list))
		s.ids[text], s.list = id, append(s.list, text)
	}
	shape.id = id
	s.shapes[dims] = shape
	return shape
}

// opsShapesText writes shapes as torch.profiler prints them: "[[2, 3], []]".
func opsShapesText(inputs [][]int64) string {
	b, err := json.Marshal(inputs)
	if err != nil {
		return ""
	}
	return strings.NewReplacer("null", "[]", ",", ", ").Replace(string(b))
}
