package formats

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// standIn puts a program nsys on the PATH: it writes the export at from where it is told to,
// as its documentation has the command, and fails on anything else.
func standIn(t *testing.T, from string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = export ] && [ \"$2\" = --type=sqlite ] && [ $# = 4 ] || exit 9\n" +
		"[ -s \"$4\" ] || { echo \"empty report\" >&2; exit 3; }\nexec cp '" + from + "' \"${3#--output=}\"\n"
	if err := os.WriteFile(filepath.Join(dir, "nsys"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestReport: a report is exported by nsys once, beside it, and read from there.
func TestReport(t *testing.T) {
	standIn(t, exportFile(t, "ranks"))
	dir := t.TempDir()
	report := filepath.Join(dir, "a run.nsys-rep")
	if err := os.WriteFile(report, []byte("opaque"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n := len(Parts(context.Background(), report)); n != 2 {
			t.Fatalf("%d ranks", n)
		}
		src, err := Open(context.Background(), report, Options{Process: 112})
		if err != nil {
			t.Fatal(err)
		}
		src.Close()
	}
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"a run.nsys-rep", "a run.sqlite"}) {
		t.Errorf("files %q", names)
	}
	if files, _, err := Files(dir); err != nil || len(files) != 1 || filepath.Base(files[0]) != "a run.sqlite" {
		t.Errorf("the folder stands for %q, %v", files, err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(report, later, later); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), report, Options{}); err == nil || !strings.Contains(err.Error(), "is older") {
		t.Errorf("a stale export: %v", err)
	}
}

// TestReportWithout: without nsys, or where it fails, the message says what to do.
func TestReportWithout(t *testing.T) {
	report := temp(t, "x.nsys-rep", "opaque")
	t.Setenv("PATH", t.TempDir())
	_, err := Open(context.Background(), report, Options{})
	if err == nil || !strings.Contains(err.Error(), "nsys export --type=sqlite --output=x.sqlite x.nsys-rep") {
		t.Errorf("%v", err)
	}
	if _, err := Open(context.Background(), filepath.Join(t.TempDir(), "absent.nsys-rep"), Options{}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

func TestReportFails(t *testing.T) {
	standIn(t, "/nowhere")
	report := temp(t, "x.nsys-rep", "")
	if _, err := Open(context.Background(), report, Options{}); err == nil || !strings.Contains(err.Error(), "empty report") {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(report)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}
