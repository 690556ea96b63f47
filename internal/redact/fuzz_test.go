package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzJSON redacts any text as JSON: nothing panics, valid JSON stays valid with as
// many values, what was learned is gone, and once more changes nothing.
func FuzzJSON(f *testing.F) {
	f.Add(trace)
	f.Add(`{"env":{"A_TOKEN":"\"}{["},"traceEvents":[{"name":"\"}{[ \u0000"}]}`)
	f.Add(`{"host":"abc\u0000=def\u0000","a":["--token","x"],"cmd":["--token","xxxxxxx",{"b":1}]`)
	f.Add("\"\\")
	f.Fuzz(func(t *testing.T, text string) {
		facts := newFacts()
		if err := (&jsonCopy{f: facts}).run(strings.NewReader(text)); err != nil {
			return
		}
		var out, again bytes.Buffer
		if err := (&jsonCopy{f: facts, t: tally{}, out: &out}).run(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if err := (&jsonCopy{f: facts, t: tally{}, out: &again}).run(bytes.NewReader(out.Bytes())); err != nil {
			t.Fatal(err)
		}
		if json.Valid([]byte(text)) {
			if !json.Valid(out.Bytes()) {
				t.Fatalf("%q became %q", text, out.String())
			}
			var a, b any
			if json.Unmarshal([]byte(text), &a) == nil && json.Unmarshal(out.Bytes(), &b) == nil && values(a) != values(b) {
				t.Fatalf("%q has other values: %q", text, out.String())
			}
			if err := facts.verify(bytes.NewReader(out.Bytes())); err != nil && !learnedMarks(facts) {
				t.Fatalf("%q became %q: %v", text, out.String(), err)
			}
		}
	})
}

// learnedMarks reports whether a learned value is a part of the marks.
func learnedMarks(f *facts) bool {
	list, _ := f.leftovers()
	return slices.ContainsFunc(list, func(v known) bool { return inMarks(string(v.text)) })
}

// values counts the values of a document; equal keys of an object count once.
func values(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		return 1 // secrets in keys may make two of them equal
	case []any:
		for _, x := range v {
			n += values(x)
		}
	}
	return n + 1
}

// FuzzExport redacts damaged databases: nothing panics, and what comes out holds no
// secret that was learned.
func FuzzExport(f *testing.F) {
	path := export(f, f.TempDir()+"/a.sqlite")
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(8) {
		f.Add(seed, uint16(seed*3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		data := bytes.Clone(whole)
		for range n % 64 {
			at := rnd.IntN(len(data))
			if rnd.IntN(3) == 0 {
				at = rnd.IntN(min(len(data), 4096))
			}
			data[at] = byte(rnd.Uint32())
		}
		dir := t.TempDir()
		in := put(t, dir+"/in.sqlite", data)
		_, err := Run(context.Background(), in, dir+"/out.sqlite", Options{})
		list, _ := os.ReadDir(dir)
		if err != nil {
			if len(list) != 1 && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("after %v there lie %v", err, list)
			}
			return
		}
		facts := newFacts()
		if form, err := formOf(in); err == nil && form.learn(context.Background(), in, facts) == nil {
			if err := checkBytes(filepath.Join(dir, "out.sqlite"), facts); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzRecording redacts damaged recordings: nothing panics, the length stays.
func FuzzRecording(f *testing.F) {
	whole, err := os.ReadFile(recorded(f, f.TempDir()+"/a.reel"))
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(8) {
		f.Add(seed, uint16(seed*3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		data := bytes.Clone(whole)
		for range n % 64 {
			data[rnd.IntN(len(data))] = byte(rnd.Uint32())
		}
		dir := t.TempDir()
		out := dir + "/out.reel"
		if _, err := Run(context.Background(), put(t, dir+"/in.reel", data), out, Options{}); err != nil {
			return
		}
		if st, err := os.Stat(out); err != nil || st.Size() != int64(len(data)) {
			t.Fatalf("%v, %v", st, err)
		}
	})
}

// BenchmarkJSON takes a trace through both passes.
func BenchmarkJSON(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(`{"traceEvents":[`)
	for range 20_000 {
		text.WriteString(`{"ph": "X", "cat": "cpu_op", "name": "aten::scaled_dot_product_attention", "pid": 1234, "tid": 1234, "ts": 1234567.891, "dur": 12.345, "args": {"External id": 4711, "Input Dims": [[2, 3], [3, 4]], "Fwd thread id": 0}},` + "\n")
	}
	text.WriteString(`{}]}`)
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		f := newFacts()
		if err := (&jsonCopy{f: f}).run(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
		if err := (&jsonCopy{f: f, t: tally{}, out: discard{}}).run(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
