package cli

import (
	"encoding/json"
	"image/gif"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reel/analyze"
)

// runFolder is the one run folder below the working folder.
func runFolder(t *testing.T, root string) string {
	t.Helper()
	list, _ := filepath.Glob(filepath.Join(root, "*-*-*"))
	if len(list) != 1 {
		t.Fatalf("run folders under %s: %v", root, list)
	}
	return list[0]
}

// runSummaryOf is what reel summary says of a run.
func runSummaryOf(t *testing.T, dir string) *analyze.Document {
	t.Helper()
	var d analyze.Document
	if err := json.Unmarshal([]byte(good(t, "summary", "--json", dir)), &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

// TestDemo: a clip, a run folder, and a summary whose stages and rest add up to the
// request.
func TestDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	out := good(t, "demo", "--frames", "5", "--steps", "4")
	dir := runFolder(t, "artifacts/profiles")
	f, err := os.Open(filepath.Join(dir, "clip.gif"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	clip, err := gif.DecodeAll(f)
	if err != nil || len(clip.Image) != 5 || clip.Config.Width != 256 {
		t.Errorf("%v: %d frames", err, len(clip.Image))
	}
	for _, want := range []string{"5 frames of 64 x 64 pixels", "pipeline.encode", "pipeline.decode", "4 steps", "rec-0-"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	r := runSummaryOf(t, dir).Ranks[0]
	if len(r.Requests) != 1 || len(r.Steps) != 4 {
		t.Fatalf("%d requests, %d steps", len(r.Requests), len(r.Steps))
	}
	sum := r.Requests[0].Other
	for _, s := range r.Stages {
		sum += s.CPU
	}
	if d := r.Requests[0].Duration; sum < d*98/100 || sum > d*102/100 {
		t.Errorf("stages and the rest are %d ns of %d", sum, d)
	}
}

// TestDemoKinds: pictures, two stages, streaming with statistics, windows.
func TestDemoKinds(t *testing.T) {
	t.Chdir(t.TempDir())
	good(t, "demo", "--frames", "1", "--steps", "2", "-o", "a.png", "--report-path", "one")
	good(t, "demo", "--frames", "1", "--steps", "2", "--image", "a.png", "-o", "b.png", "--report-path", "two")
	good(t, "demo", "--pipeline", "two-stage", "--frames", "1", "--steps", "2", "-o", "c.png", "--report-path", "three")
	good(t, "demo", "--pipeline", "streaming", "--steps", "1", "--blocks", "2", "--stats-path", "s.json", "-o", "d.gif", "--report-path", "four")
	good(t, "demo", "--frames", "1", "--steps", "4", "--window", "1-2", "-o", "e.png", "--report-path", "five")
	if r := runSummaryOf(t, "three").Ranks[0]; len(r.Steps) != 3 {
		t.Errorf("two stages have %d steps", len(r.Steps))
	}
	if n := len(runSummaryOf(t, "five").Ranks[0].Steps); n != 2 {
		t.Errorf("a window of two steps holds %d", n)
	}
	var stats struct{ Steps, Samples []any }
	data, err := os.ReadFile("s.json")
	if err == nil {
		err = json.Unmarshal(data, &stats)
	}
	if err != nil || len(stats.Steps) != 2 || len(stats.Samples) == 0 {
		t.Errorf("%v: %d steps, %d samples", err, len(stats.Steps), len(stats.Samples))
	}
	if r := reel(t, "demo", "--frames", "1", "-o", "a.png"); r.code != exitFailed || !strings.Contains(r.err, "--force") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

// TestDemoConfig: the artefacts that a profiler_config asks for, and no others.
func TestDemoConfig(t *testing.T) {
	t.Chdir(t.TempDir())
	config := `{"profiler": "torch", "torch_profiler_dir": "perf", "torch_profiler_with_memory": true, "torch_profiler_with_stack": true, "torch_profiler_record_shapes": true, "torch_profiler_with_flops": true}`
	good(t, "demo", "--frames", "1", "--steps", "1", "-o", "a.png", "--profiler-config", config)
	entries, err := os.ReadDir(runFolder(t, "perf"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, strings.ReplaceAll(e.Name(), strconv.Itoa(os.Getpid()), "PID"))
		}
	}
	want := []string{"memory_snapshot_rank0.pickle", "ops_rank0.xlsx", "rec-0-PID.reel", "run.json", "stacks_cpu_rank0.txt", "stacks_cuda_rank0.txt", "trace_rank0.json"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestDemoRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"--size", "7x7"}, {"--size", "x"}, {"--frames", "2"}, {"--frames", "0"}, {"--steps", "-1"}, {"--pipeline", "x"}, {"--strength", "2"}, {"--scale", "0"},
		{"--window", "5-2"}, {"--timeout", "3"}, {"--image", "/none.png"}, {"--model", "/none"}, {"--profiler-config", `{"profiler": "x"}`},
		{"--profiler-config", `{"profiler": "torch", "torch_profiler_dir": "p"}`, "--window", "1"}} {
		if r := reel(t, append([]string{"demo", "--report-path", "r"}, args...)...); r.code == 0 || r.err == "" {
			t.Errorf("%v: exit %d, %s", args, r.code, r.err)
		}
	}
}

// TestPlay: a headless session with inputs; its frames as reel frames sees them are
// those that the presenter counted.
func TestPlay(t *testing.T) {
	t.Chdir(t.TempDir())
	out := good(t, "play", "--blocks", "3", "--steps", "1", "--fps", "200", "--keys", "1ms:up,2ms:say a blue circle on a white background", "-o", "s.gif", "--report-path", "run", "--stats-path", "s.json")
	var d struct {
		Ranks []analyze.FrameReport
	}
	if err := json.Unmarshal([]byte(good(t, "frames", "run", "--json")), &d); err != nil {
		t.Fatal(err)
	}
	r := d.Ranks[0]
	if !strings.Contains(out, "the presenter's own count: "+strconv.Itoa(r.Shown)+" frames") || r.Shown != 21 || r.Steps != 3 {
		t.Errorf("%d frames of %d steps:\n%s", r.Shown, r.Steps, out)
	}
	if _, err := os.Stat("s.gif"); err != nil {
		t.Error(err)
	}
	if r := reel(t, "play", "--report-path", "other"); r.code != exitMisuse || !strings.Contains(r.err, "--blocks") {
		t.Errorf("an endless session: %d %s", r.code, r.err)
	}
	for _, keys := range []string{"x", "1s:fly", "-1s:up", "1s:say "} {
		if r := reel(t, "play", "--blocks", "1", "--keys", keys); r.code != exitMisuse {
			t.Errorf("--keys %q: %d", keys, r.code)
		}
	}
}

func TestSteer(t *testing.T) {
	for _, c := range [][3]string{
		{"a red circle moving right on a blue background", "up", "a red circle moving up on a blue background"},
		{"a red circle on a blue background", "left", "a red circle moving left on a blue background"},
		{"a red circle", "down", "a red circle moving down"},
		{"a red circle", "say: a cat", "a cat"},
	} {
		if got := steer(c[0], c[1]); got != c[2] {
			t.Errorf("%q", got)
		}
	}
}

// TestServe: the sequence of vLLM-Omni's document against a server, with each of its
// minimal configurations: the files are there, complete, when stop answers, and are
// those that it lists, besides the recording and the note on the run.
func TestServe(t *testing.T) {
	stacks := []string{"stacks_cpu_rank0.txt", "stacks_cuda_rank0.txt"}
	for name, c := range map[string]struct {
		config string
		files  []string
	}{
		"trace":      {`{"profiler": "torch", "torch_profiler_dir": "perf"}`, []string{"ops_rank0.xlsx", "trace_rank0.json"}},
		"compressed": {`{"profiler": "torch", "torch_profiler_dir": "perf", "torch_profiler_use_gzip": true}`, []string{"ops_rank0.xlsx", "trace_rank0.json.gz"}},
		"tables": {`{"profiler": "torch", "torch_profiler_dir": "perf", "torch_profiler_record_shapes": true, "torch_profiler_with_stack": true}`,
			append([]string{"ops_rank0.xlsx", "trace_rank0.json"}, stacks...)},
		"memory": {`{"profiler": "torch", "torch_profiler_dir": "perf", "torch_profiler_record_shapes": true, "torch_profiler_with_stack": true, "torch_profiler_with_memory": true}`,
			append([]string{"memory_snapshot_rank0.pickle", "ops_rank0.xlsx", "trace_rank0.json"}, stacks...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			url := "http://127.0.0.1:" + startServe(t, "--profiler-config", c.config)
			served(t, url+"/start_profile", "")
			if got := served(t, url+"/v1/images/generations", `{"model": "Qwen/Qwen-Image", "prompt": "A red vintage bicycle", "num_inference_steps": 1}`); !strings.Contains(got, "b64_json") {
				t.Error(got)
			}
			served(t, url+"/stop_profile", "")
			entries, err := os.ReadDir(runFolder(t, "perf"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range entries {
				if n := e.Name(); n[0] != '.' && n != "run.json" && !strings.HasPrefix(n, "rec-") {
					got = append(got, n)
				}
			}
			slices.Sort(c.files)
			if !slices.Equal(got, c.files) {
				t.Errorf("%v, want %v", got, c.files)
			}
		})
	}
}

// served posts a body and returns the reply, which must be 200.
func served(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	if r.StatusCode != 200 {
		t.Fatalf("%s: %d %s", url, r.StatusCode, b)
	}
	return string(b)
}

// startServe starts reel serve as another process and returns its port.
func startServe(t *testing.T, args ...string) string {
	t.Helper()
	c := startReel(t, append([]string{"serve", "--port", "0"}, args...)...)
	for range 600 {
		if _, rest, ok := strings.Cut(c.said(), "at http://127.0.0.1:"); ok {
			port, _, _ := strings.Cut(rest, "\n")
			return strings.TrimSpace(port)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the server does not start: %s", c.said())
	return ""
}
