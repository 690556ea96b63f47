package profilerout

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/golden"
	"reel/internal/samples"
)

// oracleFolder names the environment variable of a folder with more tables, made
// by testdata/torch_tables.py or kept by python/integration/run.sh.
const oracleFolder = "REEL_TORCH_TABLES"

// readOracle reads a report and the options that PyTorch printed it with.
func readOracle(t *testing.T, path string) (rep analyze.OpsReport, o Options) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := struct {
		Options *Options
		Report  *analyze.OpsReport
	}{&o, &rep}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if o.Sort, err = analyze.ParseOpsSort(string(o.Sort)); err != nil {
		t.Fatal(err)
	}
	return rep, o
}

// TestAsPyTorch compares with what PyTorch printed of the same rows.
func TestAsPyTorch(t *testing.T) {
	folders := []string{"testdata"}
	if more := os.Getenv(oracleFolder); more != "" {
		folders = append(folders, more)
	}
	seen := 0
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*.ops.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			rep, o := readOracle(t, path)
			want, err := os.ReadFile(strings.TrimSuffix(path, ".ops.json") + ".table.txt")
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := Write(&b, &rep, o); err != nil {
				t.Fatal(err)
			}
			if diff := golden.Diff(want, b.Bytes()); diff != "" {
				t.Errorf("%s: %s", path, diff)
			}
			seen++
		}
	}
	if seen < 7 {
		t.Errorf("only %d tables compared", seen)
	}
}

// TestLegacy compares with the table of PyTorch 1.13, whose rows are whole
// microseconds.
func TestLegacy(t *testing.T) {
	const sample = "torch/generated_torch113_tiny_dit_legacy.key_averages"
	data, err := os.ReadFile(samples.File(t, sample+".json"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(samples.File(t, sample+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Key     string
		Count   int64
		CPU     int64 `json:"cpu_time_total"`
		SelfCPU int64 `json:"self_cpu_time_total"`
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	var rep analyze.OpsReport
	for _, r := range rows {
		rep.Rows = append(rep.Rows, analyze.OpsRow{Name: r.Key, Count: r.Count, SelfCPU: 1000 * r.SelfCPU, CPU: 1000 * r.CPU})
		rep.SelfCPU += 1000 * r.SelfCPU
	}
	var b bytes.Buffer
	if err := Write(&b, &rep, Options{Sort: analyze.SortSelfCPU, Legacy: true}); err != nil {
		t.Fatal(err)
	}
	if diff := golden.Diff(want, b.Bytes()); diff != "" {
		t.Error(diff)
	}
}

// TestSeparateHeadings: PyTorch swaps the last two columns of such a table.
func TestSeparateHeadings(t *testing.T) {
	rep := analyze.OpsReport{Rows: []analyze.OpsRow{
		{Name: "aten::mm", Count: 1, SelfCPU: 10, CPU: 10, FLOPs: new(int64(2000)), Stack: []string{"a.py(1): f", "b.py(2): g"}},
		{Name: "bad\x1b[31m\nname", Count: 1, InputShapes: "[[1]]"},
	}, SelfCPU: 10}
	var b bytes.Buffer
	if err := Write(&b, &rep, Options{FLOPs: true}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "headings.txt", b.Bytes())
}

func TestMemoryOfOldVersions(t *testing.T) {
	rep := analyze.OpsReport{Rows: []analyze.OpsRow{{Name: "a", Count: 1, SelfCPUMemory: new(int64(-2048)), CPUMemory: new(int64(7))}}}
	var b bytes.Buffer
	if err := Write(&b, &rep, Options{Legacy: true}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "-2.00 Kb") || !strings.Contains(got, " 7 b") {
		t.Errorf("memory as old versions spell it:\n%s", got)
	}
}

// full fails after some bytes, as a disk does.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	rep := analyze.OpsReport{Rows: []analyze.OpsRow{{Name: "a"}}}
	if err := Write(&full{10}, &rep, Options{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if err := Write(&full{}, &analyze.OpsReport{}, Options{}); err != nil {
		t.Errorf("no rows are no table: %v", err)
	}
}
