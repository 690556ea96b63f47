package analyze

import (
	"encoding/json"
	"strconv"
	"strings"

	"reel/timeline"
)

// flops returns how many floating-point operations range r did: as many as its
// producer says, else by torch.profiler's formulas; 0 when they cannot be told. A
// multiplication and an addition of a matrix product count as two.
func (s *opsShapes) flops(name string, r timeline.RangeID) int64 {
	if s.counted != nil && s.counted[r] != 0 {
		n, _ := strconv.ParseInt(s.tl.Name(s.counted[r]), 10, 64)
		return max(n, 0)
	}
	if s.dims == nil || s.dims[r] == 0 || !strings.HasPrefix(name, "aten::") {
		return 0
	}
	switch name {
	case "aten::mul", "aten::add":
		return s.elementwise(r)
	case "aten::conv2d":
		return s.conv2d(r)
	case "aten::mm":
		return s.product(r, 0, 2)
	case "aten::addmm":
		return s.product(r, 1, 2)
	case "aten::bmm":
		return s.product(r, 0, 3)
	case "aten::baddbmm":
		return s.product(r, 1, 3)
	}
	return 0
}

// product counts a product of the matrices, or stacks of matrices, at inputs
// first and first+1.
func (s *opsShapes) product(r timeline.RangeID, first, rank int) int64 {
	in := s.parsed(s.dims[r]).inputs
	if len(in) < first+2 || len(in[first]) != rank || len(in[first+1]) != rank {
		return 0
	}
	return 2 * opsElements(in[first]) * in[first+1][rank-1]
}

// elementwise counts the elements of the first input, which must be a tensor. A
// tensor without dimensions has one; what has no shape otherwise has none.
func (s *opsShapes) elementwise(r timeline.RangeID) int64 {
	in := s.parsed(s.dims[r]).inputs
	if len(in) == 0 || len(in[0]) == 0 && !s.tensor(r) {
		return 0
	}
	return opsElements(in[0])
}

// tensor reports whether the first input of range r is a tensor.
func (s *opsShapes) tensor(r timeline.RangeID) bool {
	if s.types == nil {
		return false
	}
	var types []string
	if json.Unmarshal([]byte(s.tl.Name(s.types[r])), &types) != nil || len(types) == 0 {
		return false
	}
	switch types[0] {
	case "", "Scalar", "ScalarList", "TensorList", "GenericList":
		return false
	}
	return true
}

func opsElements(dims []int64) int64 {
	p := int64(1)
	for _, d := range dims {
		p *= d
	}
	return p
}

// conv2d needs stride, padding, dilation and groups beside the shapes; padding by
// a word ("same") is not counted.
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
