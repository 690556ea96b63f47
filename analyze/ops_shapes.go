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
	ids      map[string]uint32
	list     []string // by id; 0 is none
	shapes   map[timeline.NameID]opsShape
}

// opsShape is one parsed argument: its number, and the shape of each input.
type opsShape struct {
	id     uint32
	inputs [][]int64
}

func newOpsShapes(tl *timeline.Timeline) opsShapes {
	return opsShapes{tl: tl, dims: tl.RangeArg(argDims), concrete: tl.RangeArg(argConcrete),
		ids: map[string]uint32{}, list: []string{""}, shapes: map[timeline.NameID]opsShape{}}
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

// flops returns how many floating-point operations range r did by
// torch.profiler's formulas, 0 when they cannot be derived. A multiplication and
// an addition of a matrix product count as two.
func (s *opsShapes) flops(name string, r timeline.RangeID) int64 {
	if s.dims == nil || s.dims[r] == 0 || !strings.HasPrefix(name, "aten::") {
		return 0
	}
	first := 0
	switch name {
	case "aten::mul", "aten::add":
		if in := s.parsed(s.dims[r]).inputs; len(in) > 0 && len(in[0]) > 0 {
			return opsProduct(in[0])
		}
		return 0
	case "aten::conv2d":
		return s.conv2d(r)
	case "aten::addmm", "aten::baddbmm":
		first = 1
	case "aten::mm", "aten::bmm":
	default:
		return 0
	}
	in := s.parsed(s.dims[r]).inputs
	if len(in) < first+2 {
		return 0
	}
	x, y, rank := in[first], in[first+1], 2
	if strings.HasSuffix(name, "bmm") {
		rank = 3
	}
	if len(x) != rank || len(y) != rank {
		return 0
	}
	return 2 * opsProduct(x) * y[rank-1]
}

func opsProduct(dims []int64) int64 {
	p := int64(1)
	for _, d := range dims {
		p *= d
	}
	return p
}

// conv2d needs stride, padding, dilation and groups beside the shapes.
func (s *opsShapes) conv2d(r timeline.RangeID) int64 {
	in := s.parsed(s.dims[r]).inputs
	if len(in) < 2 || len(in[0]) != 4 || len(in[1]) != 4 || s.concrete == nil {
		return 0
	}
	var texts []string
	if json.Unmarshal([]byte(s.tl.Name(s.concrete[r])), &texts) != nil || len(texts) < 7 {
		return 0
	}
	var stride, pad, dilate []int64
	var groups int64
	for i, into := range []any{&stride, &pad, &dilate, &groups} {
		if json.Unmarshal([]byte(texts[3+i]), into) != nil {
			return 0
		}
	}
	if len(stride) != 2 || len(pad) != 2 || len(dilate) != 2 || stride[0] <= 0 || stride[1] <= 0 || groups <= 0 {
		return 0
	}
	image, kernel := in[0], in[1]
	out := func(i int) int64 {
		return (image[2+i]+2*pad[i]-dilate[i]*(kernel[2+i]-1)-1)/stride[i] + 1
	}
	return 2 * image[0] * out(0) * out(1) * kernel[2] * kernel[3] * image[1] * kernel[0] / groups
}
