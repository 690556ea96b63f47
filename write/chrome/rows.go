package chrome

import (
	"fmt"
	"strings"

	"reel/analyze"
	"reel/event"
	"reel/timeline"
)

// pidStep is how far apart the process ids of two ranks are, idStep the ids that
// link events. The first is more than any Linux process id, 4,194,304; both leave
// numbers that a double keeps.
const (
	pidStep = 10_000_000
	oddPid  = 5_000_000 // from here on: processes numbered as no system does
	idStep  = 10_000_000_000
)

// The process of Reel's own tracks, and its rows.
const (
	ownPid      = 9_000_000
	ownRequests = 1
	ownStages   = 2
	ownSteps    = 3
	ownCrossing = 4
	ownLane     = 10 // between the lanes of one of them
)

// firstLane is where the ids of sub-tracks begin: above the streams of CUDA and those
// that Kineto moves waits to, 1,000,000 up. Perfetto names threads by their id alone: those
// of Reel's rows differ in all processes, and between ranks by laneStep.
const (
	firstLane = 2_000_000
	laneStep  = 10_000
)

// place says which part of the numbers a rank's events have.
type place struct {
	slot  int64           // 0 for a single rank
	title string          // "rank 3 ", before the names of processes; "" for a single rank
	odd   map[int64]int64 // of several ranks: process ids beyond what systems give, and theirs in the trace
}

// places gives each rank its part: by the rank's number where these differ, else by
// position.
func places(ranks []analyze.Rank) []place {
	list := make([]place, len(ranks))
	if len(ranks) < 2 {
		return list
	}
	seen := map[int]bool{}
	distinct := true
	for _, r := range ranks {
		distinct = distinct && r.Index >= 0 && !seen[r.Index]
		seen[r.Index] = true
	}
	for i, r := range ranks {
		slot := i
		if distinct {
			slot = r.Index
		}
		list[i] = place{int64(slot), "rank " + itoa(int64(slot)) + " ", map[int64]int64{}}
	}
	return list
}

// pid returns the id of a process or device in the trace.
func (p place) pid(n int64) int64 {
	if n >= -1 && n < oddPid || p.odd == nil {
		return p.slot*pidStep + n
	}
	if _, ok := p.odd[n]; !ok {
		p.odd[n] = p.slot*pidStep + oddPid + int64(len(p.odd))
	}
	return p.odd[n]
}

// id returns the id of a link in the trace. 0 is none and stays.
func (p place) id(n int64) int64 {
	if n <= 0 || n >= idStep {
		return n
	}
	return p.slot*idStep + n
}

// row is where events lie: the JSON texts of a pid and a tid.
type row struct{ pid, tid string }

// row returns the row of a track. Rows that are no threads go by name, in a
// process that is no number.
func (p place) row(t event.Track) row {
	switch t.Place {
	case event.Stream:
		return row{itoa(p.pid(t.A)), itoa(t.B)}
	case event.Thread:
		if t.Label == "" {
			return row{itoa(p.pid(t.A)), itoa(t.B)}
		}
		if a, b, ok := strings.Cut(t.Label, "/"); ok {
			return row{quoted(p.title + a), quoted(b)}
		}
		return row{itoa(p.pid(t.A)), quoted(t.Label)}
	}
	if a, b, ok := strings.Cut(t.Label, "/"); ok && !endsInDigit(a) {
		return row{quoted(p.title + a), quoted(b)}
	}
	return row{quoted(p.title + "rows"), quoted(t.Label)}
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1]-'0' <= 9 }

func quoted(s string) string { return string(appendString(nil, s)) }

// subTracks returns where the activities go that do not fit their stream's row: the
// id of a row by activity, what the rows are called, and how many activities
// overlap more others than there are rows for.
func (p place) subTracks(tl *timeline.Timeline) (to map[int]int64, list []subTrack, left int) {
	used := map[int64]bool{}
	for _, t := range tl.Tracks {
		used[t.B] = true
	}
	to = map[int]int64{}
	for _, id := range tl.DeviceTracks() {
		t := tl.Tracks[id]
		lane, more, n := lanes(tl, t)
		left += n
		ids := make([]int64, more+1)
		for k := 1; k <= more; k++ {
			n := firstLane + p.slot*laneStep
			for used[n] {
				n++
			}
			used[n] = true
			ids[k] = n
			list = append(list, subTrack{t.A, t.B, n, k})
		}
		for i, k := range lane {
			to[i] = ids[k]
		}
	}
	return to, list, left
}

// crowded says that activities have no row on which viewers draw them.
func crowded(r analyze.Rank, left int) []string {
	if left == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d activities overlap more than %d others of their stream at once; viewers do not draw them", name(r), left, maxLanes-1)}
}

// subTrack is a row for activities of a stream that overlap others of it in part.
type subTrack struct {
	device, stream int64
	tid            int64
	lane           int // from 1
}

func (s subTrack) name() string {
	name := "stream " + itoa(s.stream) + " (overlapping)"
	if s.lane > 1 {
		name = "stream " + itoa(s.stream) + " (overlapping " + itoa(int64(s.lane)) + ")"
	}
	return name
}
