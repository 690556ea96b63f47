package cli

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestProfileDemo runs the demo under reel profile: one run folder, and the tables of
// nsys stats show its ranges, as often as the run had them.
func TestProfileDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(asReel, "1")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := reel(t, "profile", "--no-summary", "--", exe, "demo", "--pipeline", "streaming", "--blocks", "3", "--steps", "2", "-o", "clip.gif")
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}
	dir := runFolder(t, "artifacts/profiles")
	rows, err := csv.NewReader(strings.NewReader(reel(t, "stats", dir, "--report", "nvtx_sum", "--format", "csv").out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	name, count := column(t, rows[0], "Range"), column(t, rows[0], "Instances")
	got := map[string]int{}
	for _, row := range rows[1:] {
		n, _ := strconv.Atoi(row[count])
		got[strings.TrimPrefix(row[name], ":")] += n
	}
	for want, n := range map[string]int{"model.step[0]": 1, "model.step[1]": 1, "model.step[2]": 1, "model.publish": 3,
		"pipeline.encode": 3, "pipeline.diffuse": 3, "pipeline.decode": 3, "pipeline.finalize": 3, "denoise[0]": 3, "denoise[1]": 3} {
		if got[want] != n {
			t.Errorf("%s: %d, want %d", want, got[want], n)
		}
	}
}

func column(t *testing.T, head []string, name string) int {
	t.Helper()
	for i, h := range head {
		if h == name {
			return i
		}
	}
	t.Fatalf("no column %q in %v", name, head)
	return 0
}
