package webui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reel/analyze"
	"reel/event"
	"reel/internal/lanes"
	"reel/internal/walk"
	"reel/timeline"
)

// bandRows is how many rows of a track travel together.
const bandRows = 16

// maxBands bounds the rows that one page can show.
const maxBands = 1 << 14

// picture is a run as rows of intervals on one time: the page's, ns since the first
// event of all ranks.
type picture struct {
	clock  walk.Clock
	end    int64 // of the page's time
	ranks  []*rankPicture
	tracks []track
	bands  []band
	notes  []string
}

// track is a group of rows under one name.
type track struct {
	Rank  int    `json:"rank"` // position in the list of ranks
	Kind  string `json:"kind"` // plan, frames, host, device
	Name  string `json:"name"`
	Part  string `json:"part,omitempty"`
	Rows  int    `json:"rows"`
	Count int    `json:"count"`
	Band  int    `json:"band"` // the first of its bands
	Fold  int    `json:"fold"` // rows to show at first
	Main  bool   `json:"main,omitempty"`
	kind  byte   // of references
}

// band is some rows of a track.
type band struct {
	track int
	lanes []*lanes.Lane
}

// rankPicture is what a rank's rows refer to.
type rankPicture struct {
	rank    *analyze.Rank
	base    int64 // of the rank's times: the page's time is less this
	host    lanes.Columns
	device  lanes.Columns
	plan    lanes.Columns
	spans   []planSpan
	frames  lanes.Columns
	report  analyze.FrameReport
	paint   *painter
	parts   *walk.Parts
	work    []int32 // activities that are work, by start
	calls   []int32 // activities by launch
	longest int64   // activity, ns
}

// planSpan is a request, stage or step.
type planSpan struct {
	analyze.Span
	role string
}

func newPicture(run *Run) *picture {
	p := &picture{clock: walk.NewClock(run.Ranks)}
	p.end = max(1, p.clock.End-p.clock.Start)
	for i := range run.Ranks {
		r := &rankPicture{rank: &run.Ranks[i], base: p.clock.Start - p.clock.Offset[i]}
		tl := r.rank.TL
		r.host = lanes.Columns{Start: tl.Ranges.Start, Dur: tl.Ranges.Dur, Base: r.base}
		r.device = lanes.Columns{Start: tl.Activities.Start, Dur: tl.Activities.Dur, Base: r.base}
		r.paint, r.parts = newPainter(tl, run.Roles), walk.NewParts(tl, r.rank.Derived)
		r.report = analyze.Frames(tl, analyze.FrameOptions{List: true})
		r.order()
		p.ranks = append(p.ranks, r)
		p.addPlan(i)
		p.addFrames(i)
		p.addHost(i)
		p.addDevice(i)
	}
	return p
}

// order lists the activities as searches need them.
func (r *rankPicture) order() {
	a := &r.rank.TL.Activities
	for i, c := range a.Class {
		if c.IsWork() {
			r.work = append(r.work, int32(i))
			r.longest = max(r.longest, a.Dur[i])
			if a.Launch[i] != timeline.NoRange {
				r.calls = append(r.calls, int32(i))
			}
		}
	}
	byStart := func(x, y int32) int { return cmp.Compare(a.Start[x], a.Start[y]) }
	if !slices.IsSortedFunc(r.work, byStart) {
		slices.SortStableFunc(r.work, byStart)
	}
	slices.SortStableFunc(r.calls, func(x, y int32) int { return cmp.Compare(a.Launch[x], a.Launch[y]) })
}

// count is how many things of a kind a rank has.
func (p *picture) count(rank int, kind byte) int {
	r := p.ranks[rank]
	switch kind {
	case 'h':
		return len(r.host.Start)
	case 'd':
		return len(r.device.Start)
	case 'p':
		return len(r.spans)
	case 'f':
		return len(r.frames.Start)
	}
	return 0
}

// columns returns the intervals of a kind.
func (r *rankPicture) columns(kind byte) *lanes.Columns {
	switch kind {
	case 'h':
		return &r.host
	case 'd':
		return &r.device
	case 'p':
		return &r.plan
	}
	return &r.frames
}

// add makes a track of intervals, which come by start, the longest first.
func (p *picture) add(t track, c *lanes.Columns, ids []int32) {
	if len(ids) == 0 {
		return
	}
	all, lost := lanes.Stack(c, ids)
	if lost > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d of %d intervals of %s lie deeper than %d rows and are not drawn", lost, len(ids), t.Name, lanes.MaxLanes))
	}
	if len(p.bands)+len(all)/bandRows+1 > maxBands {
		p.notes = append(p.notes, fmt.Sprintf("%s is not drawn: there are too many rows", t.Name))
		return
	}
	t.Rows, t.Count, t.Band = len(all), len(ids), len(p.bands)
	if t.Fold == 0 || t.Fold > t.Rows {
		t.Fold = t.Rows
	}
	for from := 0; from < len(all); from += bandRows {
		p.bands = append(p.bands, band{len(p.tracks), all[from:min(from+bandRows, len(all))]})
	}
	p.tracks = append(p.tracks, t)
}

// addPlan adds what analysis recognised.
func (p *picture) addPlan(rank int) {
	r := p.ranks[rank]
	d := r.rank.Derived
	if d == nil {
		return
	}
	for k, list := range [][]analyze.Span{d.Requests, d.Stages, d.Steps} {
		for _, s := range list {
			r.spans = append(r.spans, planSpan{s, [...]string{"request", "stage", "step"}[k]})
		}
	}
	slices.SortStableFunc(r.spans, func(a, b planSpan) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.role, b.role), cmp.Compare(a.Index, b.Index))
	})
	r.plan.Base = r.base
	ids := make([]int32, len(r.spans))
	for i, s := range r.spans {
		r.plan.Start, r.plan.Dur = append(r.plan.Start, s.Start), append(r.plan.Dur, s.Dur())
		ids[i] = int32(i)
	}
	p.add(track{Rank: rank, Kind: "plan", Name: "requests, stages, steps", kind: 'p'}, &r.plan, ids)
}

// addFrames adds the frames shown, each as long as it stood on the screen.
func (p *picture) addFrames(rank int) {
	r := p.ranks[rank]
	list := r.report.Frames
	r.frames.Base = r.base - r.rank.TL.Origin
	ids := make([]int32, len(list))
	for i, f := range list {
		dur := int64(0)
		if i+1 < len(list) {
			dur = list[i+1].At - f.At
		}
		r.frames.Start, r.frames.Dur = append(r.frames.Start, f.At), append(r.frames.Dur, dur)
		ids[i] = int32(i)
	}
	p.add(track{Rank: rank, Kind: "frames", Name: "frames shown", kind: 'f'}, &r.frames, ids)
}

// The parts of a host track.
var hostParts = [...]string{"ranges", "operators and calls", "Python"}

func hostPart(c event.Class) int {
	switch c {
	case event.Python:
		return 2
	case event.Op, event.Runtime, event.Driver, event.Overhead:
		return 1
	}
	return 0
}

// addHost adds the threads: those with the run's stages first, then by their launches.
func (p *picture) addHost(rank int) {
	r := p.ranks[rank]
	tl := r.rank.TL
	weight := make([]int, len(tl.Tracks))
	for _, s := range r.spans {
		if s.Track != timeline.NoTrack {
			weight[s.Track] += 1 << 32
		}
	}
	for _, i := range r.calls {
		weight[tl.RangeTrack(tl.Activities.Launch[i])]++
	}
	order := slices.Clone(tl.HostTracks())
	for _, id := range order {
		if !walk.IsProgram(tl, id) {
			weight[id] = -1
		}
	}
	slices.SortStableFunc(order, func(a, b timeline.TrackID) int { return cmp.Compare(weight[b], weight[a]) })
	for _, id := range order {
		t := &tl.Tracks[id]
		var ids [len(hostParts)][]int32
		for i := t.Lo; i < t.Hi; i++ {
			part := hostPart(tl.Ranges.Class[i])
			ids[part] = append(ids[part], int32(i))
		}
		several := 0
		for _, list := range ids {
			if len(list) > 0 {
				several++
			}
		}
		for part, list := range ids {
			x := track{Rank: rank, Kind: "host", Name: short(walk.TrackName(t), 80), Fold: 12, Main: weight[id] > 0, kind: 'h'}
			if several > 1 {
				x.Part = hostParts[part]
			}
			if part == 2 {
				x.Fold = 6
			}
			p.add(x, &r.host, list)
		}
	}
}

// addDevice adds the streams: work first, then what only names it.
func (p *picture) addDevice(rank int) {
	r := p.ranks[rank]
	tl := r.rank.TL
	devices := map[int64]bool{}
	for _, id := range tl.DeviceTracks() {
		devices[tl.Tracks[id].A] = true
	}
	for _, id := range tl.DeviceTracks() {
		t := &tl.Tracks[id]
		var work, notes []int32
		for i := t.Lo; i < t.Hi; i++ {
			switch c := tl.Activities.Class[i]; {
			case c.IsWork():
				work = append(work, int32(i))
			case c != event.Unsound:
				notes = append(notes, int32(i))
			}
		}
		name := short(walk.TrackName(t), 80)
		if len(devices) > 1 || !strings.Contains(strings.ToLower(name), "stream") {
			name = fmt.Sprintf("device %d, %s", t.A, name)
		}
		p.add(track{Rank: rank, Kind: "device", Name: name, Main: true, kind: 'd'}, &r.device, work)
		p.add(track{Rank: rank, Kind: "device", Name: name, Part: "ranges", Fold: 3, kind: 'd'}, &r.device, notes)
	}
}

// short cuts a text to n bytes of whole letters, in its middle, and makes it valid.
func short(s string, n int) string {
	if len(s) > n {
		head := strings.ToValidUTF8(s[:n*2/3], "")
		tail := strings.ToValidUTF8(s[len(s)-n/3:], "")
		s = head + "…" + tail
	}
	return walk.Text(s)
}
