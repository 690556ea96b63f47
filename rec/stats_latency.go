package rec

import (
	"sync"

	"reel/internal/sketch"
)

// latency follows inputs to the screen.
type latency struct {
	mu       sync.Mutex
	in       inputs
	received int64
	shown    int64
	dropped  int64
	stale    int64
	recent   [3]mean
	all      [3]sketch.Sketch // ns
}

// The three numbers of an input: until it was shown, until its step began, from
// the step's end until it was shown. The rest is the step.
var latencyNames = [3]string{"input.latency", "input.queue", "input.present"}

type mean struct {
	sum float64
	n   int64
}

// Latency describes the inputs of a session. Counts are exact.
type Latency struct {
	Received int64 // as InputReceived counted them
	Shown    int64 // input times that came to the screen
	Dropped  int64 // told to InputDropped
	Stale    int64 // passed over by a later step
	Pending  int64 // consumed, not shown yet

	Total, Queue, Present Quantiles // of those shown
}

// Latency returns what became of the inputs since the session began.
func (s *Stats) Latency() Latency {
	l := &s.latency
	l.mu.Lock()
	defer l.mu.Unlock()
	out := Latency{Received: l.received, Shown: l.shown, Dropped: l.dropped, Stale: l.stale,
		Total: quantiles(&l.all[0]), Queue: quantiles(&l.all[1]), Present: quantiles(&l.all[2])}
	for _, b := range l.in.pending {
		out.Pending += int64(len(b.received))
	}
	return out
}

// InputReceived counts inputs.
func (s *Stats) InputReceived(_ Time, count int) {
	if s.opt.NoLatency || count <= 0 {
		return
	}
	s.latency.mu.Lock()
	defer s.latency.mu.Unlock()
	s.latency.received += int64(count)
}

// InputConsumed keeps inputs until a frame of their step is shown; the step ends
// now.
func (s *Stats) InputConsumed(step StepID, received []Time, started Time) {
	if s.opt.NoLatency || len(received) == 0 {
		return
	}
	now := s.opt.Clock()
	l := &s.latency
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lost := range l.in.consumed(batch{step, append([]Time(nil), received...), started, now}) {
		l.stale += int64(len(lost.received))
	}
}

// InputDropped counts inputs that will not be shown.
func (s *Stats) InputDropped(received []Time) {
	if s.opt.NoLatency {
		return
	}
	l := &s.latency
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in.dropped(received)
	l.dropped += int64(len(received))
}

// StepPresented counts the inputs of the step, at its first frame. Those of earlier
// steps that were never shown are stale and have no latency.
func (s *Stats) StepPresented(step StepID) {
	if s.opt.NoLatency {
		return
	}
	now := s.opt.Clock()
	l := &s.latency
	l.mu.Lock()
	defer l.mu.Unlock()
	shown, stale := l.in.presented(step)
	for _, b := range stale {
		l.stale += int64(len(b.received))
	}
	for _, b := range shown {
		for _, t := range b.received {
			l.shown++
			for i, ns := range [3]Time{now - t, b.started - t, now - b.ended} {
				l.recent[i].sum += float64(ns)
				l.recent[i].n++
				l.all[i].Add(int64(max(ns, 0)))
			}
		}
	}
}

// CollectInputLatencyMS returns input.latency_ms, input.queue_ms and
// input.present_ms, means over the inputs shown since the last call, and the same
// with _avg_ms over the session. Without inputs shown there are none.
func (s *Stats) CollectInputLatencyMS() map[string]float64 {
	l := &s.latency
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]float64{}
	for i, name := range latencyNames {
		if m := l.recent[i]; m.n > 0 {
			out[name+"_ms"] = m.sum / float64(m.n) / 1e6
		}
		if n := l.all[i].Count(); n > 0 {
			out[name+"_avg_ms"] = float64(l.all[i].Sum()) / float64(n) / 1e6
		}
	}
	l.recent = [3]mean{}
	return out
}

func (l *latency) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in.pending, l.received, l.shown, l.dropped, l.stale = nil, 0, 0, 0, 0
	l.recent, l.all = [3]mean{}, [3]sketch.Sketch{}
}
