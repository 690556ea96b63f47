package analyze

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/read/kineto"
	"reel/timeline"
)

// torchDump is what python/integration/pipelines.py writes beside a trace: the
// rows of torch's key_averages, by grouping.
type torchDump struct {
	Depth   int     `json:"stack_depth"`
	SelfCPU float64 `json:"self_cpu_total_us"`
	Rows    map[OpsBy][]torchRow
}

type torchRow struct {
	Name          string
	Annotation    bool `json:"user_annotation"`
	Count         int64
	SelfCPU       float64         `json:"self_cpu_us"`
	CPU           float64         `json:"cpu_us"`
	SelfCPUMemory int64           `json:"self_cpu_memory_bytes"`
	CPUMemory     int64           `json:"cpu_memory_bytes"`
	Shapes        json.RawMessage `json:"input_shapes"`
	Stack         []string
	FLOPs         int64
}

// TestOpsTorch compares every row with those of the torch that wrote the trace:
// pipelines.py FOLDER rules rules-bare, header's host and path replaced.
func TestOpsTorch(t *testing.T) {
	files, err := filepath.Glob("testdata/torch/*.rows.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	for _, file := range files {
		dump := readTorchDump(t, file)
		for by, want := range dump.Rows {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".rows.json.gz")+"/"+string(by), func(t *testing.T) {
				opt := OpsOptions{By: by, Calls: dump.Depth}
				rep := Ops(traceFile(t, strings.Replace(file, ".rows", "", 1), opt.Args()...), opt)
				compareTorch(t, rep, want)
				if ns := math.Round(dump.SelfCPU * 1000); math.Abs(float64(rep.SelfCPU)-ns) > 1 {
					t.Errorf("self CPU total %d ns, torch says %.0f", rep.SelfCPU, ns)
				}
			})
		}
	}
}

func compareTorch(t *testing.T, rep OpsReport, want []torchRow) {
	rows := map[string]OpsRow{}
	for _, r := range rep.Rows {
		rows[fmt.Sprint(r.Name, r.Annotation, r.InputShapes, r.Stack)] = r
	}
	if len(rows) != len(want) || len(rep.Rows) != len(want) {
		t.Errorf("%d rows, torch has %d", len(rep.Rows), len(want))
	}
	for _, w := range want {
		shapes := string(w.Shapes)
		if shapes == `""` || shapes == "[]" {
			shapes = ""
		}
		r, ok := rows[fmt.Sprint(w.Name, w.Annotation, shapes, w.Stack)]
		if !ok {
			t.Errorf("no row %s %s %q", w.Name, shapes, w.Stack)
			continue
		}
		got := [6]int64{r.Count, r.SelfCPU, r.CPU, *r.SelfCPUMemory, *r.CPUMemory}
		if r.FLOPs != nil {
			got[5] = *r.FLOPs
		}
		ns := func(us float64) int64 { return int64(math.Round(us * 1000)) }
		if torch := [6]int64{w.Count, ns(w.SelfCPU), ns(w.CPU), w.SelfCPUMemory, w.CPUMemory, w.FLOPs}; got != torch {
			t.Errorf("%s %s: %d, torch says %d (count, self and CPU time, self and CPU memory, FLOPs)", w.Name, shapes, got, torch)
		}
	}
}

func readTorchDump(t *testing.T, file string) (d torchDump) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(&d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// traceFile builds the timeline of a Kineto trace.
func traceFile(t testing.TB, path string, args ...string) *timeline.Timeline {
	t.Helper()
	src, err := kineto.Open(context.Background(), path, kineto.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	early := OpsCountsPython(src.Info())
	tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	if early != OpsCountsPython(tl.Info) {
		t.Errorf("%s: before the events the header said %v", path, early)
	}
	return tl
}

// TestOpsDeviceType checks which allocations are the host's: those on the CPU, for
// MKLDNN and for IDEEP, by the numbers of c10::DeviceType.
func TestOpsDeviceType(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":100}`)
	for i, device := range []int{0, 2, 5, 1, 6, 12, 20} {
		fmt.Fprintf(&text, `,{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":%d,"args":{"Device Type":%d,"Bytes":%d}}`, i, device, 1<<i)
	}
	path := filepath.Join(t.TempDir(), "trace.json")
	if err := os.WriteFile(path, []byte(text.String()+"]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Ops(traceFile(t, path), OpsOptions{}).Rows[0]
	if *r.CPUMemory != 1+2+4 || *r.DeviceMemory != 8+16+32+64 {
		t.Errorf("host %d, device %d bytes", *r.CPUMemory, *r.DeviceMemory)
	}
}
