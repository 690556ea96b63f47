package analyze

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/internal/golden"
)

// answerOf is what a diagnosis says of one fault.
type answerOf struct {
	Findings []Finding `json:"findings,omitempty"`
	Healthy  string    `json:"healthy,omitempty"`
	Because  string    `json:"not_answerable,omitempty"`
}

func (d *Diagnosis) of(id string) (a answerOf) {
	for _, f := range d.Findings {
		if f.ID == id {
			a.Findings = append(a.Findings, f)
		}
	}
	for _, h := range d.Healthy {
		if h.ID == id {
			a.Healthy = h.Why
		}
	}
	for _, u := range d.NotAnswerable {
		if u.ID == id {
			a.Because = u.Because
		}
	}
	return a
}

func diagnosisOf(t testing.TB, name string) *Diagnosis {
	t.Helper()
	_, d := Examine(textTimeline(t, name), builtin(t), ExamineOptions{})
	return d
}

// TestFindings: for each fault a trace that has it, ID.txt, and one that nearly
// does, ID-fine.txt, with all that is said of it.
func TestFindings(t *testing.T) {
	for _, c := range checks {
		for _, suffix := range []string{"", "-fine"} {
			name := "findings/" + c.id + suffix
			t.Run(c.id+suffix, func(t *testing.T) {
				a := diagnosisOf(t, name+".txt").of(c.id)
				switch {
				case suffix == "" && len(a.Findings) == 0:
					t.Errorf("not found: %+v", a)
				case suffix != "" && (len(a.Findings) > 0 || a.Healthy == ""):
					t.Errorf("not healthy: %+v", a)
				}
				text, err := json.MarshalIndent(a, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				golden.Check(t, name+".json", append(text, '\n'))
			})
		}
	}
}

// TestFindingsSayOnlyTheirs: what the other traces of this folder show is found in
// few of them, so that a check that fires everywhere is seen.
func TestFindingsSayOnlyTheirs(t *testing.T) {
	files, err := filepath.Glob("testdata/findings/*.txt")
	if err != nil || len(files) < 2*len(checks) {
		t.Fatal(len(files), err)
	}
	// Small traces made for one fault have these others too: they are of a handful of
	// kernels with waits between them.
	common := []string{"gpu-idle", "launch-bound", "profiler-overhead"}
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, f := range diagnosisOf(t, "findings/"+filepath.Base(file)).Findings {
			if !strings.HasPrefix(base, f.ID) && !slices.Contains(common, f.ID) && !slices.Contains(alsoFound[base], f.ID) {
				t.Errorf("%s: %s: %s", base, f.ID, f.Title)
			}
		}
	}
}

// alsoFound are faults that a trace has beside the one that it is named after.
var alsoFound = map[string][]string{"uncompiled-fine": {"graph-breaks"}}

// TestFindingsUnknown: a trace without what a check needs is told so, and never called
// healthy.
func TestFindingsUnknown(t *testing.T) {
	for id, name := range map[string]string{
		"gpu-idle": "no-device-events", "launch-bound": "no-device-events", "host-sync": "overlap-on-stream", "scheduler-heavy": "gpu-idle",
		"uncompiled": "gpu-idle", "unbatched-cfg": "gpu-idle", "repeated-encode": "gpu-idle", "decode-heavy": "gpu-idle",
		"layout-conversion": "no-device-events", "precision": "frame-pacing", "attention-kernel": "no-device-events", "pageable-copy": "unattributed",
		"memory-growth": "gpu-idle", "exposed-comm": "no-device-events", "step-jitter": "gpu-idle", "frame-pacing": "gpu-idle",
		"input-latency": "frame-pacing", "unattributed": "no-device-events", "profiler-overhead": "frame-pacing",
	} {
		if a := diagnosisOf(t, "findings/"+name+".txt").of(id); a.Because == "" {
			t.Errorf("%s of %s: %+v", id, name, a)
		}
	}
	a := diagnosisOf(t, "findings/empty-window-empty.txt").of("empty-window")
	if len(a.Findings) != 1 || a.Findings[0].Severity != SeverityError {
		t.Errorf("an empty recording: %+v", a)
	}
}

// TestFindingsWarmUp: a warm-up request counts for nothing.
func TestFindingsWarmUp(t *testing.T) {
	text, err := os.ReadFile("testdata/findings/gpu-idle.txt")
	if err != nil {
		t.Fatal(err)
	}
	cold := strings.Replace(string(text), "range python", "range warmup \"warm\" at 0us for 32000us\nrange python", 1)
	_, d := Examine(timelineOf(t, cold), builtin(t), ExamineOptions{})
	if a := d.of("gpu-idle"); len(a.Findings) > 0 {
		t.Errorf("found in a warm-up: %+v", a)
	}
}

// TestLimits: thresholds are set by name, with or without their unit.
func TestLimits(t *testing.T) {
	var l Limits
	for _, text := range []string{"gpu-idle=25%", "launch-bound=99", "first-step=3x"} {
		if err := l.Set(text); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"gpu-idle", "gpu-idle=", "gpu-idle=-1", "gpu-idle=NaN", "gpu-idle=5us", "no=1", "="} {
		if err := l.Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if v := l.get("gpu-idle"); v != 25 {
		t.Errorf("gpu-idle is %v", v)
	}
	_, d := Examine(textTimeline(t, "findings/gpu-idle.txt"), builtin(t), ExamineOptions{Limits: l})
	if a := d.of("gpu-idle"); len(a.Findings) > 0 {
		t.Errorf("found below its limit: %+v", a)
	}
	for _, x := range LimitTable() {
		if (Limits{}).get(x.Name) != x.Value || x.Means == "" {
			t.Errorf("%+v", x)
		}
	}
}
