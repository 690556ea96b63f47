package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"reel/rec"
)

// StatsFile gathers the records of --stats-path: every step of every session of
// the process. Its JSON is that of FlashDreams' benchmark statistics; its top
// level describes the last session, and sessions has them all.
type StatsFile struct {
	mu       sync.Mutex
	sessions []*SessionStats
	timing   string
}

// NewStatsFile makes a StatsFile. timing says how its times are taken: "host",
// "synced" when the host waited for the device, "device".
func NewStatsFile(timing string) *StatsFile { return &StatsFile{timing: timing} }

// SessionStats is one session. Index fields that are absent are null in JSON.
type SessionStats struct {
	Session SessionInfo `json:"session"`
	Steps   []StepStats `json:"steps"`
	Samples []Sample    `json:"samples"`
}

// SessionInfo describes what a session shows.
type SessionInfo struct {
	Layout    string  `json:"output_layout"`
	FrameRate float64 `json:"frames_per_second_for_step"`
	Width     int     `json:"video_width"`
	Height    int     `json:"video_height"`
	Timing    string  `json:"timing"`
}

// StepStats is a step that made frames.
type StepStats struct {
	Step       int `json:"step_index"`
	Result     int `json:"result_index"`
	Generation int `json:"generation"`
	Frames     int `json:"frame_count"`
	Samples    int `json:"sample_count"`
}

// Sample is one number of a step; of none at the session's end.
type Sample struct {
	Name     string         `json:"name"`
	Value    float64        `json:"value"`
	Unit     string         `json:"unit"`
	Category string         `json:"category"`
	Step     *int           `json:"step_index"`
	Result   *int           `json:"result_index"`
	Metadata map[string]any `json:"metadata"`
}

// begin adds a session.
func (f *StatsFile) begin(fps float64) *SessionStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &SessionStats{Session: SessionInfo{Layout: "thwc", FrameRate: fps, Timing: f.timing}, Steps: []StepStats{}, Samples: []Sample{}}
	f.sessions = append(f.sessions, s)
	return s
}

// normalise gives a metric the name, unit and category that its suffix tells; ok is
// false for what is no metric.
func normalise(name string, v float64) (s Sample, ok bool) {
	if strings.TrimSpace(name) == "" || math.IsNaN(v) || math.IsInf(v, 0) {
		return s, false
	}
	s = Sample{Name: name, Value: v, Unit: "value", Category: "runtime"}
	ends := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
	switch {
	case ends("_ms"):
		s.Name, s.Value, s.Unit, s.Category = strings.TrimSuffix(name, "_ms")+"_s", v/1000, "s", "timing"
	case ends("_s"):
		s.Unit, s.Category = "s", "timing"
	case ends("_fps"):
		s.Unit, s.Category = "fps", "throughput"
	case ends("_bytes"):
		s.Unit = "bytes"
	case ends("_gib"):
		s.Unit, s.Category = "gib", "memory"
	case ends("_count"), name == "frames", name == "frame_count":
		s.Unit = "count"
	}
	return s, true
}

// collect gathers the numbers of a step with frames; written adds them.
func (s *Session) collect(ctx context.Context, id rec.StepID, res Result, took rec.Time) map[string]float64 {
	if s.opt.Stats == nil {
		return nil
	}
	m := map[string]float64{}
	for k, v := range s.profiler.CollectFPS() {
		m[k] = v
	}
	for k, v := range s.profiler.CollectInputLatencyMS() {
		m[k] = v
	}
	total := 0.0
	for stage, ms := range s.profiler.CollectStageMS(ctx) {
		m[stage+"_ms"] = ms
		total += ms
	}
	if total > 0 {
		m["total_ms"], m["total_ms_wo_finalize"] = total, total-m["finalize_ms"]
	}
	for k, v := range res.Metrics {
		m[k] = v
	}
	m["frame_count"] = float64(len(res.Frames))
	m["runtime_step_ms"] = float64(took) / 1e6
	m["runtime_queue_depth_count"] = float64(s.queue.depthNow())
	s.record(id, res)
	return m
}

// record notes the step itself.
func (s *Session) record(id rec.StepID, res Result) {
	f := s.opt.Stats
	if s.stats == nil {
		s.stats = f.begin(s.opt.FrameRate)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	size := res.Frames[0].Bounds().Size()
	s.stats.Session.Width, s.stats.Session.Height = size.X, size.Y
	gen, n, _ := id.Parts()
	s.stats.Steps = append(s.stats.Steps, StepStats{Step: n, Result: len(s.stats.Steps), Generation: gen, Frames: len(res.Frames)})
}

// written files a step's numbers, with how long its publishing took.
func (s *Session) written(m map[string]float64, wait rec.Time) {
	if m == nil {
		return
	}
	m["runtime_publish_wait_ms"] = float64(wait) / 1e6
	f := s.opt.Stats
	f.mu.Lock()
	defer f.mu.Unlock()
	at := &s.stats.Steps[len(s.stats.Steps)-1]
	before := len(s.stats.Samples)
	step, result := at.Step, at.Result
	s.add(m, &step, &result, at.Frames)
	at.Samples = len(s.stats.Samples) - before
	s.opt.Log.Debug(stepLine(at.Step, m))
}

// tail files what came to light behind the last step's record.
func (s *Session) tail() {
	if s.opt.Stats == nil {
		return
	}
	m := s.profiler.CollectFPS()
	if m == nil {
		m = map[string]float64{}
	}
	for k, v := range s.profiler.CollectInputLatencyMS() {
		m[k] = v
	}
	if wall := s.opt.Clock() - s.started; wall > 0 {
		m["end_to_end_fps"] = float64(s.report.Shown) / (float64(wall) / 1e9)
	}
	if s.stats == nil {
		s.stats = s.opt.Stats.begin(s.opt.FrameRate)
	}
	f := s.opt.Stats
	f.mu.Lock()
	defer f.mu.Unlock()
	s.add(m, nil, nil, 0)
}

// add files numbers by name.
func (s *Session) add(m map[string]float64, step, result *int, frames int) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		x, ok := normalise(name, m[name])
		if !ok {
			continue
		}
		x.Step, x.Result = step, result
		x.Metadata = map[string]any{"timing": s.opt.Stats.timing}
		if frames > 0 {
			x.Metadata["frame_count"] = frames
		}
		s.stats.Samples = append(s.stats.Samples, x)
	}
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

// Write writes the file, by a temporary one; folders on the way are made. An
// existing file is an error unless force says otherwise.
func (f *StatsFile) Write(path string, force bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	doc := map[string]any{"schema_version": 1, "artifact_type": "flashdreams.runtime.demo.benchmark_stats",
		"session": map[string]any{}, "steps": []StepStats{}, "samples": []Sample{}, "sessions": f.sessions}
	if f.sessions == nil {
		doc["sessions"] = []*SessionStats{}
	}
	if n := len(f.sessions); n > 0 {
		last := f.sessions[n-1]
		doc["session"], doc["steps"], doc["samples"] = last.Session, last.Steps, last.Samples
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("session: %s: %w", path, os.ErrExist)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".stats-*")
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	_, err = tmp.Write(out.Bytes())
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("session: %w", err)
	}
	return nil
}
