package perfetto

import (
	"strconv"

	"reel/analyze"
	"reel/timeline"
)

// derived writes the requests, stages and steps that Reel found, a row each.
func (w *rank) derived() {
	d := w.Derived
	if d == nil {
		return
	}
	w.spans("requests", orderRequests, d.Requests, func(s *analyze.Span) string { return "request " + strconv.Itoa(s.Index) })
	w.spans("stages", orderStages, d.Stages, func(s *analyze.Span) string { return s.Stage })
	loops := false
	for i := range d.Steps {
		loops = loops || d.Steps[i].Loop > 0
	}
	w.spans("steps", orderSteps, d.Steps, func(s *analyze.Span) string {
		name := "step " + strconv.Itoa(s.Index)
		if loops {
			name = "loop " + strconv.Itoa(s.Loop) + " " + name
		}
		return name
	})
}

func (w *rank) spans(row string, order int, list []analyze.Span, name func(*analyze.Span) string) {
	if len(list) == 0 {
		return
	}
	w.lanes.reset(w.add(track{parent: w.root, name: row, order: order}))
	for i := range list {
		s := &list[i]
		start := s.Start + w.offset
		on, _ := w.lanes.place(start, slice{timeline.NoRange, s.End + w.offset, true}, timeline.NoRange)
		w.start(typeBegin, on)
		w.plainName(name(s))
		if s.Name != "" {
			w.words(keyName, s.Name)
		}
		w.words(keyEvidence, string(s.Evidence))
		w.number(keyRequest, int64(s.Request))
		if s.Loop > 0 {
			w.number(keyLoop, int64(s.Loop))
		}
		w.finish(start)
	}
	w.lanes.finish()
}
