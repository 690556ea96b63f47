package chrome

import (
	"reel/read/kineto"
	"reel/timeline"
)

// spot tells an activity of a source from others: a timeline does not say which
// event of the source an activity was.
type spot struct{ device, stream, start, dur int64 }

func spotOf(tl *timeline.Timeline, i int) spot {
	t := tl.Tracks[tl.ActivityTrack(i)]
	return spot{t.A, t.B, tl.Activities.Start[i], tl.Activities.Dur[i]}
}

// moves says which activities of a source go to sub-tracks.
type moves struct {
	to    map[spot][]int64 // tids; of equal activities, any may be the one that goes
	flows map[arrowEnd]int64
}

// arrowEnd is the end of an arrow at an activity.
type arrowEnd struct{ device, stream, at, id int64 }

func newMoves(tl *timeline.Timeline, sub map[int]int64) moves {
	m := moves{map[spot][]int64{}, map[arrowEnd]int64{}}
	for _, id := range tl.DeviceTracks() {
		for i := tl.Tracks[id].Lo; i < tl.Tracks[id].Hi; i++ {
			if tid, ok := sub[i]; ok {
				s := spotOf(tl, i)
				m.to[s] = append(m.to[s], tid)
			}
		}
	}
	return m
}

func (m *moves) none() bool { return len(m.to) == 0 && len(m.flows) == 0 }

// activity returns the tid of a sub-track, if an activity goes to one. Each is
// moved once.
func (m *moves) activity(e *kineto.RawEvent, text []byte) (int64, bool) {
	s := spot{e.A, e.B, e.Start, e.Dur}
	list, ok := m.to[s]
	if !ok {
		return 0, false
	}
	if m.to[s] = list[1:]; len(list) == 1 {
		delete(m.to, s)
	}
	if args := e.Args.Of(text); len(args) > 0 && args[0] == '{' {
		members(args, func(key []byte, v kineto.RawSpan) {
			if id, ok := integer(v.Of(args)); ok && string(key) == "correlation" {
				m.flows[arrowEnd{e.A, e.B, e.Start, id}] = list[0]
			}
		})
	}
	return list[0], true
}

// flow returns the tid of a sub-track, if an arrow ends at an activity there.
func (m *moves) flow(e *kineto.RawEvent, text []byte) (int64, bool) {
	id, ok := integer(e.ID.Of(text))
	if !ok {
		return 0, false
	}
	tid, ok := m.flows[arrowEnd{e.A, e.B, e.Start, id}]
	return tid, ok
}
