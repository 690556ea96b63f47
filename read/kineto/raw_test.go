package kineto

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/compress"
	"reel/internal/samples"
)

// rawText puts a trace together again: its head, events with what stands between
// them, and tail.
func rawText(t testing.TB, r *Raw) (text []byte, events []RawEvent, texts [][]byte) {
	t.Helper()
	text = append(text, r.Head()...)
	for {
		b, err := r.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for i := range b.Events {
			e := &b.Events[i]
			if e.Lost {
				continue
			}
			if len(events) > 0 {
				text = append(text, ',')
			}
			text = append(text, e.Text(&b)...)
			events, texts = append(events, *e), append(texts, bytes.Clone(e.Text(&b)))
		}
		if err != nil {
			return append(text, r.Tail()...), events, texts
		}
	}
}

func openRaw(t testing.TB, text []byte, opt Options) *Raw {
	t.Helper()
	r, err := NewRaw(context.Background(), bytes.NewReader(text), "test.json", opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func inflated(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := compress.NewReader(compress.Sniff(raw), bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(z) // of a cut file, what there is
	return text
}

// list returns the items of a trace's list of events, and its other keys.
func list(t testing.TB, text []byte) (items []json.RawMessage, keys map[string]json.RawMessage) {
	t.Helper()
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if err := json.Unmarshal(text, &items); err != nil {
			t.Fatal(err)
		}
		return items, nil
	}
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(keys["traceEvents"], &items); err != nil {
		t.Fatal(err)
	}
	delete(keys, "traceEvents")
	return items, keys
}

// TestRaw compares every event and key of every sound sample with what
// encoding/json finds: the bytes are the same.
func TestRaw(t *testing.T) {
	dir := samples.Shared(t)
	files, _ := filepath.Glob(filepath.Join(dir, "kineto", "*"))
	more, _ := filepath.Glob(filepath.Join(dir, "torch", "generated_*.json"))
	ranks, _ := filepath.Glob(filepath.Join(dir, "multirank", "*"))
	for _, path := range append(append(files, more...), ranks...) {
		if strings.Contains(path, "key_averages") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text := inflated(t, path)
			if len(text) > 4<<20 && os.Getenv("REEL_LONG_TESTS") == "" {
				t.Skip("large sample: REEL_LONG_TESTS=1 compares it too")
			}
			compareRaw(t, text)
		})
	}
}

func compareRaw(t *testing.T, text []byte) {
	r := openRaw(t, text, Options{Workers: 3, Chunk: 100 << 10})
	got, events, texts := rawText(t, r)
	items, keys := list(t, text)
	if len(items) != len(texts) {
		t.Fatalf("%d events, want %d", len(texts), len(items))
	}
	for i, e := range events {
		if e.Mended != nil || !bytes.Equal(texts[i], items[i]) {
			t.Fatalf("event %d (mended %v):\n%s\nwant\n%s", i, e.Mended != nil, texts[i], items[i])
		}
	}
	_, again := list(t, got)
	if len(again) != len(keys) {
		t.Errorf("%d keys, want %d", len(again), len(keys))
	}
	for k, v := range keys {
		if !bytes.Equal(again[k], v) {
			t.Errorf("key %s: %s, want %s", k, again[k], v)
		}
	}
	compareMembers(t, text, events, texts)
}

// compareMembers compares what a raw reading says of each event with the reader.
func compareMembers(t *testing.T, text []byte, events []RawEvent, texts [][]byte) {
	src, err := New(context.Background(), bytes.NewReader(text), "test.json", Options{Flows: true, Chunk: 300 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	i := 0
	for ev, err := range event.All(src) {
		if err != nil {
			t.Fatal(err)
		}
		for i < len(events) && (events[i].Kind == event.NoKind || events[i].Kind != event.Meta && !events[i].Timed) {
			i++
		}
		if i == len(events) {
			t.Fatalf("the reader has more events")
		}
		e := events[i]
		if e.Kind != ev.Kind || e.Kind != event.Meta && (e.Start != ev.Start || e.Dur != ev.Dur) || e.A != ev.Track.A || e.B != ev.Track.B ||
			e.Kind == event.Range && e.Class != ev.Class {
			t.Fatalf("event %d: %+v\nwant %+v\n%s", i, e, ev, texts[i])
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(texts[i], &m); err != nil {
			t.Fatal(err)
		}
		for key, at := range map[string]RawSpan{"pid": e.Pid, "tid": e.Tid, "ts": e.Ts, "id": e.ID, "args": e.Args, "name": e.Name} {
			if !bytes.Equal(at.Of(texts[i]), m[key]) {
				t.Fatalf("event %d: %s is %q, want %q", i, key, at.Of(texts[i]), m[key])
			}
		}
		i++
	}
}

// TestRawExact puts a text together from the stretches between its events too.
func TestRawExact(t *testing.T) {
	text := []byte("\n{ \"a\" : [1, {\"b\": 2}],\n \"traceEvents\" : [ \n " + op + " ,\n" + op + ",{} ,17, \"x\"\t]\n , \"z\": null} \n")
	r := openRaw(t, text, Options{Chunk: 16})
	var got []byte
	from := 0
	for {
		b, err := r.Next()
		if err != nil {
			break
		}
		if got == nil {
			got = append(got, b.Text...)
		} else {
			got = append(got, b.Text...)
		}
		from += len(b.Events)
	}
	if from != 5 || !bytes.HasPrefix(got, r.Head()) || !bytes.HasSuffix(got, r.Tail()) || !bytes.Equal(got, text) {
		t.Errorf("%d events\nhead %q\ntail %q\ntext %q", from, r.Head(), r.Tail(), got)
	}
}

// TestRawDamage puts damaged texts together again: the result is valid JSON and
// reads as the damaged text did.
func TestRawDamage(t *testing.T) {
	var texts [][]byte
	files, _ := filepath.Glob(filepath.Join(samples.Shared(t), "damaged", "*"))
	for _, path := range files {
		texts = append(texts, inflated(t, path))
	}
	for _, bad := range []string{
		`{"ph":"X","cat":"user_annotation","name":"{"device": "cpu"}(12): run","pid":1,"tid":1,"ts":5,"dur":1}`,
		`{"ph":"X","name":"n","pid":1,"tid":1,"ts":5,"dur":1,"args":{"x":inf,"y":-nan,"z":NaN,"External id":9,},}`,
		"{\"ph\":\"X\",\"name\":\"caf\xe9 \x01\",\"pid\":1,\"tid\":1,\"ts\":\"5.25\t\",\"dur\":1}",
		`{"ph":"X","name":"C:\Users\torch\q\"x","pid":1,"tid":1,"ts":5,"dur":1}`,
		`{"ph":"X","name":"n","pid":01,"tid":.5,"ts":5,"dur":1,"args":{"External id":3,"correlation":4,"x":{"y":[1,2},"z":[3]},"k":[1 2]}}`,
		`{"ph" "X","name":"n"}`, `inf`, `{"name":"n","ts":5}`, `{"ph":"X","ts":5,"dur":1,}`,
		`{"ph":"X","ts":5,"dur":1,"args":` + strings.Repeat("[", 200) + "inf" + strings.Repeat("]", 200) + `}`,
	} {
		texts = append(texts, []byte(`{"head": nan, "ok": {"a": [1]}, "traceEvents":[`+op+`,`+bad+`,,`+op+`], "tail": {"x": inf}, "last": "C:\U"} rest`),
			[]byte(`[`+op+`,`+bad+`,`+op+`,`))
	}
	for i, text := range texts {
		want, _, _, err := read(t, string(text), Options{AllArgs: true, Flows: true})
		if errors.Is(err, ErrNotTrace) {
			continue
		}
		got, _, _ := rawText(t, openRaw(t, text, Options{}))
		if !json.Valid(got) {
			t.Errorf("text %d: not valid: %s\nfrom %s", i, got, text)
			continue
		}
		again, warn, src, err := read(t, string(got), Options{AllArgs: true, Flows: true})
		if err != nil || !src.Info().Complete {
			t.Errorf("text %d: %v, complete %v", i, err, src.Info().Complete)
		}
		for _, w := range warn {
			if w.Code == "unescaped-quote" || w.Code == "not-utf8" || w.Code == "damaged-event" || w.Code == "trailing-comma" || w.Code == "not-a-number" {
				t.Errorf("text %d: %v", i, w)
			}
		}
		sameReading(t, fmt.Sprintf("text %d", i), again, want)
	}
}

// sameReading compares events but for arguments that are no JSON values: those
// became texts.
func sameReading(t *testing.T, name string, got, want []event.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d events, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		a, b := got[i], want[i]
		a.Args, b.Args = nil, nil
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: event %d: %+v, want %+v", name, i, a, b)
		}
	}
}

// FuzzStrict compares the checking of values with encoding/json.
func FuzzStrict(f *testing.F) {
	for _, s := range []string{op, `[1,-0.5e+7,true,null,"aé\n\u00e9\ud800"]`, `{"a":{"b":[{}]}}`, "\"a\x01\"", `01`, `1.`, `"\x"`, "\"\xff\"", `[1,]`, `{"a"}`, `-`, `{"a":1,}`, `tru`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		trimmed := bytes.Trim(text, " \n\t\r")
		if len(trimmed) == 0 || !json.Valid(text) && json.Valid(bytes.ToValidUTF8(text, nil)) {
			return
		}
		var s strict
		end := s.value(padCopy(trimmed), 0)
		valid := json.Valid(text) && bytes.Equal(trimmed, bytes.ToValidUTF8(trimmed, nil))
		if (end == len(trimmed)) != valid {
			t.Errorf("%q: ends at %d of %d, valid %v", trimmed, end, len(trimmed), valid)
		}
	})
}

// FuzzRaw puts any text together again: what comes out is valid JSON, and what was
// valid is the same, whatever the size of the pieces.
func FuzzRaw(f *testing.F) {
	for _, s := range []string{`{"traceEvents":[` + op + `]}`, `[` + op + `,` + op + `]`, `{"a":inf,"traceEvents":[` + op + `,{"ph":"X","name":"a "b", c","ts":-1.9999,"dur":inf,},`,
		`[` + op + `,{"ph":"X","ts":1,"dur":1,"args":{"External id":1,"a":[1}]}},` + op + `]`} {
		f.Add([]byte(s), uint16(16))
	}
	f.Fuzz(func(t *testing.T, text []byte, chunk uint16) {
		if len(text) > 1<<15 || compress.Sniff(text) != compress.None {
			return
		}
		r, err := NewRaw(context.Background(), bytes.NewReader(text), "fuzz", Options{Workers: 2, Chunk: int(chunk%2048) + 16})
		if err != nil {
			return
		}
		defer r.Close()
		got := append([]byte{}, r.Head()...)
		n := 0
		for {
			b, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					return
				}
				break
			}
			for i := range b.Events {
				if e := &b.Events[i]; !e.Lost {
					if n++; n > 1 {
						got = append(got, ',')
					}
					got = append(got, e.Text(&b)...)
				}
			}
		}
		got = append(got, r.Tail()...)
		if !json.Valid(got) {
			t.Fatalf("not valid: %q", got)
		}
		if json.Valid(text) && utf8Valid(text) {
			var a, b bytes.Buffer
			if json.Compact(&a, text) != nil || json.Compact(&b, got) != nil || a.String() != b.String() {
				t.Fatalf("%q, want %q", b.String(), a.String())
			}
		}
	})
}

func utf8Valid(b []byte) bool { return bytes.Equal(b, bytes.ToValidUTF8(b, nil)) }
