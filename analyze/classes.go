package analyze

import (
	"maps"
	"slices"

	"reel/event"
	"reel/timeline"
)

// ClassTotal is the device work of one class in all runs of a stage; the steps are
// the stage diffuse, what belongs to no stage is "".
type ClassTotal struct {
	Stage      string `json:"stage,omitempty"`
	Class      string `json:"class"`
	Activities int64  `json:"activities"`
	Time       int64  `json:"device_ns"` // sum of durations
	// FLOPs are the floating-point operations of the operators behind the
	// activities, and TFLOPs the rate over FLOPsTime, the part of Time that belongs
	// to operators whose shapes tell. Absent without shapes.
	FLOPs     *int64   `json:"flops,omitempty"`
	FLOPsTime *int64   `json:"flops_ns,omitempty"`
	TFLOPs    *float64 `json:"tflops_per_s,omitempty"`
	// Bytes are those of copies and sets, and Rate what they moved in a second.
	Bytes *int64   `json:"bytes,omitempty"`
	Rate  *float64 `json:"gb_per_s,omitempty"`
}

// classNS names what is not 0.
func classNS(c *[numKernelClasses]int64) map[string]int64 {
	var out map[string]int64
	for i, v := range c {
		if v > 0 {
			if out == nil {
				out = map[string]int64{}
			}
			out[kernelClassNames[i]] = v
		}
	}
	return out
}

// classSum is a ClassTotal in the making.
type classSum struct {
	count, time, flops, flopsTime, bytes, bytesTime int64
}

// classTotals sums the work of each stage by class.
func (s *scene) classTotals() []ClassTotal {
	sums := map[string]*[numKernelClasses]classSum{}
	of := make([]*[numKernelClasses]classSum, 1+len(s.d.Stages)+len(s.d.Steps)) // outside, stages, steps
	get := func(stage string) *[numKernelClasses]classSum {
		if sums[stage] == nil {
			sums[stage] = &[numKernelClasses]classSum{}
		}
		return sums[stage]
	}
	flops := newFLOPs(s.tl)
	a := &s.tl.Activities
	for w, i := range s.work {
		k := int(s.place[w])
		if k < 0 {
			k = len(s.d.Stages) - k
		}
		if of[k] == nil {
			switch {
			case k == 0:
				of[k] = get("")
			case k <= len(s.d.Stages):
				of[k] = get(s.d.Stages[k-1].Stage)
			default:
				of[k] = get("diffuse")
			}
		}
		c := &of[k][s.kernels.of(i).class]
		c.count++
		c.time += a.Dur[i]
		if a.Bytes[i] > 0 && (a.Class[i] == event.Copy || a.Class[i] == event.Set) {
			c.bytes += a.Bytes[i]
			c.bytesTime += a.Dur[i]
		}
		if n, ok := flops.of(a.Owner[i], s.kernels.of(i).class); ok {
			c.flops += n
			c.flopsTime += a.Dur[i]
		}
	}
	return classRows(sums)
}

func classRows(sums map[string]*[numKernelClasses]classSum) []ClassTotal {
	var out []ClassTotal
	for _, stage := range slices.Sorted(maps.Keys(sums)) {
		for _, class := range KernelClasses() {
			c := &sums[stage][class]
			if c.count == 0 {
				continue
			}
			t := ClassTotal{Stage: stage, Class: class.String(), Activities: c.count, Time: c.time}
			if c.flops > 0 && c.flopsTime > 0 {
				t.FLOPs, t.FLOPsTime, t.TFLOPs = &c.flops, &c.flopsTime, new(float64(c.flops)/float64(c.flopsTime)/1e3)
			}
			if c.bytes > 0 && c.bytesTime > 0 {
				t.Bytes, t.Rate = &c.bytes, new(float64(c.bytes)/float64(c.bytesTime))
			}
			out = append(out, t)
		}
	}
	return out
}

// flopsOf finds the floating-point operations of the operator behind a kernel.
type flopsOf struct {
	tl     *timeline.Timeline
	shapes opsShapes
	names  opsNames
	known  map[timeline.RangeID]flopsKnown
}

// flopsKnown is an operator's work: given out with its first kernel.
type flopsKnown struct {
	n     int64
	class KernelClass
	given bool
}

// newFLOPs returns nil when the shapes of operators were not read.
func newFLOPs(tl *timeline.Timeline) *flopsOf {
	if tl.RangeArg(argDims) == nil {
		return nil
	}
	return &flopsOf{tl, newOpsShapes(tl), newOpsNames(tl), map[timeline.RangeID]flopsKnown{}}
}

// outward is how many operators around a kernel's own are asked: convolutions and
// attention go through two or three of their own name.
const outward = 4

// of returns the operations of the operator that owns a kernel, once for all its
// kernels of the class that the operator's work is of; ok says that they are known.
func (f *flopsOf) of(owner timeline.RangeID, class KernelClass) (n int64, ok bool) {
	if f == nil || class != MatrixKernels && class != ConvolutionKernels && class != AttentionKernels {
		return 0, false
	}
	for k := 0; owner != timeline.NoRange && k < outward; k++ {
		if f.tl.Ranges.Class[owner] == event.Op {
			x, seen := f.known[owner]
			if !seen {
				x.n, x.class = f.shapes.work(f.names.text(f.names.ops[f.tl.Ranges.Name[owner]]), owner)
				f.known[owner] = x
			}
			if x.n > 0 {
				if x.class != class {
					return 0, false
				}
				if x.given {
					return 0, true
				}
				x.given = true
				f.known[owner] = x
				return x.n, true
			}
		}
		owner = f.tl.Ranges.Parent[owner]
	}
	return 0, false
}

// work returns the operations of an operator and the class of kernels that do
// them: torch.profiler's formulas, and for attention two products over all keys.
func (s *opsShapes) work(name string, r timeline.RangeID) (int64, KernelClass) {
	switch name {
	case "aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm":
		return s.flops(name, r), MatrixKernels
	case "aten::conv2d":
		return s.flops(name, r), ConvolutionKernels
	case "aten::_scaled_dot_product_flash_attention", "aten::_scaled_dot_product_efficient_attention",
		"aten::_scaled_dot_product_cudnn_attention":
		return s.attention(r), AttentionKernels
	}
	return 0, OtherKernels
}

// attention counts 4 · batch · heads · queries · keys · width, for shapes [batch,
// heads, length, width] of the first two inputs; a mask saves none.
func (s *opsShapes) attention(r timeline.RangeID) int64 {
	if s.dims == nil || s.dims[r] == 0 {
		return 0
	}
	in := s.parsed(s.dims[r]).inputs
	if len(in) < 2 || len(in[0]) != 4 || len(in[1]) != 4 {
		return 0
	}
	return 4 * opsElements(in[0]) * in[1][2]
}
