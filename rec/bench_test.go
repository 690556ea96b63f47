package rec

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/trace"
	"testing"

	"reel/reelfile"
)

// BenchmarkRange measures the beginning and end of a range: off, and on beside a
// region of runtime/trace while a trace is taken, on 1 and 2 goroutines per core,
// each on a track of its own. "ctx" finds the track in the context, "bound" has it.
func BenchmarkRange(b *testing.B) {
	b.Run("off", func(b *testing.B) {
		r, ctx := New(Options{}), context.Background()
		b.ReportAllocs()
		for b.Loop() {
			r.Range(ctx, "pipeline.diffuse").End()
		}
	})
	b.Run("off/defer", func(b *testing.B) {
		r, ctx := New(Options{}), context.Background()
		b.ReportAllocs()
		for b.Loop() {
			deferred(ctx, r)
		}
	})
	b.Run("off/profiler", func(b *testing.B) {
		var p Profiler = Noop{}
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			p.Range(ctx, "pipeline.diffuse").End()
		}
	})
	for _, per := range []int{1, 2} {
		for _, mode := range []reelfile.Mode{reelfile.Flight, reelfile.Full} {
			b.Run(fmt.Sprintf("on/%v/goroutines=%dpercore", mode, per), func(b *testing.B) { benchOn(b, mode, per) })
		}
		b.Run(fmt.Sprintf("runtimetrace/goroutines=%dpercore", per), func(b *testing.B) { benchTrace(b, per) })
	}
}

//go:noinline
func deferred(ctx context.Context, r *Recorder) {
	defer r.Range(ctx, "pipeline.diffuse").End()
}

func benchOn(b *testing.B, mode reelfile.Mode, per int) {
	r, err := Open(filepath.Join(b.TempDir(), "bench.reel"), Options{Mode: mode, MaxBytes: 64<<20 + int64(mode^1)*6<<30})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetParallelism(per)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		ctx := OnTrack(context.Background(), NewTrack("worker"))
		for pb.Next() {
			r.Range(ctx, "pipeline.diffuse").End()
		}
	})
	b.StopTimer()
	done, err := r.Stop()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(100*float64(done.Counts.Dropped())/float64(b.N), "%dropped")
}

func benchTrace(b *testing.B, per int) {
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
}
