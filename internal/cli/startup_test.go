package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/internal/webui"
	"reel/rec/startup"
)

// vaeRun is a made-up run of a VAE start-up; a cold one reads from disk.
func vaeRun(slow int64, cold bool) startup.Report {
	ms := func(n int64) int64 { return n * 1e6 }
	id := func(n int) *int { return &n }
	early := false
	r := startup.Report{Version: 1, Type: startup.ArtifactType, Started: 1700000000e9, Duration: ms(400 + slow), Synchronized: true, DeviceEarly: &early,
		Environment: startup.Environment{Hardware: "2 cores", CacheWord: "warm", Wall: ms(410 + slow),
			Cache: []startup.CacheState{{File: "model.safetensors", Bytes: 250 << 20, Resident: 1}}}}
	read := int64(60)
	if cold {
		r.Environment.CacheWord, r.Environment.Cache[0].Resident, read = "cold", 0, 60+slow
	}
	add := func(parent *int, name string, from, took int64, major int) {
		r.Phases = append(r.Phases, startup.Phase{ID: len(r.Phases), Parent: parent, Name: name, Start: ms(from), Duration: ms(took), Status: startup.Success,
			Attrs: map[string]any{"minor_faults": took * 10, "major_faults": major}})
	}
	add(nil, "process.exec", 0, 12, 0)
	add(nil, "imports", 12, 20, 0)
	add(nil, "device.setup", 33, 5, 0)
	add(nil, "component.vae", 40, 200+slow, 7)
	add(id(3), "vae.construct", 41, 9, 0)
	add(id(3), "vae.device_transfer", 51, 10, 0)
	add(id(3), "vae.checkpoint_read", 62, read, 7)
	add(id(3), "vae.weight_assignment", 62+read, 100, 0)
	add(id(3), "vae.finalize", 170+read, 2, 0)
	add(nil, "vae.first_decode", 245+slow, 150, 0)
	return r
}

func startupFile(t *testing.T, name string, r startup.Report) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	data, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartupShow(t *testing.T) {
	r := vaeRun(0, false)
	plain := int64(395e6)
	r.Plain = &plain
	for i := range int64(3) {
		r.Repetitions = append(r.Repetitions, vaeRun(i, false), vaeRun(100+50*i, true))
	}
	path := startupFile(t, "vae.json", r)
	at(t, "startup/show", "startup", "show", path)
	golden.String(t, "startup/show.csv", good(t, "startup", "show", path, "--format", "csv"))
	golden.String(t, "startup/show.md", good(t, "startup", "show", path, "--format", "markdown"))
	validator(t)("startup", "startup", "show", path, "--json")
}

// TestStartupRanks: reports of several ranks become one.
// TestStartupOfRun: the reports of a run folder, whose name is no pattern, lie in its
// folder startup; show, the page and comparisons find them there.
func TestStartupOfRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run [1]*")
	if err := os.MkdirAll(filepath.Join(dir, "startup"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(startupFile(t, "a.json", vaeRun(0, false)))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "startup", "startup_rank0.json"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out := good(t, "startup", "show", dir); !strings.Contains(out, "vae.first_decode") {
		t.Errorf("shown:\n%s", out)
	}
	var run webui.Run
	(&watcher{args: []string{dir}}).describe(&run)
	if run.Startup == nil || len(run.Startup.Phases) != 10 {
		t.Errorf("the page has %v", run.Startup)
	}
}

func TestStartupRanks(t *testing.T) {
	var paths []string
	for i := range 2 {
		r := vaeRun(int64(10*i), false)
		r.Rank = &i
		r.Started += int64(i) * 1e6
		if i == 1 {
			r.Phases[9].Status, r.Phases[9].Error = startup.Error, "not \x1b[31mfinite"
		}
		paths = append(paths, startupFile(t, fmt.Sprintf("startup_rank%d.json", i), r))
	}
	out := good(t, append([]string{"startup", "show"}, paths...)...)
	golden.String(t, "startup/ranks.txt", out)
	if strings.Contains(out, "\x1b") {
		t.Error("an escape sequence came through")
	}
}

func TestStartupRefuses(t *testing.T) {
	for _, c := range []struct{ content, want string }{{"{}", "artifact_type"}, {"", "unexpected end"}} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := reel(t, "startup", "show", path); r.code != exitFailed || !strings.Contains(r.err, c.want) {
			t.Errorf("%q: %d %s", c.content, r.code, r.err)
		}
	}
	if r := reel(t, "startup", "show", t.TempDir()); r.code != exitFailed || !strings.Contains(r.err, "no startup*.json") {
		t.Errorf("%d %s", r.code, r.err)
	}
}
