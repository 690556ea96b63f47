package analyze

import "testing"

// TestEventsAroundStages: a recording without device activity may hold the time between
// two events of the device; it is the span of the stage or step of its name, and its
// busy time stays unknown.
func TestEventsAroundStages(t *testing.T) {
	s := Summarize(timelineOf(t, `
info rank 0
track cpu1/1 "python"
range request "WanPipeline" at 0us for 5000us
range annotation "pipeline.encode" at 100us for 400us
range runtime "eventRecord" at 110us for 2us cause 1
range step "denoise[0]" at 1000us for 200us
range runtime "eventRecord" at 1010us for 2us cause 2
range step "denoise[1]" at 1200us for 200us
range runtime "eventRecord" at 1210us for 2us cause 3
range annotation "pipeline.decode" at 2000us for 900us
track gpu0/7 "cuda:0 stages and steps"
gpu gpuannotation "pipeline.encode" at 120us for 700us cause 1
gpu gpuannotation "denoise[0]" at 1020us for 900us cause 2
gpu gpuannotation "denoise[1]" at 1920us for 950us cause 3
gpu gpuannotation "somebody's own" at 2010us for 5us cause 3
`), builtin(t))
	if s.Timing != EventTimed || s.GPU != nil || len(s.Stages) != 3 || len(s.Steps) != 2 {
		t.Fatalf("timing %q, gpu %v, %d stages, %d steps", s.Timing, s.GPU, len(s.Stages), len(s.Steps))
	}
	for i, want := range []int64{900_000, 950_000} {
		if st := s.Steps[i]; st.GPUSpan == nil || *st.GPUSpan != want || st.GPUBusy != nil || st.GPUIdle != nil {
			t.Errorf("step %d: span %v, busy %v", i, st.GPUSpan, st.GPUBusy)
		}
	}
	for _, st := range s.Stages {
		want := map[string]int64{"encode": 700_000, "diffuse": 1_850_000}[st.Stage]
		if got := valueOf(st.GPUSpan); got != want || (want == 0) != (st.GPUSpan == nil) || st.GPUBusy != nil {
			t.Errorf("%s: span %d, want %d, busy %v", st.Stage, got, want, st.GPUBusy)
		}
	}
}
