package perfetto

import (
	"fmt"
	"io"

	"reel/analyze"
	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// Options says what to write beside the slices. The zero value writes everything
// that has a true time.
type Options struct {
	Args    []string // arguments of host ranges to write along; the timeline must have kept them
	Unsound bool     // write also activities whose times cannot be true; they may stretch the trace by years
}

// Write writes the ranks as one trace. It streams: memory grows with the number
// of names and tracks, and by four bytes for each activity of the rank at hand.
// The error is that of w.
func Write(w io.Writer, ranks []analyze.Rank, opt Options) error {
	e := newEncoder(w)
	t := &tracks{encoder: e}
	clock := walk.NewClock(ranks)
	flows := uint64(0)
	for i, r := range ranks {
		e.begin(i + 1)
		if i == 0 && clock.Unix {
			e.clocks(clock.Start)
		}
		rw := newRank(t, r, opt)
		rw.offset, rw.flows = clock.Offset[i], flows
		rw.write(i)
		if e.err != nil {
			return e.err
		}
		flows += uint64(r.TL.Activities.Len())
	}
	return e.out.Flush()
}

// rank writes one rank.
type rank struct {
	*tracks
	analyze.Rank
	tl     *timeline.Timeline
	opt    Options
	offset int64  // to common time
	flows  uint64 // arrows of the ranks before
	lanes  lanes
	causes *walk.Causes
	args   [][]timeline.NameID // by Options.Args

	root    uint64
	groups  map[group]uint64 // tracks of processes and devices
	of      []uint64         // by timeline track
	names   bits             // interned event names, by their id
	texts   bits             // interned values of arguments
	classes bits             // interned categories
	keys    bits             // interned names of arguments
}

// group is a process or a device.
type group struct {
	place event.Place
	id    int64
}

func newRank(t *tracks, r analyze.Rank, opt Options) *rank {
	w := &rank{tracks: t, Rank: r, tl: r.TL, opt: opt, lanes: lanes{tracks: t}, causes: walk.NewCauses(r.TL),
		groups: map[group]uint64{}, of: make([]uint64, len(r.TL.Tracks)),
		names: newBits(r.TL.Names()), texts: newBits(r.TL.Names()), classes: newBits(256), keys: newBits(numKeys + len(opt.Args))}
	for _, key := range opt.Args {
		w.args = append(w.args, r.TL.RangeArg(key))
	}
	return w
}

func (w *rank) write(order int) {
	w.root = w.add(track{name: fmt.Sprintf("rank %d", w.Index), description: w.about(), order: order})
	w.derived()
	for _, id := range w.tl.HostTracks() {
		w.host(id)
	}
	for _, id := range w.tl.DeviceTracks() {
		w.device(id)
	}
	w.busy()
	w.marks()
}

// about says where the rank's events come from.
func (w *rank) about() string {
	s := walk.Text(w.Path)
	for _, more := range []string{w.tl.Info.Producer, w.tl.Info.Host} {
		if more != "" {
			s += ", " + walk.Text(more)
		}
	}
	return s
}

// track returns the Perfetto track of a timeline's track, made when it is first
// asked for, beneath its process or device.
func (w *rank) track(id timeline.TrackID) uint64 {
	if w.of[id] == 0 {
		t := &w.tl.Tracks[id]
		w.of[id] = w.add(track{parent: w.group(t), name: walk.TrackName(t), order: orderTracks + int(id)})
	}
	return w.of[id]
}

// Where a rank's tracks stand: derived ones and memory first.
const (
	orderRequests = iota
	orderStages
	orderSteps
	orderHostMemory
	orderDeviceMemory
	orderTracks
	orderDevices = 1 << 20
)

func (w *rank) group(t *timeline.Track) uint64 {
	g := group{t.Place, t.A}
	x := track{parent: w.root, order: orderTracks + len(w.groups)}
	switch {
	case t.Label != "" || t.Place != event.Thread && t.Place != event.Stream:
		return w.root
	case t.Place == event.Stream:
		x.name, x.order = w.deviceName(t.A), x.order+orderDevices
	case t.A < 0:
		x.name = "profiler overhead"
	default:
		x.name = fmt.Sprintf("process %d", t.A)
	}
	if w.groups[g] == 0 {
		w.groups[g] = w.add(x)
	}
	return w.groups[g]
}

func (w *rank) deviceName(id int64) string {
	for _, d := range w.tl.Info.Devices {
		if d.ID == id && d.Name != "" {
			return fmt.Sprintf("gpu %d: %s", id, walk.Text(d.Name))
		}
	}
	return fmt.Sprintf("gpu %d", id)
}
