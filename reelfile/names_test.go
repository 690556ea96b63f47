package reelfile

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"reel/event"
)

func TestNames(t *testing.T) {
	w := create(t, Options{Chunk: 4 << 10, MaxBytes: 64 << 10})
	long := strings.Repeat("é", 4000)
	tr := w.Track(event.Track{Place: event.Thread}, "main")
	tr.Mark(Of(Mark, w.Intern(long)), 0, Ticks())
	first := w.Intern(long)
	if w.Intern(long) != first || w.Intern("") != 0 {
		t.Error("a name has one id")
	}
	lost := 0
	for i := range 2000 {
		if w.Intern(fmt.Sprint("name ", i)) == 0 {
			lost++
		}
	}
	events, info := closed(t, w)
	if name := events[1].Name; len(name) < 3900 || !strings.HasPrefix(long, name) {
		t.Errorf("a name of %d bytes", len(name))
	}
	if c := w.Counts(); lost == 0 || c.Names != int64(lost) || c.NamesCut == 0 || !strings.Contains(warnings(info), "dropped") {
		t.Errorf("%d lost, %+v, %v", lost, c, info.Warnings)
	}
}

func TestArgs(t *testing.T) {
	w := create(t, Options{Chunk: 4 << 10})
	tr := w.Track(event.Track{Place: event.Thread}, "main")
	d, key := Of(Mark, w.Intern("m")), w.Intern("k")
	args := make([]Arg, 70)
	for i := range args {
		args[i] = IntArg(key, int64(i))
	}
	for i := range 200 {
		if !tr.WriteArgs(d, 0, Ticks(), 0, args[:i%len(args)]...) {
			t.Fatal("no room")
		}
	}
	events, info := closed(t, w)
	for i, e := range events[1:] {
		if len(e.Args) != min(i%len(args), 64) {
			t.Fatalf("event %d has %d arguments", i, len(e.Args))
		}
		for k, a := range e.Args {
			if a.Num != uint64(k) {
				t.Fatalf("event %d: argument %d is %d", i, k, a.Num)
			}
		}
	}
	if len(events) != 201 || w.Counts().Arguments == 0 || !strings.Contains(warnings(info), "dropped") {
		t.Errorf("%d events, %v", len(events), info.Warnings)
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	w := create(t, Options{Mode: Flight, MaxBytes: 8 << 20})
	tr := w.Track(event.Track{Place: event.Thread}, "main")
	clock, name := w.Clock(), "pipeline.diffuse"
	key := w.Intern("k")
	for what, f := range map[string]func(){
		"range": func() {
			s := tr.Begin(Of(Range, w.Intern(name)).Role(event.Stage), 0, clock.Now())
			s.End(clock.Now())
		},
		"mark": func() { tr.Mark(Of(Mark, w.Intern(name)).With(Step), StepOf(1, 2), clock.Now()) },
		"args": func() { tr.WriteArgs(Of(Mark, 1), 0, clock.Now(), 0, IntArg(key, 3), LinkArg(4)) },
		"zero": func() { new(Slot).End(clock.Now()) },
	} {
		if n := testing.AllocsPerRun(500, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
	if unsafe.Sizeof(chunk{}) != 128 || unsafe.Sizeof(record{}) != recordSize || unsafe.Sizeof(Track{})%128 != 0 {
		t.Errorf("sizes: chunk %d, record %d, track %d", unsafe.Sizeof(chunk{}), unsafe.Sizeof(record{}), unsafe.Sizeof(Track{}))
	}
}
