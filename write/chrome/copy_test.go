package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"reel/analyze"
	"reel/internal/compress"
)

// listOf returns the events of a trace and the other keys of its root.
func listOf(t testing.TB, text []byte) (items []json.RawMessage, keys map[string]json.RawMessage) {
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

func copied(t testing.TB, ranks []analyze.Rank, opt Options) ([]byte, Stats) {
	t.Helper()
	var b bytes.Buffer
	opt.Roles = roleTable(t)
	st, err := Copy(context.Background(), &b, ranks, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("not valid JSON: %.2000s", b.Bytes())
	}
	return b.Bytes(), st
}

// TestCopySamples copies every sample: each of its events and keys is there, byte for
// byte and in its place, but for the tid of activities on sub-tracks; and what
// Reel says of the copy is what it says of the source.
func TestCopySamples(t *testing.T) {
	for _, path := range sampleFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			skipLarge(t, path)
			want := openFile(t, path)
			got, st := copied(t, []analyze.Rank{want}, Options{})
			if text := inflated(t, path); json.Valid(text) && utf8.Valid(text) {
				compareCopy(t, got, text, st)
			} else if st.Mended+st.Lost == 0 && want.TL.Info.Complete {
				t.Error("the source is damaged, but no event was written anew")
			}
			again := opened(t, bytes.NewReader(got), path)
			sameRun(t, again, want)
			checkDrawn(t, again)
			if len(again.TL.Warnings) > len(want.TL.Warnings) || !again.TL.Info.Complete {
				t.Errorf("warnings %v, complete %v", again.TL.Warnings, again.TL.Info.Complete)
			}
		})
	}
}

func compareCopy(t *testing.T, got, text []byte, st Stats) {
	t.Helper()
	want, keys := listOf(t, text)
	items, again := listOf(t, got)
	if st.Copied != int64(len(want)) || st.Mended != 0 || st.Lost != 0 || st.Events != int64(len(items)) {
		t.Errorf("%+v for %d events that became %d", st, len(want), len(items))
	}
	var moved int64
	for i, w := range want {
		if !bytes.Equal(items[i], w) {
			sameButTid(t, items[i], w)
			if bytes.Contains(w, []byte(`"X"`)) {
				moved++
			}
		}
	}
	if moved != st.Moved {
		t.Errorf("%d activities differ, %d were moved", moved, st.Moved)
	}
	for _, item := range items[len(want):] {
		if !bytes.Contains(item, []byte(`"cat": "reel"`)) && !bytes.Contains(item, []byte(`"ph": "M"`)) {
			t.Errorf("an event that nobody wrote: %s", item)
		}
	}
	last := want[len(want)-1]
	end := bytes.LastIndex(text, last) + len(last)
	if _, tail, _ := bytes.Cut(text[end:], []byte("]")); st.Moved == 0 && !bytes.HasPrefix(got, text[:end]) || !bytes.HasSuffix(got, tail) {
		t.Error("what stands around the events changed")
	}
	if len(again) != len(keys) {
		t.Errorf("%d keys, want %d", len(again), len(keys))
	}
	for k, v := range keys {
		if !bytes.Equal(again[k], v) {
			t.Errorf("key %s: %s, want %s", k, again[k], v)
		}
	}
}

// sameButTid checks that two events differ in nothing but their tid.
func sameButTid(t *testing.T, got, want json.RawMessage) {
	t.Helper()
	var a, b map[string]json.RawMessage
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		t.Fatal("not readable")
	}
	if bytes.Equal(a["tid"], b["tid"]) || string(a["ph"]) != `"X"` && string(a["ph"]) != `"f"` {
		t.Errorf("%s\nwant %s", got, want)
	}
	a["tid"] = b["tid"]
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
