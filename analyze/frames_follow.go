package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reel/timeline"
)

// FrameStory follows one shown frame back to where it came from. Instants are
// nanoseconds since the first event of the rank.
type FrameStory struct {
	Frame
	OfStep    int          `json:"frame_of_step"` // counted from 0 among the step's shown frames
	Inputs    []FrameBatch `json:"inputs,omitempty"`
	ModelStep *FrameSpan   `json:"model_step,omitempty"`
	Inside    []FrameSpan  `json:"inside,omitempty"` // ranges right inside the step
	Device    *FrameDevice `json:"device,omitempty"` // what the step's launches did
	Made      *int64       `json:"made_ns,omitempty"`
	Publish   *FrameSpan   `json:"publish,omitempty"`
	Held      *int64       `json:"held_ns,omitempty"` // from the end of publishing, or of the step, to the screen
	Missing   []string     `json:"missing,omitempty"`
}

// FrameSpan is a range on the way of a frame.
type FrameSpan struct {
	Name  string `json:"name"`
	Start int64  `json:"start_ns"`
	Dur   int64  `json:"duration_ns"`
}

// FrameBatch is input that the frame's step consumed.
type FrameBatch struct {
	Arrived int64 `json:"arrived_ns"`
	Queue   int64 `json:"queue_ns"`
	Total   int64 `json:"latency_ns"` // to the step's first frame
}

// FrameDevice is the device's work for a step.
type FrameDevice struct {
	Activities int   `json:"activities"`
	Start      int64 `json:"start_ns"`
	End        int64 `json:"end_ns"`
	Busy       int64 `json:"busy_ns"`
}

// FollowFrame follows frame n, counted from 0 over the recording. The error says
// which frames there are.
func FollowFrame(tl *timeline.Timeline, n int) (*FrameStory, error) {
	s := scanFrames(tl)
	if n < 0 || n >= len(s.shown) {
		if len(s.shown) == 0 {
			return nil, fmt.Errorf("frame %d: this recording has no present.frame mark", n)
		}
		return nil, fmt.Errorf("frame %d: there are frames 0 to %d", n, len(s.shown)-1)
	}
	f := &FrameStory{Frame: s.frame(n)}
	key := s.shown[n].key
	for _, m := range s.shown[:n] {
		if m.key == key && key.known {
			f.OfStep++
		}
	}
	at, ok := s.stepOf(key)
	if !ok {
		f.Missing = append(f.Missing, "the model step: no range model.step["+stepText(key)+"] is recorded")
		return f, nil
	}
	s.tellStep(f, at)
	s.tellWay(f, at, s.shown[n].at)
	s.tellInputs(f, at)
	return f, nil
}

func stepText(k frameKey) string {
	if !k.known {
		return "?"
	}
	return fmt.Sprint(k.step)
}

// tellStep adds the step, what lies right inside it and its device work.
func (s *frameScan) tellStep(f *FrameStory, at int) {
	st := s.steps[at]
	span := s.span(st.id)
	f.ModelStep = &span
	r := &s.tl.Ranges
	track := s.tl.RangeTrack(st.id)
	for i := st.id + 1; int(i) < s.tl.Tracks[track].Hi && r.Start[i] < st.end; i++ {
		if r.Parent[i] == st.id && len(f.Inside) < 100 {
			f.Inside = append(f.Inside, s.span(i))
		}
	}
	var d FrameDevice
	var work [][2]int64
	a := &s.tl.Activities
	for i := range a.Len() {
		cause := a.Launch[i]
		if cause == timeline.NoRange {
			cause = a.Owner[i]
		}
		if cause == timeline.NoRange || !a.Class[i].IsWork() || !s.tl.Within(cause, st.id) {
			continue
		}
		work = append(work, [2]int64{a.Start[i], a.End(i)})
		d.End = max(d.End, a.End(i)-s.tl.Origin)
	}
	if d.Activities = len(work); d.Activities > 0 {
		slices.SortFunc(work, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		d.Start = work[0][0] - s.tl.Origin
		var busy union
		for _, w := range work {
			busy.add(w[0], w[1])
		}
		d.Busy = busy.length()
		f.Device = &d
	} else {
		f.Missing = append(f.Missing, "device work: none is recorded for this step")
	}
}

// tellWay adds what happened between the step and the screen.
func (s *frameScan) tellWay(f *FrameStory, at int, shown int64) {
	st := s.steps[at]
	until := shown
	if at+1 < len(s.steps) {
		until = min(until, s.steps[at+1].start)
	}
	for _, m := range s.marksIn(s.made, st.start, until+1) {
		if m.key == st.key || !m.key.known {
			t := m.at - s.tl.Origin
			f.Made = &t
			break
		}
	}
	left := st.end
	r, track := &s.tl.Ranges, s.tl.Tracks[s.tl.RangeTrack(st.id)]
	for i := int(st.id) + 1; i < track.Hi && r.Start[i] <= until; i++ {
		if r.Start[i] >= st.start && strings.HasPrefix(s.tl.Name(r.Name[i]), "model.publish") {
			span := s.span(timeline.RangeID(i))
			f.Publish = &span
			left = r.End(timeline.RangeID(i))
			break
		}
	}
	held := shown - left // negative when the first frames are shown while publishing goes on
	held = max(held, 0)
	f.Held = &held
}

func (s *frameScan) tellInputs(f *FrameStory, at int) {
	for _, w := range s.follow() {
		if w.step != at || w.shown < 0 {
			continue
		}
		arrived := s.tl.Ranges.Start[w.id]
		f.Inputs = append(f.Inputs, FrameBatch{Arrived: arrived - s.tl.Origin,
			Queue: s.steps[at].start - arrived, Total: s.shown[w.shown].at - arrived})
	}
	if len(f.Inputs) == 0 {
		f.Missing = append(f.Missing, "input: no input.wait was consumed by this step and shown")
	}
}

func (s *frameScan) span(r timeline.RangeID) FrameSpan {
	return FrameSpan{s.tl.Name(s.tl.Ranges.Name[r]), s.tl.Ranges.Start[r] - s.tl.Origin, s.tl.Ranges.Dur[r]}
}
