package reelfile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"reel/event"
)

// stamp writes record i of worker g so that a mixed record shows: its start, its
// value and its duration all tell i, its track and its name g.
func stamp(w *Writer, t *Track, g int, i int64) Slot {
	d := Of(Range, w.Intern(fmt.Sprint("worker ", g))).With(Value)
	return t.Begin(d, i, uint64(w.start.mono+i))
}

// checkStamp checks a record that stamp began and that was ended at 2i.
func checkStamp(t *testing.T, e event.Event) (g int, i int64) {
	t.Helper()
	if _, err := fmt.Sscanf(e.Name, "worker %d", &g); err != nil {
		t.Fatalf("%+v", e)
	}
	i = e.Value
	open := len(e.Args) > 0
	if e.Start != i || !open && e.Dur != i || e.Track.B != int64(g) && e.Track.B != 99 {
		t.Fatalf("a mixed record: %+v", e)
	}
	return g, i
}

// TestConcurrent writes on shared and own handles from many goroutines: in full
// mode every record is there, in order. It runs in memory, where the race
// detector sees it, and mapped.
func TestConcurrent(t *testing.T) {
	for _, heap := range []bool{true, false} {
		w := create(t, Options{Heap: heap, Clock: NanosecondClock(), Chunk: 8 << 10, MaxBytes: 64 << 20})
		const workers, each = 6, 1500
		shared := w.Track(event.Track{Place: event.Thread, A: 1, B: 99}, "shared")
		var all sync.WaitGroup
		for g := range workers {
			all.Go(func() {
				own := w.Track(event.Track{Place: event.Thread, A: 1, B: int64(g)}, "own")
				for i := int64(1); i <= each; i++ {
					track := own
					if g%2 == 0 {
						track = shared
					}
					if i%7 == 0 {
						d := Of(Range, w.Intern(fmt.Sprint("worker ", g)))
						track.WriteArgs(d, 0, uint64(w.start.mono+i), uint64(i), ValueArg(i))
						continue
					}
					s := stamp(w, track, g, i)
					s.End(uint64(w.start.mono + 2*i))
				}
			})
		}
		all.Wait()
		events, info := closed(t, w)
		var next [workers]int64
		for _, e := range events {
			if e.Kind != event.Range {
				continue
			}
			g, i := checkStamp(t, e)
			if next[g]++; next[g] != i {
				t.Fatalf("worker %d: record %d, want %d", g, i, next[g])
			}
		}
		for g, n := range next {
			if n != each {
				t.Errorf("worker %d: %d records of %d", g, n, each)
			}
		}
		if len(info.Warnings) > 0 || w.Dropped() > 0 {
			t.Errorf("heap %v: %v", heap, info.Warnings)
		}
	}
}

// TestFlight lets goroutines run around a small ring many times, with ranges
// that end after their slot was recycled, while copies are saved: no copy holds
// a mixed record, and the end of the recording is whole.
func TestFlight(t *testing.T) {
	for _, heap := range []bool{true, false} {
		w := create(t, Options{Mode: Flight, Heap: heap, Clock: NanosecondClock(), Chunk: 4 << 10, MaxBytes: 40 * 4 << 10})
		const workers = 4
		each := int64(20000)
		if raceEnabled {
			each = 4000
		}
		var all sync.WaitGroup
		var tracks [workers]*Track
		// One range is open all the while, so that one is sure to end late.
		held := stamp(w, w.Track(event.Track{Place: event.Thread, A: 1, B: workers}, "held"), workers, 1)
		for g := range workers {
			tracks[g] = w.Track(event.Track{Place: event.Thread, A: 1, B: int64(g)}, "own")
			all.Go(func() { flightWork(w, tracks[g], g, each) })
		}
		dir := t.TempDir()
		for i := range 20 {
			path := filepath.Join(dir, fmt.Sprint(i, ".reel"))
			if err := w.Save(path); err != nil {
				t.Fatal(err)
			}
			events, info := contents(t, path)
			checkFlight(t, events, info)
		}
		all.Wait()
		if !held.End(uint64(w.start.mono + 2)) {
			t.Error("the held range was dropped")
		}
		for g, track := range tracks { // each was overtaken when it was done early
			s := stamp(w, track, g, each+1)
			s.End(uint64(w.start.mono + 2*each + 2))
		}
		events, info := closed(t, w)
		last := checkFlight(t, events, info)
		for g := range workers {
			if last[g] != each+1 {
				t.Errorf("heap %v: worker %d ends at %d", heap, g, last[g])
			}
		}
		c := w.Counts()
		if c.Recycled < 50 || c.Late == 0 || c.Dropped() > 0 {
			t.Errorf("heap %v: %+v: the ring did not go round", heap, c)
		}
	}
}

func flightWork(w *Writer, t *Track, g int, each int64) {
	rnd := rand.New(rand.NewPCG(uint64(g), 1))
	type held struct {
		s Slot
		i int64
	}
	var open []held
	for i := int64(1); i <= each; i++ {
		s := stamp(w, t, g, i)
		if rnd.IntN(500) == 0 && i < each-100 {
			open = append(open, held{s, i})
			continue
		}
		s.End(uint64(w.start.mono + 2*i))
		if len(open) > 8 || i == each {
			for _, h := range open {
				if !h.s.End(uint64(w.start.mono + 2*h.i)) {
					panic("a range was dropped")
				}
			}
			open = open[:0]
		}
	}
}

func checkFlight(t *testing.T, events []event.Event, info event.Info) map[int]int64 {
	t.Helper()
	last := map[int]int64{}
	for _, e := range events {
		if e.Kind == event.Range {
			g, i := checkStamp(t, e)
			last[g] = max(last[g], i)
		}
	}
	for _, w := range info.Warnings {
		if w.Code != "half-written" && w.Code != "unfinished" {
			t.Fatalf("warning %+v", w)
		}
	}
	return last
}

// TestLiveReader opens a flight recording of this process while it is written.
func TestLiveReader(t *testing.T) {
	w := create(t, Options{Mode: Flight, Clock: NanosecondClock(), Chunk: 4 << 10, MaxBytes: 24 * 4 << 10})
	stop := make(chan struct{})
	var all sync.WaitGroup
	for g := range 2 {
		all.Go(func() {
			own := w.Track(event.Track{Place: event.Thread, A: 1, B: int64(g)}, "own")
			for i := int64(1); ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				s := stamp(w, own, g, i)
				s.End(uint64(w.start.mono + 2*i))
			}
		})
	}
	for range 40 {
		events, info := contents(t, w.Path())
		for _, e := range events {
			if e.Kind == event.Range {
				if e.Name == "" {
					continue // named after the names were read
				}
				checkStamp(t, e)
			}
		}
		for _, x := range info.Warnings {
			if !strings.Contains("not-closed half-written unfinished overwritten missing-name", x.Code) {
				t.Fatalf("warning %+v", x)
			}
		}
	}
	close(stop)
	all.Wait()
}

// TestGrownFile opens a file of which the size was looked at before it grew.
func TestGrownFile(t *testing.T) {
	w := create(t, Options{Chunk: 4 << 10})
	kept := fillMarks(w, 1000)
	f, err := os.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(f, 2*4<<10, w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events := drain(t, s)
	checkMarks(t, events, kept)
	if info := s.Info(); !info.Complete || warnings(info) != "not-closed:1" {
		t.Errorf("%+v", info)
	}
}

// TestSealedWriter lets a goroutine stop between reserving and publishing: its
// chunk is not recycled, however often the ring goes round.
func TestSealedWriter(t *testing.T) {
	w := create(t, Options{Mode: Flight, Heap: true, Clock: NanosecondClock(), Chunk: 4 << 10, MaxBytes: 16 * 4 << 10})
	slow, fast := w.Track(event.Track{Place: event.Thread, B: 1}, "slow"), w.Track(event.Track{Place: event.Thread, B: 2}, "fast")
	d := Of(Mark, w.Intern("m")).With(Value)
	slow.Mark(d, 1, uint64(w.start.mono+1))
	c := slow.cur.Load()
	i := c.n.Add(1) - 1 // reserved, not published
	for k := range int64(10000) {
		fast.Mark(d, k, uint64(w.start.mono+k))
	}
	if w.Counts().Recycled < 50 || slow.cur.Load() != c || c.piece.words[cWord] != chunkWord(chunkLive, chunkRecords, 0) {
		t.Fatalf("%+v: the chunk was taken from under its writer", w.Counts())
	}
	w.refill() // the background finds nothing to do any more, and leaves the chunk to Close
	c.rec[i] = record{c.open + 1, uint64(w.start.mono + 2), uint64(d), 2}
	events, _ := closed(t, w)
	n := 0
	for _, e := range events {
		if e.Kind == event.Mark && e.Track.B == 1 {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d marks of the slow goroutine, want 2", n)
	}
}
