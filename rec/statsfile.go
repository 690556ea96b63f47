package rec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// StatsFile gathers what --stats-path writes: the steps of every session of the
// process, and their numbers. Its JSON is that of FlashDreams' benchmark statistics;
// its top level describes the last session, and sessions has them all.
type StatsFile struct {
	mu       sync.Mutex
	sessions []*StatsSession
	timing   string
}

// NewStatsFile makes a StatsFile. timing says how its times are taken: "host",
// "synced" when the host waited for the device, "device".
func NewStatsFile(timing string) *StatsFile { return &StatsFile{timing: timing} }

// Begin adds a session that shows so many frames per second.
func (f *StatsFile) Begin(fps float64) *StatsSession {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &StatsSession{file: f, Session: StatsInfo{Layout: "thwc", FrameRate: fps, Timing: f.timing}, Steps: []StatsStep{}, Samples: []StatsSample{}}
	f.sessions = append(f.sessions, s)
	return s
}

// Size says how large the frames are, in pixels.
func (s *StatsSession) Size(width, height int) {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	s.Session.Width, s.Session.Height = width, height
}

// Step adds a step that made frames, with its numbers by name. The name's end tells
// the unit: "diffuse_ms", "present.frame_fps", "mem_peak_gib", "frame_count".
func (s *StatsSession) Step(id StepID, frames int, numbers map[string]float64) {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	gen, n, _ := id.Parts()
	result, before := len(s.Steps), len(s.Samples)
	s.add(numbers, &n, &result, frames)
	s.Steps = append(s.Steps, StatsStep{Step: n, Result: result, Generation: gen, Frames: frames, Samples: len(s.Samples) - before})
}

// Tail adds numbers of no step: those of the whole session, and what came to light
// behind the last step's record.
func (s *StatsSession) Tail(numbers map[string]float64) {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	s.add(numbers, nil, nil, 0)
}

// add files numbers in the order of their names.
func (s *StatsSession) add(numbers map[string]float64, step, result *int, frames int) {
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		x, ok := normalise(name, numbers[name])
		if !ok {
			continue
		}
		x.Step, x.Result = step, result
		x.Metadata = map[string]any{"timing": s.file.timing}
		if frames > 0 {
			x.Metadata["frame_count"] = frames
		}
		s.Samples = append(s.Samples, x)
	}
}

// StatsSession is one session. Index fields that are absent are null in JSON.
type StatsSession struct {
	file    *StatsFile
	Session StatsInfo     `json:"session"`
	Steps   []StatsStep   `json:"steps"`
	Samples []StatsSample `json:"samples"`
}

// StatsInfo describes what a session shows.
type StatsInfo struct {
	Layout    string  `json:"output_layout"`
	FrameRate float64 `json:"frames_per_second_for_step"`
	Width     int     `json:"video_width"`
	Height    int     `json:"video_height"`
	Timing    string  `json:"timing"`
}

// StatsStep is a step that made frames.
type StatsStep struct {
	Step       int `json:"step_index"`
	Result     int `json:"result_index"`
	Generation int `json:"generation"`
	Frames     int `json:"frame_count"`
	Samples    int `json:"sample_count"`
}

// StatsSample is one number of a step; of none at the session's end.
type StatsSample struct {
	Name     string         `json:"name"`
	Value    float64        `json:"value"`
	Unit     string         `json:"unit"`
	Category string         `json:"category"`
	Step     *int           `json:"step_index"`
	Result   *int           `json:"result_index"`
	Metadata map[string]any `json:"metadata"`
}

// normalise gives a metric the name, unit and category that its suffix tells; ok is
// false for what is no metric.
func normalise(name string, v float64) (s StatsSample, ok bool) {
	if strings.TrimSpace(name) == "" || math.IsNaN(v) || math.IsInf(v, 0) {
		return s, false
	}
	s = StatsSample{Name: name, Value: v, Unit: "value", Category: "runtime"}
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

// Write writes the file, by a temporary one; folders on the way are made. An
// existing file is an error unless force says otherwise.
func (f *StatsFile) Write(path string, force bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	doc := map[string]any{"schema_version": 1, "artifact_type": "flashdreams.runtime.demo.benchmark_stats",
		"session": map[string]any{}, "steps": []StatsStep{}, "samples": []StatsSample{}, "sessions": f.sessions}
	if f.sessions == nil {
		doc["sessions"] = []*StatsSession{}
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
		return fmt.Errorf("statistics: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("statistics: %w", err)
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("statistics: %s: %w", path, os.ErrExist)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".stats-*")
	if err != nil {
		return fmt.Errorf("statistics: %w", err)
	}
	_, err = tmp.Write(out.Bytes())
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("statistics: %w", err)
	}
	return nil
}
