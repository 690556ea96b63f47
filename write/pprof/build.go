package pprof

import (
	"strconv"

	"github.com/google/pprof/profile"

	"reel/analyze"
	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// unattributed is the frame that holds device work of unknown cause.
const unattributed = "[unattributed]"

// builder merges equal stacks with equal labels.
type builder struct {
	tree    walk.Tree
	mapping *profile.Mapping
	frames  frames
	samples []sample
	find    map[place]int
	stacks  map[uint32][]*profile.Location // of the nodes that samples use
	labels  labels
	limit   int // samples beyond which labels get coarser
	sweep   walk.Sweep

	// Of the rank at hand:
	tl     *timeline.Timeline
	rankNo int
	parts  *walk.Parts
	many   bool          // it has several requests
	names  [2][]uint32   // each name's frame + 1: as a Python call, as anything else
	known  map[where]int // numbers of label sets
	at     where         // asked for last
	label  int           // its number
}

type sample struct {
	place
	value [values]int64
}

// place is what tells samples apart: a stack, and a label set's number.
type place struct {
	node  uint32
	label int
}

// where is what a sample's labels tell, within a rank.
type where struct {
	part   walk.Part
	stream timeline.TrackID
}

func newBuilder(limit int) *builder {
	m := &profile.Mapping{ID: 1, HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}
	return &builder{mapping: m, frames: newFrames(m), find: map[place]int{}, stacks: map[uint32][]*profile.Location{}, limit: limit}
}

// begin turns to the next rank.
func (b *builder) begin(r analyze.Rank) {
	b.tl, b.rankNo, b.parts = r.TL, r.Index, walk.NewParts(r.TL, r.Derived)
	b.many = r.Derived != nil && len(r.Derived.Requests) > 1
	b.names = [2][]uint32{make([]uint32, r.TL.Names()), make([]uint32, r.TL.Names())}
	b.known, b.at = map[where]int{}, where{-1, timeline.NoTrack}
}

// frame returns the frame of a range.
func (b *builder) frame(r timeline.RangeID) uint32 {
	name, side := b.tl.Ranges.Name[r], 1
	if b.tl.Ranges.Class[r] == event.Python {
		side = 0
	}
	k := &b.names[side][name]
	if *k == 0 {
		text := b.tl.Name(name)
		call, ok := walk.ParseCall(text)
		if ok && side == 0 {
			*k = b.frames.call(text, call) + 1
		} else {
			*k = b.frames.plain(text) + 1
		}
	}
	return *k - 1
}

// device adds the device time of activities launched from a stack.
func (b *builder) device(node uint32, activities []int32) {
	a := &b.tl.Activities
	for _, i := range activities {
		k := &b.names[1][a.Name[i]]
		if *k == 0 {
			*k = b.frames.plain(b.tl.Name(a.Name[i])) + 1
		}
		leaf := b.tree.Child(node, *k-1)
		b.sample(leaf, b.parts.OfActivity(int(i)), b.tl.ActivityTrack(int(i)))[device] += a.Dur[i]
	}
}

// sample returns the values of the sample for a stack in a part of the run,
// adding it when it is new.
func (b *builder) sample(node uint32, part walk.Part, stream timeline.TrackID) *[values]int64 {
	if at := (where{part, stream}); b.at != at {
		label, ok := b.known[at]
		if !ok {
			label = b.labels.number(b.labelSet(at))
			b.known[at] = label
		}
		b.at, b.label = at, label
	}
	key := place{node, b.label}
	i, ok := b.find[key]
	if !ok {
		if len(b.samples) >= b.limit && b.labels.coarsen() {
			b.merge()
			return b.sample(node, part, stream)
		}
		i = len(b.samples)
		b.find[key], b.samples = i, append(b.samples, sample{place: key})
	}
	return &b.samples[i].value
}

// merge joins the samples that have become equal since labels got coarser.
func (b *builder) merge() {
	list := b.samples
	b.samples = b.samples[:0]
	clear(b.find)
	clear(b.known)
	b.at = where{-1, timeline.NoTrack}
	for _, s := range list {
		s.label = b.labels.now[s.label]
		i, ok := b.find[s.place]
		if !ok {
			b.find[s.place], b.samples = len(b.samples), append(b.samples, s)
			continue
		}
		for k, v := range s.value {
			b.samples[i].value[k] += v
		}
	}
}

func (b *builder) labelSet(at where) labelSet {
	set := labelSet{rank: b.rankNo}
	set.stage, set.step = b.parts.Names(at.part)
	if b.many && set.stage != "" {
		set.request = strconv.Itoa(b.parts.Span(at.part).Request)
	}
	if at.stream != timeline.NoTrack {
		t := &b.tl.Tracks[at.stream]
		set.stream = "gpu" + strconv.FormatInt(t.A, 10) + "/" + strconv.FormatInt(t.B, 10)
		if t.Label != "" {
			set.stream = walk.Text(t.Label)
		}
	}
	return set
}

// stack returns the locations of a stack, innermost first.
func (b *builder) stack(node uint32) []*profile.Location {
	if s, ok := b.stacks[node]; ok {
		return s
	}
	s := make([]*profile.Location, 0, b.tree.Depth(node))
	for n := node; n != 0; {
		parent, frame := b.tree.Node(n)
		s, n = append(s, b.frames.locations[frame]), parent
	}
	b.stacks[node] = s
	return s
}
