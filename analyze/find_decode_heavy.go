package analyze

import (
	"fmt"

	"reel/timeline"
)

// decodeHeavy compares decoding with all device work of the requests.
func decodeHeavy(s *scene) answer {
	if s.sum.GPU == nil {
		return unknown(noDevice)
	}
	var decode, all int64
	for i := range s.sum.Stages {
		x := &s.sum.Stages[i]
		if x.GPUBusy == nil || x.Request < len(s.d.Requests) && s.d.Requests[x.Request].WarmUp {
			continue
		}
		if all += *x.GPUBusy; x.Stage == "decode" {
			decode += *x.GPUBusy
		}
	}
	if o := s.sum.Outside; o != nil {
		all += o.GPUBusy
	}
	place, seen := timeline.NoRange, false
	for _, x := range s.d.Stages {
		if x.Stage == "decode" && !seen {
			place, seen = x.Range, true
		}
	}
	if !seen {
		return unknown("no decoder was recognised in this trace")
	}
	p := percent(decode, all)
	if p <= s.limits.get("decode-heavy") {
		return fine(fmt.Sprintf("decoding takes %s of the device's work", share100(p)))
	}
	return found(Finding{Severity: SeverityWarn, Cost: &decode, Where: where("decode", s.calls.place(place)),
		Title:    fmt.Sprintf("decoding takes %s of the device's work", share100(p)),
		Evidence: facts{"decode_percent": p, "decode_ns": decode, "device_ns": all},
		Remedy:   "Try channels-last, a compiled decoder, slicing or tiling, 16-bit numbers, or a smaller decoder for previews."})
}
