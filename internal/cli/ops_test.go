package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/golden"
	"reel/internal/samples"
)

func opsOf(t *testing.T, args ...string) *analyze.OpsReport {
	t.Helper()
	var r analyze.OpsReport
	if err := json.Unmarshal([]byte(good(t, append([]string{"ops", "--json"}, args...)...)), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestOpsText(t *testing.T) {
	at(t, "ops/tiny", "ops", "--limit", "12", tiny(t))
	at(t, "ops/tiny_shape", "ops", "--by", "shape", "--limit", "8", tiny(t))
	at(t, "ops/tiny_stack", "ops", "--by", "stack", "--limit", "8", "--sort", "self_cpu", tiny(t))
	golden.String(t, "ops/tiny.md", good(t, "ops", "--format", "markdown", "--limit", "6", tiny(t)))
	golden.String(t, "ops/tiny.csv", good(t, "ops", "--format", "csv", "--limit", "6", tiny(t)))
	if n := strings.Count(good(t, "ops", "--format", "csv", tiny(t)), "\n"); n != opsOf(t, tiny(t)).RowsTotal+1 {
		t.Errorf("CSV has %d lines; all rows are meant", n)
	}
}

// TestOpsKeyAverages compares with torch's own table of the same run.
func TestOpsKeyAverages(t *testing.T) {
	data, err := os.ReadFile(samples.File(t, "torch/generated_torch113_tiny_dit_legacy.key_averages.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		Key     string
		Count   int64
		CPU     int64 `json:"cpu_time_total"`      // µs
		SelfCPU int64 `json:"self_cpu_time_total"` // µs
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	rows := map[string]analyze.OpsRow{}
	for _, r := range opsOf(t, samples.File(t, "torch/generated_torch113_tiny_dit_legacy.json")).Rows {
		rows[r.Name] = r
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, torch has %d", len(rows), len(want))
	}
	for _, w := range want {
		if r := rows[w.Key]; r.Count != w.Count || r.CPU != w.CPU*1000 || r.SelfCPU != w.SelfCPU*1000 {
			t.Errorf("%s: %d calls, %d ns of %d; torch says %d, %d µs of %d", w.Key, r.Count, r.SelfCPU, r.CPU, w.Count, w.SelfCPU, w.CPU)
		}
	}
}

// TestOpsOfRanks: the table of several ranks is the sum of theirs.
func TestOpsOfRanks(t *testing.T) {
	a := samples.File(t, "multirank/param_dlrm_8gpu_worker0_step_12.1694128201545.pt.trace.json.gz")
	b := samples.File(t, "multirank/param_dlrm_8gpu_worker1_step_12.1694128201556.pt.trace.json.gz")
	both, one, two := opsOf(t, a, b), opsOf(t, a), opsOf(t, b)
	if both.SelfCPU != one.SelfCPU+two.SelfCPU || *both.SelfDevice != *one.SelfDevice+*two.SelfDevice {
		t.Errorf("totals %d and %d are not the sums", both.SelfCPU, *both.SelfDevice)
	}
	sum := map[string]int64{}
	for _, r := range append(one.Rows, two.Rows...) {
		sum[r.Name+r.DeviceType] += r.Count
	}
	for i, r := range both.Rows {
		if sum[r.Name+r.DeviceType] != r.Count && !r.Annotation {
			t.Errorf("%s: %d calls, want %d", r.Name, r.Count, sum[r.Name+r.DeviceType])
		}
		if i > 0 && *both.Rows[i-1].SelfDevice < *r.SelfDevice {
			t.Errorf("row %d is out of order", i)
		}
	}
	if few := opsOf(t, "--limit", "3", b, a); len(few.Rows) != 3 || few.RowsTotal != both.RowsTotal || few.Rows[0].Name != both.Rows[0].Name {
		t.Errorf("the first rows of the sum differ: %d of %d", len(few.Rows), few.RowsTotal)
	}
}
