package profilerout

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reel/analyze"
)

// TestIntegration compares with the tables of real runs that the folder holds.
func TestIntegration(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(os.Getenv(oracleFolder), "*.rows.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 || os.Getenv(oracleFolder) == "" {
		t.Skip("no rows of real runs: " + oracleFolder + " names no folder that holds some")
	}
	for _, path := range paths {
		rep := readRows(t, path)
		want, err := os.ReadFile(strings.TrimSuffix(path, ".rows.json") + ".table.txt")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Write(&b, rep, Options{Sort: analyze.SortName, Limit: -1, FLOPs: true}); err != nil {
			t.Fatal(err)
		}
		cells, halves := compareCells(t, path, want, b.Bytes())
		t.Logf("%s: %d cells, %d of them rounded the other way", filepath.Base(path), cells, halves)
	}
}

// compareCells counts the cells of two tables, and those that differ by one in the
// last digit: PyTorch adds up floats, so that an exact half may lie on either
// side of it.
func compareCells(t *testing.T, path string, want, got []byte) (cells, halves int) {
	t.Helper()
	w, g := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	if len(w) != len(g) {
		t.Fatalf("%s: %d lines, PyTorch has %d", path, len(g), len(w))
	}
	for i := range w {
		x, y := strings.Fields(string(w[i])), strings.Fields(string(g[i]))
		if len(x) != len(y) || len(w[i]) != len(g[i]) {
			t.Fatalf("%s: line %d: %q, PyTorch has %q", path, i+1, g[i], w[i])
		}
		for k := range x {
			if cells++; x[k] == y[k] {
				continue
			}
			if halves++; !nearly(x[k], y[k]) {
				t.Errorf("%s: line %d: %s, PyTorch has %s", path, i+1, y[k], x[k])
			}
		}
	}
	return cells, halves
}

// nearly says that two numbers of one unit differ by one in the last digit.
func nearly(a, b string) bool {
	x, unit := splitNumber(a)
	y, other := splitNumber(b)
	return unit == other && math.Abs(x-y) < 1.5e-3
}

func splitNumber(s string) (v float64, unit string) {
	unit = strings.TrimLeft(s, "-.0123456789")
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, unit), 64)
	if err != nil {
		return 0, s
	}
	return v, unit
}

// readRows reads the rows by name that PyTorch gave, which are in microseconds.
func readRows(t *testing.T, path string) *analyze.OpsReport {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Total float64 `json:"self_cpu_total_us"`
		Rows  struct {
			Name []struct {
				analyze.OpsRow
				SelfCPU float64 `json:"self_cpu_us"`
				CPU     float64 `json:"cpu_us"`
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	nanos := func(us float64) int64 { return int64(math.Round(1000 * us)) }
	rep := &analyze.OpsReport{SelfCPU: nanos(doc.Total)}
	for _, r := range doc.Rows.Name {
		r.OpsRow.SelfCPU, r.OpsRow.CPU = nanos(r.SelfCPU), nanos(r.CPU)
		rep.Rows = append(rep.Rows, r.OpsRow)
	}
	return rep
}
