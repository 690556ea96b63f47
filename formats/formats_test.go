package formats

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"reel/event"
	"reel/internal/compress"
)

const (
	traceJSON = `{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":1,"dur":2}]}`
	traceText = "# made by hand\n\ninfo rank 3\ntrack cpu1/2\nrange op \"a\" at 1us for 2us\n"
)

func pack(t *testing.T, kind compress.Kind, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := compress.NewWriter(kind, &b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func temp(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpen recognises formats by content, whatever the file is called.
func TestOpen(t *testing.T) {
	for name, c := range map[string][2]string{
		"a.json":       {traceJSON, "kineto"},
		"b.json.gz":    {pack(t, compress.Gzip, traceJSON), "kineto"},
		"c.json.zst":   {pack(t, compress.Zstd, traceJSON), "kineto"},
		"d.bin":        {"\xef\xbb\xbf \n" + traceJSON, "kineto"},
		"e.trace.txt":  {traceText, "text"},
		"f.txt.gz":     {pack(t, compress.Gzip, traceText), "text"},
		"g":            {traceText[16:], "text"},
		"h.array.json": {traceJSON[strings.IndexByte(traceJSON, '[') : len(traceJSON)-1], "kineto"},
	} {
		path := temp(t, name, c[0])
		var read atomic.Int64
		src, err := Open(context.Background(), path, Options{Progress: func(n int) { read.Add(int64(n)) }})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		for e, err := range event.All(src) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if e.Kind == event.Range && e.Name == "a" && e.Dur == 2000 {
				n++
			}
		}
		i := src.Info()
		if n != 1 || i.Format != c[1] || i.Path != path || i.Bytes != int64(len(c[0])) {
			t.Errorf("%s: %d ranges, format %s, path %s, %d bytes", name, n, i.Format, i.Path, i.Bytes)
		}
		if read.Load() != int64(len(c[0])) {
			t.Errorf("%s: told of %d bytes of %d", name, read.Load(), len(c[0]))
		}
		if err := src.Close(); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		unknown          bool
	}{
		{"empty.json", "", "the file is empty", true},
		{"x.json", `{"a":1}`, `it has no list "traceEvents": not a Chrome trace; Reel reads: PyTorch (Kineto) trace (.json,`, true},
		{"x.csv", "a,b\n1,2\n", "no trace that Reel knows; it reads: PyTorch (Kineto) trace", true},
		{"x.gz", pack(t, compress.Gzip, "hello"), "no trace that Reel knows", true},
		{"x.sqlite", "SQLite format 3\x00", "not an Nsight Systems export", true},
		{"x.trace.txt", "track cpu1/2\nrange nonsense\n", "line 2: ", false},
		{"comments.txt", "# only\n", "no trace that Reel knows", true},
	} {
		path := temp(t, c.name, c.text)
		_, err := Open(context.Background(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrUnknown) != c.unknown {
			t.Errorf("%s: %v; want %q, unknown %v", c.name, err, c.want, c.unknown)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "absent")} {
		if _, err := Open(context.Background(), path, Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestNotTraceAtTheEnd: only the end of a list tells that nothing in it is an event.
func TestNotTraceAtTheEnd(t *testing.T) {
	src, err := Open(context.Background(), temp(t, "list.json", `[{"key":1},{"key":2}]`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var b event.Batch
	for err == nil {
		err = src.Next(&b)
	}
	if !errors.Is(err, ErrUnknown) {
		t.Errorf("%v", err)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rank10.json.gz", "rank2.json.gz", "rank1.json", "RANK3.JSON.ZST", "run.json", "notes.md", "hand.trace.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	files, folder, err := Files(dir)
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if want := []string{"RANK3.JSON.ZST", "hand.trace.txt", "rank1.json", "rank2.json.gz", "rank10.json.gz"}; err != nil || !folder || !slices.Equal(files, want) {
		t.Errorf("%v, %v, %v; want %v", files, folder, err, want)
	}
	if files, folder, err := Files(filepath.Join(dir, "notes.md")); err != nil || folder || len(files) != 1 {
		t.Errorf("a file that is named is taken: %v, %v, %v", files, folder, err)
	}
	if _, _, err := Files(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no trace file in this folder") {
		t.Errorf("%v", err)
	}
}

func TestCompareNames(t *testing.T) {
	sorted := []string{"", "a", "a01", "a1", "a1b", "a2", "a10", "a10.json", "b"}
	for i := range sorted {
		for j := range sorted {
			got := CompareNames(sorted[i], sorted[j])
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("CompareNames(%q, %q) = %d", sorted[i], sorted[j], got)
			}
		}
	}
}

// FuzzOpen checks that no file panics.
func FuzzOpen(f *testing.F) {
	for _, s := range []string{traceJSON, traceText, "SQLite format 3\x00", "[", "\x1f\x8b\x08", "{\"traceEvents\":[{}]}"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		src, err := Open(context.Background(), path, Options{AllArgs: true})
		if err != nil {
			return
		}
		defer src.Close()
		for range event.All(src) {
		}
	})
}
