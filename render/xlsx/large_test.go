package xlsx

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"reel/analyze"
)

// large makes a report by stack of so many rows.
func large(rows int) *analyze.OpsReport {
	rep := &analyze.OpsReport{By: analyze.OpsByStack, SelfDevice: new(int64(1_000_000_000)), RowsTotal: rows}
	for i := range rows {
		n := int64(i)
		rep.Rows = append(rep.Rows, analyze.OpsRow{Name: fmt.Sprint("aten::operator_", i), DeviceType: "cpu", Count: n, SelfCPU: 1001 * n, CPU: 2003 * n,
			SelfDevice: &n, Device: &n, SelfCPUMemory: &n, CPUMemory: &n, SelfDeviceMemory: &n, DeviceMemory: &n, Stack: []string{
				fmt.Sprintf("torch/nn/modules/linear.py(%d): forward", i), "torch/nn/modules/module.py(1784): _call_impl", "diffusers/models/attention.py(165): forward",
				"diffusers/models/transformers/transformer_wan.py(466): forward", "diffusers/pipelines/wan/pipeline_wan.py(560): __call__"}})
	}
	return rep
}

// peak runs do and returns by how many bytes the heap grew meanwhile at most.
func peak(do func() error) (bytes uint64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // so that garbage counts little
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, stop, highest := m.HeapAlloc, make(chan struct{}), make(chan uint64)
	go func() {
		var m runtime.MemStats
		var top uint64
		for {
			runtime.ReadMemStats(&m)
			top = max(top, m.HeapAlloc)
			select {
			case <-stop:
				highest <- top
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	err = do()
	close(stop)
	return max(before, <-highest) - before, err
}

// TestMemoryIsBounded writes sheets of two sizes: both have more text than the library
// keeps in memory.
func TestMemoryIsBounded(t *testing.T) {
	if raced {
		t.Skip("the race detector makes it ten times slower")
	}
	const limit = 64 << 20
	for _, rows := range []int{15_000, 45_000} {
		rep := large(rows)
		got, err := peak(func() error { return Write(io.Discard, Options{TempDir: t.TempDir()}, rep) })
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows: the heap grew by %d MiB", rows, got>>20)
		if got > limit {
			t.Errorf("%d rows: the heap grew by %d MiB, more than %d", rows, got>>20, limit>>20)
		}
	}
}

// BenchmarkWrite writes 200,000 rows and reports by how much the heap grew.
func BenchmarkWrite(b *testing.B) {
	rep := large(200_000)
	var most uint64
	for b.Loop() {
		got, err := peak(func() error { return Write(io.Discard, Options{TempDir: b.TempDir()}, rep) })
		if err != nil {
			b.Fatal(err)
		}
		most = max(most, got)
	}
	b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
	b.ReportMetric(float64(200_000*b.N)/b.Elapsed().Seconds(), "rows/s")
}
