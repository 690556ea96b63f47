package reelfile

import (
	"testing"

	"reel/event"
)

// TestHeld compares what a writer says that it holds with what a reader finds.
func TestHeld(t *testing.T) {
	for _, mode := range []Mode{Full, Flight} {
		for _, heap := range []bool{false, true} {
			w := create(t, Options{Mode: mode, Heap: heap, Chunk: 4 << 10, MaxBytes: 16 * 4 << 10, Clock: NanosecondClock()})
			host, gpu := w.Track(event.Track{Place: event.Thread, B: 1}, "main"), w.Track(event.Track{Place: event.Stream, B: 7}, "stream 7")
			d, k := Of(Mark, w.Intern("m")), Of(Activity, w.Intern("k"))
			host.Begin(Of(Range, w.Intern("open")), 0, Ticks())
			for i := range int64(3000) {
				host.WriteArgs(d.With(Value), i, uint64(w.start.mono+i), 0, IntArg(w.Intern("arg"), i))
				gpu.Write(k.With(Link), i, uint64(w.start.mono+i), 1)
			}
			early, _ := w.Held() // the background of a flight recorder may recycle behind it
			events, info := closed(t, w)
			var all, activities int64
			for _, e := range events {
				switch e.Kind {
				case event.Meta:
					continue
				case event.Activity:
					activities++
				}
				all++
			}
			n, a := w.Held()
			if n != all || a != activities || (mode == Full && early != n) || a == 0 || (mode == Flight) != (w.Counts().Recycled > 0) {
				t.Errorf("%v, heap %v: held %d with %d activities (%d before the end), read %d with %d: %v", mode, heap, n, a, early, all, activities, info.Warnings)
			}
		}
	}
}
