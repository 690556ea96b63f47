// Package timeline holds all events of a run, indexed: sorted by track, nested
// within tracks, device activities attributed to their launch and operator.
//
// A Timeline is immutable and stores columns without pointers. It knows no file
// format and draws no conclusion: what a range means is for package analyze.
package timeline

import (
	"sort"

	"reel/event"
)

// NameID is an interned string; 0 is "".
type NameID = uint32

// RangeID is the position of a host range in Ranges; NoRange is none.
type RangeID int32

// NoRange is the absent RangeID.
const NoRange RangeID = -1

// TrackID is the position of a track in Tracks.
type TrackID int32

// NoTrack is the absent TrackID.
const NoTrack TrackID = -1

// Track is a row of the timeline: its identity, name, and where its ranges or
// activities lie: rows [Lo, Hi) of Ranges (host tracks) or Activities (streams).
type Track struct {
	event.Track
	Name   string
	Lo, Hi int
}

// Ranges are the host ranges as columns, ordered by track, then start, then
// longest first, so that a parent stands before its children.
type Ranges struct {
	Start  []int64 // ns
	Dur    []int64 // ns
	Name   []NameID
	Parent []RangeID // innermost range of the same track that contains it
	Class  []event.Class
	Role   []event.Role
}

// Len returns the number of ranges.
func (r *Ranges) Len() int { return len(r.Start) }

// End returns the end of range i, ns.
func (r *Ranges) End(i RangeID) int64 { return r.Start[i] + r.Dur[i] }

// Activities are the device activities as columns, ordered by stream and start.
type Activities struct {
	Start  []int64 // ns
	Dur    []int64 // ns
	Name   []NameID
	Launch []RangeID // the call that caused it; NoRange when the trace does not hold it
	Owner  []RangeID // innermost operator or annotation around the launch; NoRange when unknown
	Class  []event.Class
	Bytes  []int64 // of a copy or set; 0 when not said
}

// Len returns the number of activities.
func (a *Activities) Len() int { return len(a.Start) }

// End returns the end of activity i, ns.
func (a *Activities) End(i int) int64 { return a.Start[i] + a.Dur[i] }

// Marks are instants and counter samples, ordered by time.
type Marks struct {
	At    []int64 // ns
	Name  []NameID
	Track []TrackID
	Class []event.Class
	Value []int64
}

// Timeline is one rank's run. Times are nanoseconds on the source's own time
// line; Origin is where its first event starts.
type Timeline struct {
	Info       event.Info
	Origin     int64 // ns: the earliest start of a sound event
	End        int64 // ns: the latest end of a sound event
	Tracks     []Track
	Ranges     Ranges
	Activities Activities
	Marks      Marks
	Linked     Linked

	texts     []string // the interned names
	rangeArgs map[string][]NameID
	markArgs  map[string][]int64
	hostLo    []int // Lo of host tracks, ascending, for TrackOf
	hostTrack []TrackID
	devLo     []int
	devTrack  []TrackID
	Warnings  []event.Warning
}

// Linked counts how activities (of work) were attributed.
type Linked struct {
	ByLaunch int // the launch call is in the trace
	ByOp     int // only the producer's operator id tells
	None     int // unattributed
	Unsound  int // left out: their times cannot be true
}

// Name returns the text of an interned name.
func (t *Timeline) Name(id NameID) string {
	if int(id) < len(t.texts) {
		return t.texts[id]
	}
	return ""
}

// Names returns the number of interned names; valid ids lie below it.
func (t *Timeline) Names() int { return len(t.texts) }

// RangeArg returns, for an argument kept at build time (Options.Args), its text
// for every range: 0 where a range lacks it. Nil when it was not kept.
func (t *Timeline) RangeArg(key string) []NameID { return t.rangeArgs[key] }

// NoValue is the value of a mark's argument that the mark lacks.
const NoValue int64 = -1 << 63

// MarkArg returns, for an argument kept at build time (Options.MarkArgs), its value
// for every mark: NoValue where a mark lacks it. Nil when it was not kept.
func (t *Timeline) MarkArg(key string) []int64 { return t.markArgs[key] }

// RangeTrack returns the track of a host range.
func (t *Timeline) RangeTrack(r RangeID) TrackID {
	return find(t.hostLo, t.hostTrack, int(r))
}

// ActivityTrack returns the stream of an activity.
func (t *Timeline) ActivityTrack(i int) TrackID { return find(t.devLo, t.devTrack, i) }

func find(lo []int, tracks []TrackID, i int) TrackID {
	k := sort.SearchInts(lo, i+1) - 1
	if k < 0 || i < 0 {
		return NoTrack
	}
	return tracks[k]
}

// HostTracks returns the tracks that hold host ranges.
func (t *Timeline) HostTracks() []TrackID { return t.hostTrack }

// DeviceTracks returns the tracks that hold activities.
func (t *Timeline) DeviceTracks() []TrackID { return t.devTrack }

// Within reports whether range r is p or lies inside it, by nesting.
func (t *Timeline) Within(r, p RangeID) bool {
	for ; r > p; r = t.Ranges.Parent[r] {
	}
	return r == p
}
