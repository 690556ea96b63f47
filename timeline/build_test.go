package timeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"reel/event"
)

// list is a Source of events in memory, some per batch; err ends it.
type list struct {
	events []event.Event
	batch  int
	info   event.Info
	err    error
}

func (l *list) Next(b *event.Batch) error {
	b.Reset()
	n := min(l.batch, len(l.events))
	for _, e := range l.events[:n] {
		b.Add(e)
	}
	l.events = l.events[n:]
	if len(l.events) > 0 {
		return nil
	}
	if l.err != nil {
		return l.err
	}
	return io.EOF
}

func (l *list) Info() event.Info { return l.info }
func (l *list) Close() error     { return nil }

// TestOrderOfArrival builds the timeline of each text trace again from its
// events in random order and in batches of random size.
func TestOrderOfArrival(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, file := range files(t) {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		src, err := event.ParseText(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var events []event.Event
		for e := range event.All(src) {
			events = append(events, e)
		}
		want := dump(build(t, &list{events: events, batch: 100}, Options{}))
		for range 20 {
			rnd.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
			if got := dump(build(t, &list{events: events, batch: 1 + rnd.IntN(5)}, Options{})); got != want {
				t.Fatalf("%s in the order %v:\n%s\nwant\n%s", file, events, got, want)
			}
		}
	}
}

// TestNestAgainstDefinition compares the nesting of random ranges with the
// definition: the parent is the last range before it that holds it.
func TestNestAgainstDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		src := &list{batch: 7}
		for i := range 60 {
			src.events = append(src.events, event.Event{Kind: event.Range, Class: event.Op, Name: fmt.Sprint(i),
				Track: event.Track{Place: event.Thread, A: 1, B: rnd.Int64N(2)},
				Start: rnd.Int64N(40) * 5000, Dur: rnd.Int64N(20) * 5000})
		}
		tl := build(t, src, Options{})
		r := &tl.Ranges
		for i := range RangeID(r.Len()) {
			want := NoRange
			for p := RangeID(tl.Tracks[tl.RangeTrack(i)].Lo); p < i; p++ {
				if r.End(p) > r.Start[i] && r.End(i) <= r.End(p)+overhang {
					want = p
				}
			}
			if r.Parent[i] != want {
				t.Fatalf("range %d [%d, %d): parent %d, want %d", i, r.Start[i], r.End(i), r.Parent[i], want)
			}
			if !tl.Within(i, i) || want != NoRange && !tl.Within(i, want) || want > 0 && tl.Within(want-1, want) {
				t.Fatalf("Within is wrong for range %d in %d", i, want)
			}
		}
	}
}

const argText = `track cpu1/1
range python "f" at 0 for 10us
range op "a" at 1us for 1us args {"Input Dims": [[2,3]], "other": 1}
range op "b" at 2us for 1us
range op "c" at 3us for 1us args {"n": -7, "Input Dims": "x"}
range op "d" at 4us for 1us args {"f": 0.5}
`

func TestRangeArgs(t *testing.T) {
	src, err := event.ParseText(strings.NewReader(argText))
	if err != nil {
		t.Fatal(err)
	}
	tl := build(t, src, Options{Args: []string{"Input Dims", "n", "never"}})
	for key, want := range map[string][]string{
		"Input Dims": {"", "[[2,3]]", "", "x", ""}, "n": {"", "", "", "-7", ""}, "never": {"", "", "", "", ""},
	} {
		var got []string
		for _, id := range tl.RangeArg(key) {
			got = append(got, tl.Name(id))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if tl.RangeArg("other") != nil {
		t.Error("an argument that was not asked for must not be kept")
	}
}

func TestBuildEnds(t *testing.T) {
	torn := errors.New("torn")
	one := []event.Event{{Kind: event.Range, Class: event.Op, Name: "x", Dur: 5}}
	tl, err := Build(context.Background(), &list{events: one, batch: 1, err: torn}, Options{})
	if !errors.Is(err, torn) || tl == nil || tl.Ranges.Len() != 1 {
		t.Errorf("a torn source gives %v, %v: want the error and what was read", tl, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, &list{events: one, batch: 1}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	tl = build(t, &list{batch: 1}, Options{})
	if tl.Ranges.Len() != 0 || tl.RangeTrack(0) != NoTrack || tl.ActivityTrack(0) != NoTrack || tl.Name(99) != "" {
		t.Error("the empty timeline must answer")
	}
}

// synthetic gives a run of n ranges and n activities: steps of operators with
// their launches, names of some hundreds.
func synthetic(n int) *list {
	src := &list{batch: 4096}
	host, stream := event.Track{Place: event.Thread, A: 1, B: 1}, event.Track{Place: event.Stream, B: 7}
	for i := int64(0); i < int64(n)/2; i++ {
		at := i * 10_000
		op := event.Event{Kind: event.Range, Class: event.Op, Track: host, Name: fmt.Sprintf("aten::op%d", i%300), Start: at, Dur: 8000, Op: i + 1}
		call := event.Event{Kind: event.Range, Class: event.Runtime, Track: host, Name: "cudaLaunchKernel", Start: at + 2000, Dur: 4000, Link: i + 1}
		src.events = append(src.events, op, call)
		for k := range int64(2) {
			src.events = append(src.events, event.Event{Kind: event.Activity, Class: event.Kernel, Track: stream,
				Name: fmt.Sprintf("kernel%d", i%200), Start: at + 5000 + k*1500, Dur: 1000, Link: i + 1, Op: i + 1})
		}
	}
	return src
}

// bytesPerEvent measures what a timeline keeps alive.
func bytesPerEvent(t testing.TB, n int) float64 {
	src := synthetic(n)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	events := src.events
	before := heap()
	tl := build(t, src, Options{})
	after := heap()
	runtime.KeepAlive(events)
	total := tl.Ranges.Len() + tl.Activities.Len()
	if tl.Linked.ByLaunch != tl.Activities.Len() {
		t.Errorf("%d of %d activities linked", tl.Linked.ByLaunch, tl.Activities.Len())
	}
	return float64(int64(after)-int64(before)) / float64(total)
}

func TestBytesPerEvent(t *testing.T) {
	if got := bytesPerEvent(t, 100_000); got > 48 {
		t.Errorf("%.1f bytes per event, want at most 48", got)
	}
}

func BenchmarkBuild(b *testing.B) {
	src := synthetic(200_000)
	events, n := src.events, len(src.events)
	b.ReportAllocs()
	for b.Loop() {
		build(b, &list{events: events, batch: 4096}, Options{})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
	b.ReportMetric(bytesPerEvent(b, 200_000), "B/event")
}

// FuzzBuild checks that no trace makes Build panic, that every range and
// activity comes out once, and that parents come first.
func FuzzBuild(f *testing.F) {
	for _, file := range files(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		src, err := event.ParseText(strings.NewReader(text))
		if err != nil {
			return
		}
		tl := build(t, src, Options{Args: []string{"Input Dims"}})
		n := 0
		for _, id := range tl.HostTracks() {
			tr := tl.Tracks[id]
			for i := RangeID(tr.Lo); i < RangeID(tr.Hi); i++ {
				if p := tl.Ranges.Parent[i]; p >= i || p != NoRange && tl.RangeTrack(p) != id || tl.RangeTrack(i) != id {
					t.Fatalf("range %d on track %d has parent %d", i, id, p)
				}
				n++
			}
		}
		for _, id := range tl.DeviceTracks() {
			for i := tl.Tracks[id].Lo; i < tl.Tracks[id].Hi; i++ {
				if tl.ActivityTrack(i) != id {
					t.Fatalf("activity %d is on track %d, not %d", i, tl.ActivityTrack(i), id)
				}
				n++
			}
		}
		if n != tl.Ranges.Len()+tl.Activities.Len() {
			t.Fatalf("tracks hold %d of %d rows", n, tl.Ranges.Len()+tl.Activities.Len())
		}
		_ = dump(tl)
	})
}
