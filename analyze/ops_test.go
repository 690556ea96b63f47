package analyze

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/golden"
	"reel/timeline"
)

// opsTimeline builds the timeline of a text trace.
func opsTimeline(t testing.TB, text string) *timeline.Timeline {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: OpsArgs})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// opsOptions reads the options from a trace's first line: "# ops by=shape limit=3".
func opsOptions(t testing.TB, text string) (opt OpsOptions) {
	t.Helper()
	line, _, _ := strings.Cut(text, "\n")
	for _, f := range strings.Fields(line)[2:] {
		key, value, _ := strings.Cut(f, "=")
		var err error
		switch key {
		case "by":
			opt.By = OpsBy(value)
		case "sort":
			opt.Sort, err = ParseOpsSort(value)
		case "calls":
			_, err = fmt.Sscan(value, &opt.Calls)
		case "limit":
			_, err = fmt.Sscan(value, &opt.Limit)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return opt
}

// opsText writes a report for people, times in ns.
func opsText(rep OpsReport) string {
	var b strings.Builder
	num := func(p *int64) string {
		if p == nil {
			return "-"
		}
		return fmt.Sprint(*p)
	}
	fmt.Fprintf(&b, "by %s, sorted by %s, %d of %d rows\n", rep.By, rep.Sort, len(rep.Rows), rep.RowsTotal)
	fmt.Fprintf(&b, "%-34s %5s %8s %8s %9s %8s\n", "name", "count", "self cpu", "cpu", "self dev", "device")
	for _, r := range rep.Rows {
		name := r.Name
		if r.Annotation {
			name += " (annotation)"
		}
		if r.DeviceType == "device" {
			name = "* " + name
		}
		fmt.Fprintf(&b, "%-34s %5d %8d %8d %9s %8s", name, r.Count, r.SelfCPU, r.CPU, num(r.SelfDevice), num(r.Device))
		if r.SelfCPUMemory != nil {
			fmt.Fprintf(&b, "  memory cpu %s %s device %s %s", num(r.SelfCPUMemory), num(r.CPUMemory), num(r.SelfDeviceMemory), num(r.DeviceMemory))
		}
		if r.FLOPs != nil {
			fmt.Fprintf(&b, "  flops %d", *r.FLOPs)
		}
		if r.InputShapes != "" {
			b.WriteString("  " + r.InputShapes)
		}
		if r.Stack != nil {
			b.WriteString("  " + strings.Join(r.Stack, " < "))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "total self cpu %d, self device %s\n", rep.SelfCPU, num(rep.SelfDevice))
	for _, n := range rep.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}

func TestOpsFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/ops/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no text traces: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rep := Ops(opsTimeline(t, string(data)), opsOptions(t, string(data)))
			golden.String(t, "ops/"+name+".golden", opsText(rep))
		})
	}
}

func TestOpsJSON(t *testing.T) {
	tl := opsTimeline(t, "track cpu1/1\nrange op \"aten::mm\" at 0 for 5us\n")
	got, err := json.Marshal(Ops(tl, OpsOptions{}))
	want := `{"schema":"reel.ops/1","by":"name","sort":"self_cpu","rows":[{"name":"aten::mm","device_type":"cpu","count":1,` +
		`"self_cpu_ns":5000,"cpu_ns":5000}],"rows_total":1,"self_cpu_total_ns":5000}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if got, _ := json.Marshal(Ops(opsTimeline(t, ""), OpsOptions{}).Rows); string(got) != "[]" {
		t.Errorf("no rows must be an empty list, not %s", got)
	}
}

func TestParseOpsSort(t *testing.T) {
	for text, want := range map[string]OpsSort{
		"self_device": SortSelfDevice, "self_cuda_time_total": SortSelfDevice, "self_device_ns": SortSelfDevice,
		"cpu_time_total": SortCPU, "cpu_ns": SortCPU, "count": SortCount, "name": SortName, "cuda_memory_usage": SortDeviceMemory,
		"self_cpu_memory_bytes": SortSelfCPUMemory, "flops": SortFLOPs, "xpu_time_total": SortDevice,
	} {
		if got, err := ParseOpsSort(text); err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	if _, err := ParseOpsSort("speed"); err == nil || !strings.Contains(err.Error(), "self_device") {
		t.Errorf("an unknown column: %v", err)
	}
}
