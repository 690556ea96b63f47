package analyze

import (
	"fmt"

	"reel/event"
	"reel/internal/sketch"
	"reel/timeline"
)

// add counts one irregularity of d ns that weighs total; at says where it is.
func (r *Irregular) add(total, d int64, at func() *Place) {
	r.Count++
	r.Total = sketch.Plus(r.Total, total)
	if d > r.Worst || r.WorstAt == nil {
		r.Worst, r.WorstAt = d, at()
	}
}

// checkOverlaps compares each activity with those before it on its stream.
func checkOverlaps(tl *timeline.Timeline) (r Irregular) {
	a := &tl.Activities
	for _, tr := range tl.DeviceTracks() {
		t := &tl.Tracks[tr]
		end, any := int64(0), false
		for i := t.Lo; i < t.Hi; i++ {
			if !a.Class[i].IsWork() {
				continue
			}
			if any && a.Start[i] < end && a.Dur[i] > 0 {
				r.add(min(end, a.End(i))-a.Start[i], end-a.Start[i], func() *Place { return activityPlace(tl, i) })
			}
			if e := a.End(i); !any || e > end {
				end, any = e, true
			}
		}
	}
	return r
}

// checkEarly compares each activity with its launch.
func checkEarly(tl *timeline.Timeline) (r Irregular) {
	a := &tl.Activities
	for i, l := range a.Launch {
		if l == timeline.NoRange || !a.Class[i].IsWork() {
			continue
		}
		if d := tl.Ranges.Start[l] - a.Start[i]; d > 0 {
			r.add(d, d, func() *Place { return activityPlace(tl, i) })
		}
	}
	return r
}

// checkCrossings compares each host range with the innermost one around its start.
// Whole microseconds, start and duration cut apart, seem to cross: not counted.
func checkCrossings(tl *timeline.Timeline) (r Irregular) {
	h := &tl.Ranges
	var open []timeline.RangeID
	for _, tr := range tl.HostTracks() {
		open = open[:0]
		for i := timeline.RangeID(tl.Tracks[tr].Lo); int(i) < tl.Tracks[tr].Hi; i++ {
			for len(open) > 0 && h.End(open[len(open)-1]) <= h.Start[i] {
				open = open[:len(open)-1]
			}
			if n := len(open); n > 0 && h.Class[i] != event.Overhead {
				if d := h.End(i) - h.End(open[n-1]); d > clockSlack {
					r.add(d, d, func() *Place { return rangePlace(tl, i) })
				}
			}
			open = append(open, i)
		}
	}
	return r
}

func activityPlace(tl *timeline.Timeline, i int) *Place {
	a := &tl.Activities
	return &Place{tl.Name(a.Name[i]), trackWords(tl, tl.ActivityTrack(i)), a.Start[i] - tl.Origin}
}

func rangePlace(tl *timeline.Timeline, r timeline.RangeID) *Place {
	h := &tl.Ranges
	return &Place{tl.Name(h.Name[r]), trackWords(tl, tl.RangeTrack(r)), h.Start[r] - tl.Origin}
}

// trackWords names a track for people.
func trackWords(tl *timeline.Timeline, id timeline.TrackID) string {
	t := tl.Tracks[id]
	switch {
	case t.Label != "":
		return t.Label
	case t.Place == event.Stream:
		return fmt.Sprintf("device %d, stream %d", t.A, t.B)
	case t.Place == event.Thread:
		return fmt.Sprintf("thread %d of process %d", t.B, t.A)
	}
	return t.Name
}
