package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"reel/internal/compress"
	"reel/internal/synth"
)

// TestExportPlaces checks what -o means.
func TestExportPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	madeTrace(t, "gpu.json", synth.Options{Steps: 2, Layers: 1})
	write(t, "cpu.json", `{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":5}]}`)
	good(t, "export", "cpu.json", "--to", "stacks", "-o", "stacks") // one file, but a folder as with a device
	if got := names(t, "stacks"); !slices.Equal(got, []string{"stacks_cpu_rank0.txt"}) {
		t.Errorf("stacks of a trace without a device: %q", got)
	}
	if r := reel(t, "export", "cpu.json", "--to", "stacks", "-o", "gpu.json", "--force"); r.code != 2 || !strings.Contains(r.err, "gpu.json is a file; stacks go to a folder") {
		t.Errorf("stacks over a file: exit %d, %s", r.code, r.err)
	}
	if out := good(t, "export", "cpu.json", "--to", "stacks", "-o", "-"); out != "a 5\n" {
		t.Errorf("stacks on standard output: %q", out)
	}
	for _, c := range []struct{ format, out, magic string }{
		{"xlsx", "a.xlsx.gz", "\x1f\x8b"}, {"pprof", "b.pb.gz", "\x1f\x8b"}, {"pprof", "b.pb", "\x1f\x8b"}, {"xlsx", "a.xlsx", "PK"}, {"parquet", "run", ""},
	} {
		good(t, "export", "gpu.json", "--to", c.format, "-o", c.out)
		if b, _ := os.ReadFile(c.out); !strings.HasPrefix(string(b), c.magic) {
			t.Errorf("%s begins with %q, want %q", c.out, b[:min(4, len(b))], c.magic)
		}
	}
	f, err := os.Open("b.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := compress.NewReader(compress.Gzip, f)
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 2)
	if _, err := z.Read(head); err != nil || string(head) == "\x1f\x8b" {
		t.Errorf("b.pb.gz is compressed twice: %q, %v", head, err)
	}
	if r := reel(t, "export", "gpu.json", "--to", "chrome", "--to", "1ms", "--to", "2ms"); r.code != 2 || !strings.Contains(r.err, "the cut ends at 1.00 ms already") {
		t.Errorf("two ends: exit %d, %s", r.code, r.err)
	}
}

// TestExportLinks writes where a link leads, and keeps it; what is no file is
// written in place, with nothing about it on standard output.
func TestExportLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	madeTrace(t, "trace.json", synth.Options{Steps: 2, Layers: 1})
	if err := os.Mkdir("there", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "there/old.html", "old")
	if err := os.Symlink("there/old.html", "link.html"); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	good(t, "export", "trace.json", "--to", "html", "-o", "link.html", "--force")
	st, err := os.Lstat("link.html")
	page, _ := os.ReadFile("there/old.html")
	if err != nil || st.Mode()&os.ModeSymlink == 0 || !strings.Contains(string(page), "</html>") {
		t.Errorf("the link: %v, %v; behind it %.20q", st, err, page)
	}
	if runtime.GOOS != "windows" {
		if r := reel(t, "export", "trace.json", "--to", "html", "-o", os.DevNull); r.code != 0 || r.out != "" || !strings.Contains(r.err, os.DevNull+"  ") {
			t.Errorf("in place: exit %d, %q, %q", r.code, r.out, r.err)
		}
	}
	if got := names(t, "."); len(got) != 4 {
		t.Errorf("files %q", got)
	}
}

// TestExportDamaged says what is wrong with the source, whatever it is written as.
func TestExportDamaged(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "cut.json", `{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":5},{"ph":"X","na`)
	for _, f := range []string{"chrome", "perfetto", "xlsx"} {
		r := reel(t, "export", "cut.json", "--to", f)
		if r.code != 0 || !strings.Contains(r.err, "reel export: cut.json: event 1: the text ends inside an event\n") {
			t.Errorf("%s: exit %d, %s", f, r.code, r.err)
		}
	}
}

// TestExportForbidden names the file that was asked for, not the one beside it.
func TestExportForbidden(t *testing.T) {
	dir := t.TempDir()
	if _, err := makeTemp(filepath.Join(dir, "absent", "x.json")); err == nil || !strings.Contains(err.Error(), filepath.Join("absent", "x.json: ")) {
		t.Errorf("error %v", err)
	}
}
