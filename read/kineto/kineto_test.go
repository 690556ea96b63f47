package kineto

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/compress"
	"reel/internal/samples"
)

// read returns all events of a text, and the warnings of batches and source.
func read(t testing.TB, text string, opt Options) ([]event.Event, []event.Warning, *Source, error) {
	t.Helper()
	src, err := New(context.Background(), strings.NewReader(text), "test.json", opt)
	if err != nil {
		return nil, nil, nil, err
	}
	defer src.Close()
	var evs []event.Event
	var warn event.Warnings
	var b event.Batch
	for {
		err := src.Next(&b)
		for i := range b.Len() {
			evs = append(evs, b.Event(i))
		}
		for _, w := range b.Warnings {
			warn.Add(w)
		}
		if err != nil {
			for _, w := range src.Info().Warnings {
				warn.Add(w)
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return evs, warn.List(), src, err
		}
	}
}

var raceEnabled bool

// TestConformance compares every event of every sound sample, with all
// arguments, with what encoding/json reads.
func TestConformance(t *testing.T) {
	dir := samples.Shared(t)
	files, _ := filepath.Glob(filepath.Join(dir, "kineto", "*"))
	more, _ := filepath.Glob(filepath.Join(dir, "torch", "generated_*tiny_dit_legacy.json"))
	for _, path := range append(files, more...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			compareFile(t, path)
		})
	}
}

func compareFile(t *testing.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if raceEnabled && len(raw) > 256<<10 {
		t.Skip("large sample: compared without the race detector, which is fifteen times slower here")
	}
	z, err := compress.NewReader(compress.Sniff(raw), bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want := standard(t, text)
	src, err := New(context.Background(), bytes.NewReader(text), path, Options{AllArgs: true, Flows: true, Workers: 3, Chunk: 100 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	n := 0
	for ev, err := range event.All(src) {
		if err != nil {
			t.Fatal(err)
		}
		if n >= len(want) {
			t.Fatalf("more than %d events", len(want))
		}
		if msg := differs(ev, want[n]); msg != "" {
			t.Fatalf("event %d: %s\n%+v\n%v", n, msg, ev, want[n])
		}
		n++
	}
	if n != len(want) || src.Info().Events != int64(n) {
		t.Errorf("%d events (%d told), want %d", n, src.Info().Events, len(want))
	}
	if !src.Info().Complete || len(src.Info().Warnings) > 0 {
		t.Errorf("complete %v, warnings %v", src.Info().Complete, src.Info().Warnings)
	}
}

type standardEvent struct {
	Ph, Name, Cat string
	Ts, Dur       json.Number
	Args          map[string]any
}

func standard(t *testing.T, text []byte) []standardEvent {
	var root struct{ TraceEvents []standardEvent }
	var target any = &root
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		target = &root.TraceEvents
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(target); err != nil {
		t.Fatal(err)
	}
	return root.TraceEvents
}

// differs compares what both readings have in common; times exactly, by
// rational arithmetic.
func differs(ev event.Event, want standardEvent) string {
	if ev.Name != want.Name {
		return fmt.Sprintf("name %q, want %q", ev.Name, want.Name)
	}
	if ns := exactNs(want.Ts); want.Ph != "M" && ev.Start != ns {
		return fmt.Sprintf("start %d, want %d", ev.Start, ns)
	}
	if ns := exactNs(want.Dur); want.Ph == "X" && ev.Dur != ns {
		return fmt.Sprintf("dur %d, want %d", ev.Dur, ns)
	}
	if len(ev.Args) != len(want.Args) {
		return fmt.Sprintf("%d arguments, want %d", len(ev.Args), len(want.Args))
	}
	for _, a := range ev.Args {
		if msg := argDiffers(a, want.Args[a.Key]); msg != "" {
			return msg
		}
		n, isInt := a.Int()
		switch {
		case a.Key == "correlation" && isInt && want.Ph == "X" && ev.Link != n:
			return "link is not the correlation"
		case strings.EqualFold(a.Key, "External id") && isInt && want.Ph == "X" && ev.Op != n:
			return "op is not the External id"
		}
	}
	return ""
}

func argDiffers(a event.Arg, want any) string {
	switch v := want.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			if m, ok := a.Int(); ok && m == n {
				return ""
			}
		}
		f, err := v.Float64()
		if g, ok := a.Float(); err == nil && ok && f == g {
			return ""
		}
	case string:
		if a.Kind == event.ArgText && a.Text == v {
			return ""
		}
	default:
		var got any
		d := json.NewDecoder(strings.NewReader(a.Text))
		d.UseNumber()
		if d.Decode(&got) == nil && fmt.Sprint(got) == fmt.Sprint(want) {
			return ""
		}
	}
	return fmt.Sprintf("argument %s: %v, want %v", a.Key, a, want)
}

// exactNs cuts decimal microseconds to whole nanoseconds without a float.
func exactNs(n json.Number) int64 {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return 0
	}
	r.Mul(r, big.NewRat(1000, 1))
	return new(big.Int).Quo(r.Num(), r.Denom()).Int64()
}

// TestChunks reads the same text in pieces of every size, and with cuts at
// places that only look like the start of an event.
func TestChunks(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"schemaVersion": 1, "traceEvents": [`)
	for i := range 200 {
		if i > 0 {
			b.WriteString([]string{",", ", ", ",\n  ", " ,"}[i%4])
		}
		fmt.Fprintf(&b, `{"ph": "X", "cat": "cpu_op", "name": "op }, {\"ph\" %d", "pid": 1, "tid": 2, "ts": %d.%03d, "dur": 1,
  "args": {"list": [{"ph": "x"}, {"ph": "y", "name": "},{\"ph\":"}, {"name": %d}], "s": "}, {"}}`, i%7, i, i, i)
	}
	b.WriteString(`], "traceName": "x", "distributedInfo": {"rank": 3, "pg_config": [{"a": 1}, {"ph": 2}]}, "baseTimeNanoseconds": 5}`)
	want, _, _, err := read(t, b.String(), Options{AllArgs: true, Workers: 1})
	if err != nil || len(want) != 200 {
		t.Fatal(len(want), err)
	}
	for _, chunk := range []int{1, 7, 50, 64, 100, 127, 251, 500, 1000, 4096} {
		for _, workers := range []int{1, 4} {
			got, warn, src, err := read(t, b.String(), Options{AllArgs: true, Workers: workers, Chunk: chunk})
			if err != nil || len(warn) > 0 {
				t.Fatalf("chunk %d: %v %v", chunk, err, warn)
			}
			if !slices.EqualFunc(got, want, func(a, b event.Event) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
				t.Fatalf("chunk %d, %d workers: other events", chunk, workers)
			}
			info := src.Info()
			if info.Rank == nil || *info.Rank != 3 || info.Base == nil || *info.Base != 5 || !info.Complete {
				t.Errorf("chunk %d: keys behind the events were missed: %+v", chunk, info)
			}
		}
	}
}

// TestWholeFloats reads ids that went through a table of floats.
func TestWholeFloats(t *testing.T) {
	evs, _, _, err := read(t, `[{"ph":"X","cat":"kernel","name":"k","pid":0.0,"tid":7.0,"ts":1,"dur":2.0,"args":{"correlation":9.0,"External id":5.5}}]`, Options{AllArgs: true})
	if err != nil || len(evs) != 1 {
		t.Fatal(evs, err)
	}
	if e := evs[0]; e.Link != 9 || e.Op != 0 || e.Track != (event.Track{Place: event.Stream, A: 0, B: 7}) || e.Args[0].Kind != event.ArgFloat {
		t.Errorf("%+v", e)
	}
}
