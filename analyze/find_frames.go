package analyze

import (
	"fmt"
	"strings"
)

// frames measures the frames of an interactive session once; nil without marks.
func (s *scene) frames() *FrameReport {
	if s.frameReport == nil {
		for id := range s.tl.Names() {
			if strings.HasPrefix(s.tl.Name(uint32(id)), "present.frame") {
				r := Frames(s.tl, FrameOptions{})
				s.frameReport = &r
				break
			}
		}
	}
	return s.frameReport
}

const noFrames = "no frame marks in this trace (present.frame)"

// framePacing looks for frames that come unevenly, or not at all.
func framePacing(s *scene) answer {
	r := s.frames()
	if r == nil || r.Shown == 0 {
		return unknown(noFrames)
	}
	i := r.Interval
	dropped, repeated := 0, 0
	if r.Dropped != nil {
		dropped = *r.Dropped
	}
	if r.Repeated != nil {
		repeated = *r.Repeated
	}
	enough := i.Count >= minFrames
	times := float64(i.P99) / float64(max(1, i.P50))
	late := enough && times > s.limits.get("frame-pacing")
	var title string
	switch {
	case late:
		title = fmt.Sprintf("the frames come unevenly: the 99th percentile of their intervals is %.1f times the median", times)
	case dropped > 0:
		title = countText(dropped, "frame was", "frames were") + " made and never shown"
	case repeated > 0:
		title = countText(repeated, "refresh of the screen", "refreshes of the screen") + " had no new frame to show"
	case !enough:
		return unknown(fmt.Sprintf("%s: too few for a percentile", countText(i.Count, "frame interval", "frame intervals")))
	default:
		why := fmt.Sprintf("the 99th percentile of the frame intervals is %.2f times the median", times)
		if r.Dropped != nil {
			why += ", and no frame was dropped"
		}
		return fine(why)
	}
	return found(Finding{Severity: SeverityWarn, Title: title,
		Evidence: facts{"interval_p99_ns": i.P99, "interval_p50_ns": i.P50, "interval_max_ns": i.Max, "frames": r.Shown, "dropped_frames": dropped, "repeated_frames": repeated},
		Remedy:   "Pace the frames of a chunk over the time until the next one, keep a small queue before the screen, and make steps equally long."})
}

// minFrames is how many intervals it takes to judge their spread.
const minFrames = 20

// inputLatency compares the way from input to screen with the time of one chunk.
func inputLatency(s *scene) answer {
	r := s.frames()
	switch {
	case r == nil || r.Shown == 0:
		return unknown(noFrames)
	case r.Latency == nil || r.Latency.Shown == 0:
		return unknown("no input in this trace reached the screen (input.wait)")
	}
	l := r.Latency
	chunk := l.Step.P50
	if chunk <= 0 {
		return unknown("the steps that took in the inputs are not in this trace")
	}
	if l.Total.P90 <= chunk {
		return fine(fmt.Sprintf("9 of 10 inputs are on the screen within %s, the time of a chunk", durText(chunk)))
	}
	part, most := "the queue before the step", l.Queue.P50
	if l.Step.P50 > most {
		part, most = "the step itself", l.Step.P50
	}
	if l.Present.P50 > most {
		part = "the way from the step's end to the screen"
	}
	cost := max(0, l.Total.P90-chunk)
	return found(Finding{Severity: SeverityWarn, Cost: &cost,
		Title: fmt.Sprintf("1 of 10 inputs takes %s to the screen or longer, a chunk %s; most of it is %s", durText(l.Total.P90), durText(chunk), part),
		Evidence: facts{"latency_p90_ns": l.Total.P90, "latency_p50_ns": l.Total.P50, "queue_p50_ns": l.Queue.P50, "step_p50_ns": l.Step.P50,
			"present_p50_ns": l.Present.P50, "inputs_shown": l.Shown, "inputs_unshown": l.Unshown},
		Remedy: "Take inputs in as late as possible before a step, make chunks shorter, and show a chunk's first frame as soon as it is there."})
}
