package analyze

import "testing"

// TestMemory: totals of two devices, as Kineto writes them.
func TestMemory(t *testing.T) {
	tl := timelineOf(t, `track cpu1/1
range step "denoising_step_0" at 0ms for 10ms
range step "denoising_step_1" at 10ms for 10ms
mark devmem "[memory]" at 1ms value 100 args {"Total Allocated": 1100, "Total Reserved": 4000, "Device Id": 0}
mark devmem "[memory]" at 2ms value 50 args {"Total Allocated": 250, "Total Reserved": 500, "Device Id": 1}
mark devmem "[memory]" at 12ms value -100 args {"Total Allocated": 1000, "Total Reserved": 4000, "Device Id": 0}
mark hostmem "[memory]" at 3ms value -64
mark hostmem "[memory]" at 4ms value 32
`)
	s := Summarize(tl, builtin(t))
	d, h := s.Memory.Device, s.Memory.Host
	if !d.Absolute || d.Start != 1200 || d.Peak != 1350 || d.PeakAt != 2e6 || d.End != 1250 || *d.ReservedPeak != 4500 || len(d.Series) != 3 {
		t.Errorf("device: %+v", d)
	}
	// 64 bytes given back were taken before: the lowest level is 0, and they are the peak.
	if h.Absolute || h.Start != 64 || h.Peak != 64 || h.PeakAt != 0 || h.End != 32 || h.ReservedPeak != nil {
		t.Errorf("host: %+v", h)
	}
	if p := s.Steps[0].PeakMemory; p == nil || *p != 1350 {
		t.Errorf("step 0: %v", p)
	}
	if p := s.Steps[1].PeakMemory; p == nil || *p != 1350 { // what was there when it began
		t.Errorf("step 1: %v", p)
	}
	if p := s.Stages[0].PeakMemory; p == nil || *p != 1350 {
		t.Errorf("the loop: %v", p)
	}
	if none := Memory(timelineOf(t, "track cpu1/1\nrange op \"a\" at 1us for 1us\n")); none != nil {
		t.Errorf("memory of nothing: %+v", none)
	}
}
