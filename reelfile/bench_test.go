package reelfile

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/trace"
	"testing"

	"reel/event"
)

// BenchmarkRecord measures begin and end of a range, clock included, beside a
// region of runtime/trace, on 1 and 2 goroutines per core. A full recording is
// started anew when it reaches its bound, off the clock.
func BenchmarkRecord(b *testing.B) {
	for _, per := range []int{1, 2} {
		for _, mode := range []Mode{Flight, Full} {
			b.Run(fmt.Sprintf("%v/goroutines=%dpercore", mode, per), func(b *testing.B) { benchRecord(b, mode, per) })
		}
		b.Run(fmt.Sprintf("runtimetrace/goroutines=%dpercore", per), func(b *testing.B) {
			if err := trace.Start(io.Discard); err != nil {
				b.Skip(err)
			}
			defer trace.Stop()
			ctx := context.Background()
			b.ReportAllocs()
			b.SetParallelism(per)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					trace.StartRegion(ctx, "pipeline.diffuse").End()
				}
			})
		})
	}
}

func benchRecord(b *testing.B, mode Mode, per int) {
	w := create(b, Options{Mode: mode, MaxBytes: 64<<20 + int64(mode^1)*6<<30})
	d := Of(Range, w.Intern("pipeline.diffuse")).Role(event.Stage)
	clock := w.Clock()
	b.ReportAllocs()
	b.SetParallelism(per)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		t := w.Track(event.Track{Place: event.Thread, A: 1, B: 1}, "worker")
		var s Slot
		for pb.Next() {
			t.BeginTo(&s, d, 0, clock.Now())
			s.End(clock.Now())
		}
	})
	b.StopTimer()
	c := w.Counts()
	b.ReportMetric(100*float64(c.Dropped())/float64(b.N), "%dropped")
	b.ReportMetric(float64(c.Waits), "waits")
}

// BenchmarkParts measures what a range is made of, on one goroutine.
func BenchmarkParts(b *testing.B) {
	clock := SystemClock()
	b.Run("clock", func(b *testing.B) {
		var sum uint64
		for range b.N {
			sum += clock.Now()
		}
		runtime.KeepAlive(sum)
	})
	for _, mode := range []Mode{Flight, Full} {
		b.Run("record/"+mode.String(), func(b *testing.B) {
			w := create(b, Options{Mode: mode, MaxBytes: 64<<20 + int64(mode^1)*6<<30})
			d := Of(Range, w.Intern("pipeline.diffuse"))
			t := w.Track(event.Track{Place: event.Thread, A: 1, B: 1}, "worker")
			b.ResetTimer()
			var s Slot
			for i := range b.N {
				t.BeginTo(&s, d, 0, uint64(i))
				s.End(uint64(i) + 1)
			}
		})
	}
	b.Run("intern", func(b *testing.B) {
		w := create(b, Options{Heap: true})
		w.Intern("pipeline.diffuse")
		b.ReportAllocs()
		for b.Loop() {
			w.Intern("pipeline.diffuse")
		}
	})
}

// BenchmarkRead measures the reader, in bytes of the file per second.
func BenchmarkRead(b *testing.B) {
	w := create(b, Options{})
	fillMarks(w, 500_000)
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := Open(w.Path())
		if err != nil {
			b.Fatal(err)
		}
		var batch event.Batch
		for s.Next(&batch) == nil {
		}
		s.Close()
		b.SetBytes(s.Info().Bytes)
	}
}
