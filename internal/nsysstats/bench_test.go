package nsysstats

import (
	"context"
	"fmt"
	"io"
	"testing"

	"reel/event"
	"reel/timeline"
)

// BenchmarkReports makes reports of a million ranges, calls and kernels; the reading is
// not counted.
func BenchmarkReports(b *testing.B) {
	tl, err := timeline.Build(context.Background(), &many{left: 1_000_000}, timeline.Options{Args: Args})
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"nvtx_sum", "nvtx_gpu_proj_sum", "cuda_gpu_kern_sum", "cuda_api_sum", "nvtx_kern_sum"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := Run([]Source{{TL: tl}}, name, Options{})
				if err != nil || r.Len == 0 {
					b.Fatalf("%d rows, %v", r.Len, err)
				}
			}
			b.ReportMetric(1e6*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// many is a source of many ranges, each with a call that launches a kernel.
type many struct{ left, at int }

func (m *many) Next(b *event.Batch) error {
	b.Reset()
	thread, stream := event.Track{Place: event.Thread, A: 1, B: 1}, event.Track{Place: event.Stream, B: 7}
	for range min(m.left, 4096) {
		m.left--
		m.at++
		t := int64(m.at) * 100
		b.Add(event.Event{Kind: event.Range, Class: event.Annotation, Track: thread, Name: fmt.Sprintf("aten::op%d", m.at%300), Start: t, Dur: int64(50 + m.at%7)})
		b.Add(event.Event{Kind: event.Range, Class: event.Runtime, Track: thread, Name: "cudaLaunchKernel", Start: t + 10, Dur: 20, Link: int64(m.at)})
		b.Add(event.Event{Kind: event.Activity, Class: event.Kernel, Track: stream, Name: fmt.Sprintf("kernel%d", m.at%40), Start: t + 1000, Dur: int64(30 + m.at%11), Link: int64(m.at)})
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

func (m *many) Info() event.Info { return event.Info{} }
func (m *many) Close() error     { return nil }
