package nsys

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/golden"
	"reel/internal/nsysgen"
)

// generated writes a synthetic export and returns its bytes.
func generated(t testing.TB, name string, schema nsysgen.Schema) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".sqlite")
	if err := nsysgen.Write(context.Background(), path, name, schema); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// source opens a rank of an export in memory.
func source(t testing.TB, b []byte, name string, opt Options) *Source {
	t.Helper()
	s, err := New(context.Background(), bytes.NewReader(b), int64(len(b)), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// text writes all ranks of an export in the text form, warnings included.
func text(t *testing.T, b []byte, opt Options) []byte {
	t.Helper()
	ranks, err := Ranks(context.Background(), bytes.NewReader(b), int64(len(b)), "x.sqlite")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, r := range ranks {
		fmt.Fprintf(&out, "# process %d %q, device %d\n", r.Process, r.Name, r.Device)
		opt.Process = r.Process
		s := source(t, b, "x.sqlite", opt)
		if err := event.WriteText(&out, s); err != nil {
			t.Error(err)
		}
		for _, w := range s.Info().Warnings {
			fmt.Fprintf(&out, "# %s: %s\n", w.Code, w)
		}
		if s.Info().Events == 0 {
			t.Error("no event was counted")
		}
	}
	return out.Bytes()
}

// TestCases reads the synthetic exports of both generations: goldens of every event.
func TestCases(t *testing.T) {
	for _, schema := range []nsysgen.Schema{nsysgen.New, nsysgen.Old} {
		for _, name := range nsysgen.Cases() {
			t.Run(string(schema)+"/"+name, func(t *testing.T) {
				b := generated(t, name, schema)
				got := text(t, b, Options{AllArgs: true, Workers: 1})
				golden.Check(t, string(schema)+"/"+name+".txt", got)
				if cut := text(t, b, Options{AllArgs: true, Workers: 3, Chunk: 2}); !bytes.Equal(cut, got) {
					t.Errorf("in small tasks and with several workers it reads differently:\n%s", cut)
				}
			})
		}
	}
}

// TestWrongProcess: a rank that the file does not have.
func TestWrongProcess(t *testing.T) {
	b := generated(t, "ranks", nsysgen.New)
	if _, err := New(context.Background(), bytes.NewReader(b), int64(len(b)), "x.sqlite", Options{Process: 7}); err == nil || !strings.Contains(err.Error(), "process 7 is no rank") {
		t.Errorf("%v", err)
	}
}

// TestRawNames: names are kept as they are where nobody may touch them.
func TestRawNames(t *testing.T) {
	s := source(t, generated(t, "names", nsysgen.New), "x", Options{RawNames: true})
	found := false
	for e, err := range event.All(s) {
		if err != nil {
			t.Fatal(err)
		}
		found = found || e.Name == "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3]]" && e.Class == event.Op
	}
	if !found {
		t.Error("the operator's full name is not there")
	}
}

func TestCallName(t *testing.T) {
	for name, want := range map[string]string{"cudaLaunchKernel_v7000": "cudaLaunchKernel", "cudaGraphLaunch_v10000": "cudaGraphLaunch_v10000",
		"cuMemFree_v2": "cuMemFree_v2", "_v7000": "_v7000", "": "", "cudaFree_v3020x": "cudaFree_v3020x"} {
		if got := string(callName([]byte(name))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	if g := int64(1)<<48 | 111<<24 | 4711; pidOf(g) != 111 || tidOf(g) != 4711 || isHost(g) {
		t.Errorf("%d %d", pidOf(g), tidOf(g))
	}
	if pidOf(-144115188075855872) != 0 || !isHost(-144115188075855872) {
		t.Error("the host's id")
	}
}

// TestClose: closing early, twice, and with the context gone.
func TestClose(t *testing.T) {
	b := generated(t, "pipeline", nsysgen.New)
	s := source(t, b, "x", Options{Chunk: 1})
	var batch event.Batch
	if err := s.Next(&batch); err != nil || batch.Len() == 0 {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	if err := s.Next(&batch); err == nil || batch.Len() != 0 {
		t.Errorf("after close: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := New(ctx, bytes.NewReader(b), int64(len(b)), "x", Options{Chunk: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cancel()
	for err == nil {
		err = s.Next(&batch)
	}
	if err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "x.sqlite")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{text: "not an Nsight Systems export", dir: "is a folder", filepath.Join(dir, "absent"): "no such file"} {
		if _, err := Open(context.Background(), path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// BenchmarkRead reads an export of 100,000 rows in each of the three big tables.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "big.sqlite")
	if err := nsysgen.WriteBig(context.Background(), path, nsysgen.Big{Rows: 100_000}); err != nil {
		b.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(st.Size())
	b.ReportAllocs()
	var batch event.Batch
	for b.Loop() {
		s, err := Open(context.Background(), path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			err = s.Next(&batch)
		}
		if err != io.EOF || s.Info().Events != 300_000 {
			b.Fatal(err, s.Info().Events)
		}
		s.Close()
	}
}
