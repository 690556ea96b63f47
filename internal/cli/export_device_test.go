package cli

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// xpuTrace is what PyTorch writes on Intel's devices, in the smallest form.
const xpuTrace = `{"schemaVersion":1,"deviceProperties":[],"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":30,"args":{"External id":5}},
{"ph":"X","cat":"xpu_runtime","name":"urEnqueueKernelLaunch","pid":1,"tid":1,"ts":12,"dur":3,"args":{"External id":5,"correlation":9}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":8,"args":{"External id":5,"correlation":9,"device":0,"stream":7}}]}`

// TestExportXPU checks that tables of an XPU's trace use its columns and headings.
func TestExportXPU(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "xpu.json")
	write(t, trace, xpuTrace)
	good(t, "export", trace, "--to", "xlsx,profiler-out")
	table, err := os.ReadFile(filepath.Join(dir, "profiler_out_0.txt"))
	if err != nil || !strings.Contains(string(table), "Self XPU time total: 8.000us") || strings.Contains(string(table), "CUDA") {
		t.Errorf("%v:\n%s", err, table)
	}
	// The column self_xpu_time_total_us is I: that of the kernel is in row 2.
	if sheet := zipped(t, filepath.Join(dir, "ops_rank0.xlsx"), "xl/worksheets/sheet1.xml"); !strings.Contains(sheet, `<c r="I2"`) || !strings.Contains(sheet, "DeviceType.XPU") {
		t.Errorf("no XPU time in %s", sheet)
	}
}

// zipped returns a part of an archive.
func zipped(t *testing.T, path, part string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(part)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
