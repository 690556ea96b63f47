package analyze

import "fmt"

// precision looks for matrix products and convolutions of 32-bit numbers in a run
// whose others are of 16 bits.
func precision(s *scene) answer {
	if s.sum.GPU == nil {
		return unknown(noDevice)
	}
	var all, full, half, told int64
	var names tally
	a := &s.tl.Activities
	for w, i := range s.work {
		if s.isWarm(w) {
			continue
		}
		all += a.Dur[i]
		switch s.kernels.of(i).bits {
		case "32":
			full += a.Dur[i]
			names.add(shortName(s.tl.Name(a.Name[i])), a.Dur[i])
		case "16", "8":
			half += a.Dur[i]
		default:
			continue
		}
		told++
	}
	p := percent(full, all)
	switch {
	case told == 0:
		return unknown("no name of a matrix kernel tells the type of its numbers")
	case half == 0:
		return fine("all matrix kernels are of 32 bits: that is how the model is meant")
	case p <= s.limits.get("precision"):
		return fine(fmt.Sprintf("32-bit matrix kernels take %s of the device time", share100(p)))
	}
	return found(Finding{Severity: SeverityWarn, Cost: &full,
		Title:    fmt.Sprintf("32-bit matrix kernels take %s of the device time, while others are of 16 bits", share100(p)),
		Evidence: facts{"fp32_percent": p, "fp32_ns": full, "fp16_ns": half, "device_ns": all, "names": names.list(3)},
		Remedy:   "Find what is still in float32 (weights loaded without torch_dtype, an autocast that ends early) and give it the 16-bit type of the rest."})
}
