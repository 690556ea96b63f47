package xlsx

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"reel/analyze"
	"reel/internal/golden"
)

// keepFile names the environment variable of the file that TestSample leaves its
// workbook in.
const keepFile = "REEL_KEEP_XLSX"

// sample is a small run on a device, by one grouping.
func sample(by analyze.OpsBy) *analyze.OpsReport {
	row := func(name string, calls, selfCPU, cpu, selfDevice, device int64) analyze.OpsRow {
		return analyze.OpsRow{Name: name, DeviceType: "cpu", Count: calls, SelfCPU: selfCPU, CPU: cpu, SelfDevice: &selfDevice, Device: &device,
			SelfCPUMemory: new(int64(0)), CPUMemory: new(int64(4096)), SelfDeviceMemory: new(-calls), DeviceMemory: new(int64(1 << 33))}
	}
	kernel := func(name string, calls, time int64) analyze.OpsRow {
		return analyze.OpsRow{Name: name, DeviceType: "device", Count: calls, SelfDevice: &time, Device: &time}
	}
	rep := &analyze.OpsReport{By: by, SelfDevice: new(int64(2_103_000_999)), Rows: []analyze.OpsRow{
		row("aten::linear", 12, 64_064, 963_564, 0, 2_000_000_499),
		row("aten::addmm", 12, 400_123, 899_500, 2_000_000_499, 2_000_000_499),
		kernel("ampere_sgemm_128x64_tn", 12, 2_000_000_499),
		kernel("void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor>(int, at::native::GeluFunctor)", 7, 100_000_500),
		row("=HYPERLINK(\"http://example.com\")", 1, 1_000, 1_000, 0, 0),
		row("+1 -1 @SUM _x0041_ \x1b[31m\tred", 2, 2_000, 2_000, 0, 0),
		kernel("Memcpy DtoH (Device -> Pageable)", 2, 3_000_000),
		row("größe::名前", 1, 7, 7, 0, 0),
	}, Notes: []string{"2 of 21 device activities belong to no operator: they are in the device rows only"}}
	switch by {
	case analyze.OpsByShape:
		rep.Rows[0].InputShapes, rep.Rows[1].InputShapes = "[[2, 3], [3, 4]]", "[[4], [2, 3], [3, 4]]"
	case analyze.OpsByStack:
		rep.Rows[0].Stack = []string{"torch/nn/modules/linear.py(125): forward", "pipeline.py(912): __call__", "main.py(1): <module>"}
		rep.Rows[1].Stack = rep.Rows[0].Stack[1:]
	}
	for _, r := range rep.Rows {
		rep.SelfCPU += r.SelfCPU
	}
	rep.RowsTotal = len(rep.Rows)
	return rep
}

// workbook writes reports and returns the archive.
func workbook(t *testing.T, o Options, reports ...*analyze.OpsReport) []byte {
	t.Helper()
	o.TempDir = t.TempDir()
	var b bytes.Buffer
	if err := Write(&b, o, reports...); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(o.TempDir)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	return b.Bytes()
}

// open reads a workbook with the library.
func open(t *testing.T, data []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// cells writes a sheet as CSV.
func cells(t *testing.T, f *excelize.File, sheet string) []byte {
	t.Helper()
	rows, err := f.GetRows(sheet)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, r := range rows {
		r = append(r, make([]string, len(columns)-len(r))...)
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return b.Bytes()
}

var all = []analyze.OpsBy{analyze.OpsByName, analyze.OpsByShape, analyze.OpsByStack}

// TestSample compares every cell. scripts/check-xlsx.sh compares the same files
// with what LibreOffice reads.
func TestSample(t *testing.T) {
	data := workbook(t, Options{}, sample(all[0]), sample(all[1]), sample(all[2]))
	if path := os.Getenv(keepFile); path != "" {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, data)
	if got := strings.Join(f.GetSheetList(), " "); got != "summary by_shape by_stack" {
		t.Errorf("sheets %s", got)
	}
	for _, sheet := range f.GetSheetList() {
		golden.Check(t, "sample-"+sheet+".csv", cells(t, f, sheet))
	}
}

// TestParts compares what lies in the archive, text for text.
func TestParts(t *testing.T) {
	rep := sample(analyze.OpsByName)
	rep.Rows = rep.Rows[:5]
	data := workbook(t, Options{}, rep)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, part := range z.File {
		fmt.Fprintf(&b, "== %s\n", part.Name)
		if i == 0 && part.Name != "[Content_Types].xml" {
			t.Errorf("the first part is %s", part.Name)
		}
		if strings.Contains(part.Name, "theme") || strings.Contains(part.Name, "styles") {
			continue // long, and mostly not ours
		}
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.ReplaceAll(string(text), "><", ">\n<") + "\n")
		if strings.Contains(string(text), "<f>") {
			t.Errorf("%s holds a formula", part.Name)
		}
	}
	golden.String(t, "parts.txt", b.String())
}

func TestEqualReportsGiveEqualBytes(t *testing.T) {
	first := workbook(t, Options{}, sample(all[0]), sample(all[1]), sample(all[2]))
	for range 8 {
		if !bytes.Equal(first, workbook(t, Options{}, sample(all[0]), sample(all[1]), sample(all[2]))) {
			t.Fatal("the bytes differ")
		}
	}
}

func TestSheetsOfWhatWasRecorded(t *testing.T) {
	host := &analyze.OpsReport{By: analyze.OpsByName, SelfCPU: 3000, RowsTotal: 2, Rows: []analyze.OpsRow{
		{Name: "a", DeviceType: "cpu", Count: 1, SelfCPU: 1000, CPU: 3000}, {Name: "b", DeviceType: "cpu", Count: 2, SelfCPU: 2000, CPU: 2000}}}
	byShape, byStack := *host, *host
	byShape.By, byStack.By = analyze.OpsByShape, analyze.OpsByStack
	f := open(t, workbook(t, Options{}, host, &byShape, &byStack))
	if got := f.GetSheetList(); len(got) != 1 || got[0] != "summary" {
		t.Errorf("sheets %v", got)
	}
	golden.Check(t, "host.csv", cells(t, f, "summary"))
	empty := open(t, workbook(t, Options{}, &analyze.OpsReport{By: analyze.OpsByName}))
	golden.Check(t, "empty.csv", cells(t, empty, "summary"))
}

func TestXPU(t *testing.T) {
	f := open(t, workbook(t, Options{Device: "XPU"}, sample(analyze.OpsByName)))
	golden.Check(t, "xpu.csv", cells(t, f, "summary"))
}
