package otel

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"reel/rec"
	"reel/reelfile"
)

// BenchmarkRange measures the beginning and end of a range that is recorded, of a
// span with the SDK's batch processor as it comes, and of a range that becomes
// such a span, on 1 and 2 goroutines per core. "%exported" says how many spans
// the processor did not drop; a dropped one costs less.
func BenchmarkRange(b *testing.B) {
	for _, per := range []int{1, 2} {
		for _, mode := range []reelfile.Mode{reelfile.Flight, reelfile.Full} {
			b.Run(fmt.Sprintf("rec/%v/goroutines=%dpercore", mode, per), func(b *testing.B) { benchRec(b, mode, per) })
		}
		b.Run(fmt.Sprintf("span/goroutines=%dpercore", per), func(b *testing.B) {
			benchSpans(b, per, func(ctx context.Context, p *sdk.TracerProvider) func() {
				tracer := p.Tracer("bench")
				return func() {
					_, span := tracer.Start(ctx, "pipeline.diffuse")
					span.End()
				}
			})
		})
		b.Run(fmt.Sprintf("adapter/goroutines=%dpercore", per), func(b *testing.B) {
			benchSpans(b, per, func(ctx context.Context, p *sdk.TracerProvider) func() {
				spans := New(p.Tracer("bench"))
				return func() { spans.Range(ctx, "pipeline.diffuse").End() }
			})
		})
	}
}

func benchRec(b *testing.B, mode reelfile.Mode, per int) {
	r, err := rec.Open(filepath.Join(b.TempDir(), "bench.reel"), rec.Options{Mode: mode, MaxBytes: 64<<20 + int64(mode^1)*6<<30})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetParallelism(per)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		ctx := rec.OnTrack(context.Background(), rec.NewTrack("worker"))
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

// latest is an exporter in memory that keeps its latest batch alone.
type latest struct {
	*tracetest.InMemoryExporter
	n atomic.Int64
}

func (l *latest) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	l.n.Add(int64(len(spans)))
	l.Reset()
	return l.InMemoryExporter.ExportSpans(ctx, spans)
}

// benchSpans runs what worker makes for each goroutine.
func benchSpans(b *testing.B, per int, worker func(context.Context, *sdk.TracerProvider) func()) {
	out := &latest{InMemoryExporter: tracetest.NewInMemoryExporter()}
	p := sdk.NewTracerProvider(sdk.WithBatcher(out))
	b.ReportAllocs()
	b.SetParallelism(per)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		f := worker(rec.OnTrack(context.Background(), rec.NewTrack("worker")), p)
		for pb.Next() {
			f()
		}
	})
	b.StopTimer()
	if err := p.Shutdown(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(100*float64(out.n.Load())/float64(b.N), "%exported")
}
