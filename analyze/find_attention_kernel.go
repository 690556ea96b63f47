package analyze

import "fmt"

// attentionWindow is how many element-wise, norm and copy kernels may lie between a
// product and the soft-max: scale, mask, cast, dropout.
const attentionWindow = 6

// attentionKernel looks for attention that runs as product, soft-max, product
// instead of as one kernel.
func attentionKernel(s *scene) answer {
	if s.sum.GPU == nil {
		return unknown(noDevice)
	}
	part := s.unfused()
	work := s.byStage(func(w int) bool { return part[w] })
	var list []Finding
	for _, stage := range s.heavy(work, s.limits.get("attention-kernel")) {
		x := work[stage]
		p := percent(x.some, x.all)
		list = append(list, Finding{Severity: SeverityWarn, Cost: &x.some, Where: where(stage, s.calls.place(x.where)),
			Title:    fmt.Sprintf("attention runs as product, soft-max, product: %s of %s", share100(p), inStage(stage)),
			Evidence: facts{"unfused_percent": p, "unfused_ns": x.some, "stage_ns": x.all, "kernels": x.n, "names": x.names.list(3)},
			Remedy:   "Use scaled_dot_product_attention or a fused kernel (flash, cuDNN, xFormers, Sage); look for a bias or mask that keeps it from being used."})
	}
	if len(list) > 0 {
		return found(list...)
	}
	return fine("attention is fused, or hardly takes time")
}

// unfused marks the work that belongs to unfused attention.
func (s *scene) unfused() []bool {
	part := make([]bool, len(s.work))
	// near finds a product within the window before or after a soft-max.
	near := func(w, step int) int {
		for k, n := w+step, 0; k >= 0 && k < len(s.work) && n <= attentionWindow; k, n = k+step, n+1 {
			info := s.kernels.of(s.work[k])
			switch {
			case info.class == MatrixKernels:
				return k
			case info.softmax || info.class != ElementwiseKernels && info.class != CopyKernels && info.class != NormKernels:
				return -1
			}
		}
		return -1
	}
	for w, i := range s.work {
		if !s.kernels.of(i).softmax {
			continue
		}
		lo, hi := near(w, -1), near(w, 1)
		if lo >= 0 && hi >= 0 && s.place[lo] == s.place[hi] {
			for k := lo; k <= hi; k++ {
				part[k] = true
			}
		}
	}
	return part
}
