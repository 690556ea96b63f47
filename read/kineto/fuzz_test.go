package kineto

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/synth"
)

// FuzzReader reads any text whole and in small pieces by several workers. It
// must not panic; what is valid JSON must give the same events either way, as
// many as encoding/json finds.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		op, `{"traceEvents":[` + op + `]}`, `[` + op + `,` + op + `]`,
		`{"traceEvents":[` + op + `,{"args":{"name":"a\u00e9\ud83d\ude00\n"},"ph":"M","name":"thread_name","pid":"x","tid":"stream 7"},` + op + `],"baseTimeNanoseconds":"12"}`,
		`{"deviceProperties":[{"id":0,"name":"x"}],"distributedInfo":{"rank":1},"traceEvents":[{"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":"1.5e3","args":{"Bytes":-5,"Device Type":1}},{"ph":"s","id":4,"ts":1},{"ph":"C","ts":2,"args":{"a":1.5}}]}`,
		`{"traceEvents":[{"ph":"X","name":"a "b", c","ts":-1.9999,"dur":inf,},`,
	} {
		f.Add([]byte(s), uint16(16))
	}
	damaged, _ := filepath.Glob("testdata/damaged/*")
	for _, path := range damaged {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(b, uint16(300))
		}
	}
	var b strings.Builder
	if _, err := synth.Write(&b, synth.Options{Steps: 1, Layers: 1, Python: true, Memory: true}); err == nil && b.Len() < 1<<20 {
		f.Add([]byte(b.String()[:min(b.Len(), 20<<10)]), uint16(777))
	}
	f.Fuzz(func(t *testing.T, text []byte, chunk uint16) {
		if len(text) > 1<<15 || strings.HasPrefix(string(text), "\x1f\x8b") || strings.HasPrefix(string(text), "\x28\xb5") {
			return
		}
		whole, _, src, err := read(t, string(text), Options{AllArgs: true, Flows: true, Workers: 1})
		pieces, _, _, err2 := read(t, string(text), Options{AllArgs: true, Flows: true, Workers: 3, Chunk: int(chunk%2048) + 16})
		if !json.Valid(text) {
			return
		}
		if (err == nil) != (err2 == nil) {
			t.Fatalf("whole: %v, in pieces: %v", err, err2)
		}
		if err != nil {
			return
		}
		if a, b := fmt.Sprint(whole), fmt.Sprint(pieces); a != b {
			t.Fatalf("whole %s\npieces %s", a, b)
		}
		if n, ok := listLength(text); ok && int64(n) != src.Info().Events {
			t.Errorf("%d events, encoding/json finds %d", src.Info().Events, n)
		}
	})
}

// listLength counts the events of a document whose keys are all distinct.
func listLength(text []byte) (int, bool) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil {
		return len(list), true
	}
	var root map[string]json.RawMessage
	if json.Unmarshal(text, &root) != nil || strings.Count(string(text), "traceEvents") != 1 {
		return 0, false
	}
	if json.Unmarshal(root["traceEvents"], &list) != nil {
		return 0, false
	}
	return len(list), true
}
