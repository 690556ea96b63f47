package session

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"reel/rec"
)

// collect gathers the numbers of a step with frames; written files them.
func (s *Session) collect(ctx context.Context, res Result, took rec.Time) map[string]float64 {
	if s.opt.Stats == nil {
		return nil
	}
	m := map[string]float64{}
	maps.Copy(m, s.profiler.CollectFPS())
	maps.Copy(m, s.profiler.CollectInputLatencyMS())
	total := 0.0
	for stage, ms := range s.profiler.CollectStageMS(ctx) {
		m[stage+"_ms"] = ms
		total += ms
	}
	if total > 0 {
		m["total_ms"], m["total_ms_wo_finalize"] = total, total-m["finalize_ms"]
	}
	maps.Copy(m, res.Metrics)
	m["frame_count"] = float64(len(res.Frames))
	m["runtime_step_ms"] = float64(took) / 1e6
	m["runtime_queue_depth_count"] = float64(s.queue.depthNow())
	return m
}

// written files a step's numbers, with how long its publishing took.
func (s *Session) written(id rec.StepID, res Result, m map[string]float64, wait rec.Time) {
	if m == nil {
		return
	}
	m["runtime_publish_wait_ms"] = float64(wait) / 1e6
	size := res.Frames[0].Bounds().Size()
	s.statistics().Size(size.X, size.Y)
	s.statistics().Step(id, len(res.Frames), m)
	_, n, _ := id.Parts()
	s.opt.Log.Debug(stepLine(n, m))
}

// statistics is the session's part of the file.
func (s *Session) statistics() *rec.StatsSession {
	if s.stats == nil {
		s.stats = s.opt.Stats.Begin(s.opt.FrameRate)
	}
	return s.stats
}

// tail files what came to light behind the last step's record.
func (s *Session) tail() {
	if s.opt.Stats == nil {
		return
	}
	m := map[string]float64{}
	maps.Copy(m, s.profiler.CollectFPS())
	maps.Copy(m, s.profiler.CollectInputLatencyMS())
	if wall := s.opt.Clock() - s.started; wall > 0 {
		m["end_to_end_fps"] = float64(s.report.Shown) / (float64(wall) / 1e9)
	}
	s.statistics().Tail(m)
}

// stepLine is the log line of a step.
func stepLine(step int, m map[string]float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "AR %d", step)
	for _, stage := range []string{"encode", "diffuse", "decode", "finalize"} {
		if ms, ok := m[stage+"_ms"]; ok {
			fmt.Fprintf(&b, " %s %.1f ms", stage, ms)
		}
	}
	fmt.Fprintf(&b, " | total(w/o finalize) %.1f ms total %.1f ms", m["total_ms_wo_finalize"], m["total_ms"])
	if alloc, ok := m["mem_alloc_gib"]; ok {
		fmt.Fprintf(&b, " | device mem alloc %.3f GiB reserved %.3f GiB peak %.3f GiB", alloc, m["mem_reserved_gib"], m["mem_peak_gib"])
	}
	return b.String()
}
