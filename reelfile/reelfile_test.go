package reelfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"reel/event"
)

// create makes a recording in a fresh folder; it is closed with the test.
func create(t testing.TB, opt Options) *Writer {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "rec.reel"), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// contents reads a recording.
func contents(t testing.TB, path string) ([]event.Event, event.Info) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return drain(t, s), s.Info()
}

func drain(t testing.TB, s event.Source) (out []event.Event) {
	t.Helper()
	for e, err := range event.All(s) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func closed(t testing.TB, w *Writer) ([]event.Event, event.Info) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return contents(t, w.Path())
}

// warnings returns the codes of warnings with their counts: "dropped:12".
func warnings(i event.Info) string {
	var out []string
	for _, w := range i.Warnings {
		out = append(out, fmt.Sprintf("%s:%d", w.Code, w.Count))
	}
	return strings.Join(out, " ")
}

const sampleText = `
info   rank 3
track  model "model thread"
mark   request "early" at 0
range  step "model.step[12]" at 1.2ms for 41.8ms
track  cpu416/417 "python"
range  op "aten::mm" at 1.25ms for 40us id 31 args {"Input Dims": [[2, 3], [3,4]], "n": 7, "f": 2.5, "s": "é\n", "b": true}
range  runtime "cudaLaunchKernel" at 1.26ms for 20.001us cause 4711 id 31
range  stage annotation "long" at -5ns for 900000s
range  noclass "none" at 0ns
mark   devmem "[memory]" at 1.27ms value -512
track  cpu"CPU functions/1"
counter "load" at 2ms value 5
track  "two words"
counter "util" at 3ms value 88
track  gpu0/7 "stream 7"
gpu    kernel "attn_fwd" at 1.31ms for 3.02ms cause 4711
gpu    copy "Memcpy HtoD" at 5ms for 10us value 4096 cause 12
gpu    unsound "lost" at 0 for 1us
flow   "ac2g" at 1.26ms cause 4711
track  -
meta   "process_name" args {"name": "python"}
`

// lines writes events as text, sorted: order between tracks is the format's own.
func lines(t testing.TB, events []event.Event) []string {
	t.Helper()
	out := []string{}
	for _, e := range events {
		out = append(out, fmt.Sprintf("%+v", e))
	}
	slices.Sort(out)
	return out
}

func parse(t testing.TB, text string) []event.Event {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return drain(t, src)
}

// recorded writes events into a recording of its own.
func recorded(t testing.TB, opt Options, events []event.Event) (*Writer, []event.Event, event.Info) {
	t.Helper()
	opt.Clock = NanosecondClock()
	w := create(t, opt)
	a, err := NewAdder(w)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if ok, err := a.Add(e); !ok || err != nil {
			t.Fatalf("%+v: %v %v", e, ok, err)
		}
	}
	got, info := closed(t, w)
	return w, got, info
}

func TestRoundTrip(t *testing.T) {
	events := parse(t, sampleText)
	rank, world := 3, 8
	for _, heap := range []bool{false, true} {
		_, got, info := recorded(t, Options{Heap: heap, Rank: &rank, World: &world, Host: "node-1", Producer: "a test",
			Props: map[string]string{"torch": "2.9"}}, events)
		if g, w := lines(t, got), lines(t, events); !reflect.DeepEqual(g, w) {
			t.Errorf("heap %v: got\n%s\nwant\n%s", heap, strings.Join(g, "\n"), strings.Join(w, "\n"))
		}
		if *info.Rank != 3 || *info.WorldSize != 8 || info.Host != "node-1" || info.Producer != "a test" || info.Format != "reel" ||
			info.Props["torch"] != "2.9" || info.Props["pid"] != fmt.Sprint(os.Getpid()) || info.Props["mode"] != "full" ||
			!info.Complete || info.Base == nil || info.Events != int64(len(events)) || len(info.Warnings) > 0 {
			t.Errorf("heap %v: info %+v", heap, info)
		}
	}
}

// TestText checks that a recording becomes text and text a recording.
func TestText(t *testing.T) {
	w, got, _ := recorded(t, Options{}, parse(t, sampleText))
	s, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b bytes.Buffer
	if err := event.WriteText(&b, s); err != nil {
		t.Fatal(err)
	}
	if back := parse(t, b.String()); !reflect.DeepEqual(back, got) {
		t.Errorf("text:\n%s", b.String())
	}
}

func TestRecords(t *testing.T) {
	w := create(t, Options{Clock: NanosecondClock()})
	at := func(ns int64) uint64 { return uint64(w.start.mono + ns) }
	th := w.Track(event.Track{Place: event.Thread, A: 1, B: 2}, "main")
	name := w.Intern("model.step")
	s := th.Begin(Of(Range, name).Role(event.Step).With(Index), 12, at(1000))
	th.Mark(Of(Mark, w.Intern("present.frame")).With(Step), StepOf(0, 5), at(1100))
	th.Mark(Of(Mark, w.Intern("present.frame")).With(Step), StepOf(2, 5), at(1200))
	a := th.Begin(Of(Async, w.Intern("input.wait")).Timed(Host), 0, at(900))
	th.Write(Of(Counter, w.Intern("fps")).With(Float), int64(0x4039_0000_0000_0000), at(1300), 0) // 25.0
	in := th.BeginArgs(Of(Range, w.Intern("inner")).Timed(Synced), 0, at(1400), TextArg(w.Intern("k"), w.Intern("v")), IntArg(w.Intern("n"), -1))
	in.End(at(1500))
	s.End(at(2000))
	a.End(at(5000))
	th.Begin(Of(Range, w.Intern("open")), 0, at(4000))
	th.Rename("renamed")
	got, info := closed(t, w)
	want := parse(t, `
track cpu1/2 "renamed"
range step "model.step[12]" at 1us for 1us
mark "present.frame [step 5]" at 1.1us args {"step": 5, "generation": 0}
mark "present.frame [gen 2, step 5]" at 1.2us args {"step": 5, "generation": 2}
track input.wait
range "input.wait" at 900ns for 4.1us
track cpu1/2
counter "fps" at 1.3us value 25 args {"value": 25.0}
range "inner" at 1.4us for 100ns args {"k": "v", "n": -1, "timed": "synced"}
`)
	if n := len(got) - 1; n < 0 || !reflect.DeepEqual(got[:n], want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines(t, got), "\n"), strings.Join(lines(t, want), "\n"))
	}
	last := got[len(got)-1]
	if last.Name != "open" || last.Dur < 1000 || len(last.Args) != 1 || last.Args[0].Key != "unfinished" || warnings(info) != "unfinished:1" {
		t.Errorf("the open range is %+v, warnings %v", last, info.Warnings)
	}
}

func TestCreateFaults(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.reel")
	if err := os.WriteFile(path, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		opt  Options
		want string
	}{
		{path, Options{}, "file exists"},
		{"", Options{}, "no path"},
		{filepath.Join(dir, "no", "b"), Options{}, "no such file"},
		{filepath.Join(dir, "c"), Options{Chunk: 5000}, "power of two"},
		{filepath.Join(dir, "d"), Options{MaxBytes: 1000}, "four chunks"},
	} {
		if _, err := Create(c.path, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %+v: %v", c.path, c.opt, err)
		}
	}
	if b, _ := os.ReadFile(path); string(b) != "kept" {
		t.Error("an existing file was changed")
	}
}

func TestOpenFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "not a Reel recording",
		strings.Repeat("x", 2000):          "not a Reel recording",
		magic:                              "cut within the header",
		magic + string(make([]byte, 2000)): "layout version 0",
	} {
		_, err := New(strings.NewReader(text), int64(len(text)), "f")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder opened")
	}
	if _, err := New(strings.NewReader("x"), 1, "f"); !errors.Is(err, ErrNotRecording) {
		t.Error(err)
	}
	w, _, _ := recorded(t, Options{}, nil)
	s, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	var b event.Batch
	if err := s.Next(&b); err == nil || errors.Is(err, io.EOF) || s.Close() != nil {
		t.Error("read after close")
	}
}
