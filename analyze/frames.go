package analyze

import (
	"fmt"

	"reel/internal/stats"
	"reel/timeline"
)

// FrameOptions says what Frames gives beside the totals.
type FrameOptions struct {
	List bool // a row for every shown frame
}

// FrameReport is what the marks and ranges of an interactive session say of its
// frames, in the words of the JSON schema reel.frames/1. Times are nanoseconds;
// those that are instants count from the first event of the rank.
type FrameReport struct {
	Rank      int  `json:"rank"`
	Shown     int  `json:"shown"`               // present.frame marks
	Generated *int `json:"generated,omitempty"` // model.frame; absent when chunks do not say how many they hold
	// Dropped are generated frames of steps that were passed over or cut short by
	// a later one, Waiting those of the last steps, which nothing replaced.
	Dropped  *int `json:"dropped,omitempty"`
	Waiting  *int `json:"waiting,omitempty"`
	Repeated *int `json:"repeated,omitempty"` // ui.step ranges that presented nothing, between the first and the last frame
	Steps    int  `json:"model_steps"`
	Resets   int  `json:"resets,omitempty"` // times that the step number began anew

	Interval FrameDist   `json:"interval"`
	Low      *float64    `json:"low_1_percent_fps,omitempty"` // rate over the longest 1 % of the intervals
	Rates    FrameRates  `json:"rates"`
	Latency  *FrameInput `json:"input,omitempty"`
	Frames   []Frame     `json:"frames,omitempty"`
	Notes    []string    `json:"notes,omitempty"`
}

// FrameRates are four rates that are easily taken for one another, in 1/s.
type FrameRates struct {
	Model    *float64 `json:"model_fps,omitempty"`      // frames made, over the time from the first model step to the last frame made
	Present  *float64 `json:"present_fps,omitempty"`    // frames shown, from the first to the last
	EndToEnd *float64 `json:"end_to_end_fps,omitempty"` // frames shown, over the whole recording
	Generate *float64 `json:"generate_fps,omitempty"`   // pipeline.generate marks, over the time of Model
}

// FrameDist describes times in nanoseconds: percentiles by nearest rank.
type FrameDist struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean_ns,omitempty"`
	Min   int64   `json:"min_ns,omitempty"`
	P50   int64   `json:"p50_ns,omitempty"`
	P90   int64   `json:"p90_ns,omitempty"`
	P99   int64   `json:"p99_ns,omitempty"`
	Max   int64   `json:"max_ns,omitempty"`
}

// FrameInput says what became of batches of input. Latency is from the arrival to
// the first frame of the step that consumed the batch; Queue is the part until
// that step began, Step the step, Present from its end.
type FrameInput struct {
	Batches int       `json:"batches"`
	Shown   int       `json:"shown"`
	Unshown int       `json:"unshown"` // dropped, overtaken by a later step, or still waiting
	Total   FrameDist `json:"latency"`
	Queue   FrameDist `json:"queue"`
	Step    FrameDist `json:"step"`
	Present FrameDist `json:"present"`
}

// Frame is a picture that was shown.
type Frame struct {
	Frame      int    `json:"frame"` // counted from 0 over the recording
	Generation int    `json:"generation"`
	Step       *int   `json:"step,omitempty"` // absent when the mark does not tell
	At         int64  `json:"at_ns"`
	Interval   *int64 `json:"interval_ns,omitempty"` // since the frame before
}

// Frames measures the frames of a rank: marks present.frame and model.frame,
// ranges model.step[i], ui.step and input.wait, whoever recorded them. Intervals
// are by the instants of the marks, which is when a frame was handed to the
// screen and not when light left it.
func Frames(tl *timeline.Timeline, o FrameOptions) FrameReport {
	s := scanFrames(tl)
	r := FrameReport{Shown: len(s.shown), Steps: len(s.steps), Resets: s.resets}
	if tl.Info.Rank != nil {
		r.Rank = *tl.Info.Rank
	}
	gaps := s.intervals()
	r.Interval = distOf(gaps)
	r.Low = lowRate(gaps)
	s.fates(&r)
	s.rates(&r)
	r.Latency = s.inputs()
	if o.List {
		for i := range s.shown {
			r.Frames = append(r.Frames, s.frame(i))
		}
	}
	s.notes(&r)
	return r
}

func distOf(ns []int64) (d FrameDist) {
	if d.Count = len(ns); d.Count == 0 {
		return d
	}
	d.Mean, _ = stats.Mean(ns)
	d.Min, _ = stats.Nearest(ns, 0)
	d.P50, _ = stats.Nearest(ns, 50)
	d.P90, _ = stats.Nearest(ns, 90)
	d.P99, _ = stats.Nearest(ns, 99)
	d.Max, _ = stats.Nearest(ns, 100)
	return d
}

func (s *frameScan) frame(i int) Frame {
	m := s.shown[i]
	f := Frame{Frame: i, Generation: m.key.gen, At: m.at - s.tl.Origin}
	if m.key.known {
		f.Step = &m.key.step
	}
	if i > 0 {
		d := m.at - s.shown[i-1].at
		f.Interval = &d
	}
	return f
}

func (s *frameScan) notes(r *FrameReport) {
	note := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if r.Shown == 0 {
		note("no present.frame mark: nothing says when a frame was shown")
	}
	if n := r.Interval.Count; n > 0 && n < 100 {
		note("only %d intervals: p99 and the 1 %% low are the longest one", n)
	}
	if r.Generated == nil && len(s.made) > 0 {
		note("model.frame marks stand for chunks of frames and do not tell how many: dropped frames are not known")
	}
	if s.unlabelled > 0 {
		note("%d marks of frames shown tell no step", s.unlabelled)
	}
}
