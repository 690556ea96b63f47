package rec

import (
	"math/bits"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"reel/event"
	"reel/reelfile"
)

// sink is one recording under way, with what it knows of names and tracks.
type sink struct {
	w     *reelfile.Writer
	clock *reelfile.Clock
	main  *reelfile.Track
	names [nameSlots]atomic.Pointer[known]

	mu      sync.Mutex
	tracks  map[*Track]*handle
	streams map[*Stream]*handle
	clocks  map[*DeviceClock]reelfile.ClockID
}

// known is a name with its description in the recording.
type known struct {
	text string
	desc reelfile.Desc
}

const (
	nameBits  = 8
	nameSlots = 1 << nameBits
)

func newSink(w *reelfile.Writer) *sink {
	return &sink{w: w, clock: w.Clock(), main: w.Track(hostTrack(mainTrack), "main"),
		tracks: map[*Track]*handle{}, streams: map[*Stream]*handle{}, clocks: map[*DeviceClock]reelfile.ClockID{}}
}

// hostTrack identifies a track by number: goroutines have no thread.
func hostTrack(id int64) event.Track {
	return event.Track{Place: event.Thread, A: int64(os.Getpid()), B: id}
}

// handle returns a track's handle; nil is the main track.
func (s *sink) handle(t *Track) *reelfile.Track {
	if t == nil {
		return s.main
	}
	if h := t.cur.Load(); h != nil && h.s == s {
		return h.t
	}
	return s.bind(t)
}

func (s *sink) bind(t *Track) *reelfile.Track {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.tracks[t]
	if h == nil {
		h = &handle{s, s.w.Track(hostTrack(t.id), t.name)}
		s.tracks[t] = h
	}
	t.cur.Store(h)
	return h.t
}

// release takes the recording from tracks and streams, which may never be used
// again and would keep its memory.
func (s *sink) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t, h := range s.tracks {
		t.cur.CompareAndSwap(h, nil)
	}
	for t, h := range s.streams {
		t.cur.CompareAndSwap(h, nil)
	}
}

// desc returns the description of ranges of that name. Names of a program are
// constants as a rule, so they are known by where they lie; the entry keeps them
// there. A place that is taken by another is left to it, and the name is then
// found by what it says.
func (s *sink) desc(name string) reelfile.Desc {
	at := unsafe.StringData(name)
	if k := s.names[slotOf(at)].Load(); k != nil && unsafe.StringData(k.text) == at && len(k.text) == len(name) {
		return k.desc
	}
	return s.learn(name)
}

func slotOf(at *byte) uintptr {
	return uintptr(unsafe.Pointer(at)) * (0x9E3779B97F4A7C15 & (1<<bits.UintSize - 1)) >> (bits.UintSize - nameBits)
}

func (s *sink) learn(name string) reelfile.Desc {
	d := s.describe(name)
	if p := &s.names[slotOf(unsafe.StringData(name))]; p.Load() == nil {
		p.CompareAndSwap(nil, &known{name, d})
	}
	return d
}

func (s *sink) describe(name string) reelfile.Desc {
	return reelfile.Of(reelfile.Range, s.w.Intern(name)).Role(RoleOf(name))
}

// roles are what ranges of known names are.
var roles = map[string]event.Role{"request": event.Request, "denoise.loop": event.Loop, "model.step": event.Step,
	"model.forward": event.Forward, "scheduler.step": event.Scheduler, "warmup": event.WarmUp}

// RoleOf returns what a range of that name is, unless its Label says otherwise:
// stages are those named pipeline.*.
func RoleOf(name string) event.Role {
	if strings.HasPrefix(name, stagePrefix) {
		return event.Stage
	}
	return roles[name]
}

const stagePrefix = "pipeline."

// ticks turns a time into the ticks of the recording.
func (s *sink) ticks(t Time) uint64 { return scale(uint64(max(t, 0)), s.clock.TicksPerSecond()) }
