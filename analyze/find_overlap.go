package analyze

import "fmt"

// overlapOnStream looks for activities that overlap on one stream, which a device
// does not do: their times are not to be trusted, or it starts a kernel before the
// last one is done on purpose.
func overlapOnStream(s *scene) answer {
	if s.sum.GPU == nil {
		return unknown(noDevice)
	}
	slack := int64(s.limits.get("overlap-on-stream") * 1e3)
	a := &s.tl.Activities
	var sum, worst int64
	var n int
	worstAt := -1
	for _, tr := range s.tl.DeviceTracks() {
		t := &s.tl.Tracks[tr]
		end, before := int64(-1<<62), -1
		for i := t.Lo; i < t.Hi; i++ {
			if !a.Class[i].IsWork() {
				continue
			}
			if d := min(end, a.End(i)) - a.Start[i]; d > slack {
				sum, n = sum+d, n+1
				if d > worst {
					worst, worstAt = d, before
				}
			}
			if e := a.End(i); e > end {
				end, before = e, i
			}
		}
	}
	if n == 0 {
		return fine("no activities overlap on one stream")
	}
	severity := SeverityInfo
	if percent(sum, s.sum.GPU.Span) > 1 {
		severity = SeverityWarn
	}
	return found(Finding{Severity: severity,
		Title: fmt.Sprintf("%s another on the same stream, by %s in all: busy times count it once, sums twice", countText(n, "activity overlaps", "activities overlap"), durText(sum)),
		Evidence: facts{"overlaps": n, "overlap_ns": sum, "worst_ns": worst, "worst_name": shortName(s.tl.Name(a.Name[worstAt])),
			"worst_duration_ns": a.Dur[worstAt], "of_span_percent": percent(sum, s.sum.GPU.Span)},
		Remedy: "On Hopper and later this can be programmatic dependent launch, and right. Otherwise the profiler's clock is at fault: update it, and trust unions of time more than sums."})
}
