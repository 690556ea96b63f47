package kineto

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"reel/event"
)

const op = `{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10.5,"dur":2,"args":{"External id":7}}`

// TestDamage reads one faulty event between two sound ones: what is repaired is
// there, the neighbours always are, and the warning names the event.
func TestDamage(t *testing.T) {
	for _, c := range []struct{ name, event, code, want string }{
		{"unescaped quotes", `{"ph":"X","cat":"user_annotation","name":"{"device": "cpu"}(12): run","pid":1,"tid":1,"ts":5,"dur":1}`, "unescaped-quote", `{"device": "cpu"}(12): run`},
		{"quote before comma", `{"ph":"X","cat":"cpu_op","name":"a "b", c","pid":1,"tid":1,"ts":5,"dur":1}`, "unescaped-quote", `a "b", c`},
		{"inf", `{"ph":"X","name":"n","pid":1,"tid":1,"ts":5,"dur":1,"args":{"x":inf,"y":-nan,"z":NaN}}`, "not-a-number", "n"},
		{"trailing comma", `{"ph":"X","name":"n","pid":1,"tid":1,"ts":5,"dur":1,"args":{"x":1,},}`, "trailing-comma", "n"},
		{"not UTF-8", "{\"ph\":\"X\",\"name\":\"caf\xe9\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1}", "not-utf8", "caf\uFFFD"},
		{"raw newline", "{\"ph\":\"X\",\"name\":\"a\nb\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1}", "control-character", "a\nb"},
		{"backslashes", `{"ph":"X","name":"C:\Users\torch\q","pid":1,"tid":1,"ts":5,"dur":1}`, "", ""},
		{"negative", `{"ph":"X","name":"n","pid":1,"tid":1,"ts":5,"dur":-1}`, "negative-duration", "n"},
		{"no time", `{"ph":"X","name":"n","pid":1,"tid":1,"ts":inf,"dur":1}`, "no-time", ""},
		{"no duration", `{"ph":"X","name":"n","pid":1,"tid":1,"ts":5}`, "no-duration", "n"},
		{"huge time", `{"ph":"X","name":"n","pid":1,"tid":1,"ts":1e300,"dur":1}`, "time-range", ""},
		{"quote missing", `{"ph":"X","cat":"cpu_op","name":"a,"pid":1,"tid":1,"ts":5,"dur":1}`, "damaged-event", ""},
		{"missing colon", `{"ph" "X","name":"n"}`, "damaged-event", ""},
		{"no object", `17`, "damaged-event", ""},
		{"no phase", `{"name":"n","ts":5}`, "no-phase", ""},
		{"other phase", `{"ph":"B","name":"n","ts":5}`, "unknown-phase", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := `{"traceEvents":[` + op + `,` + c.event + `,` + op + `]}`
			evs, warn, src, err := read(t, text, Options{AllArgs: true})
			if err != nil {
				t.Fatal(err)
			}
			checkDamage(t, evs, warn, c.code, c.want)
			if !src.Info().Complete || src.Info().Events != 3 {
				t.Errorf("complete %v, %d events, want 3", src.Info().Complete, src.Info().Events)
			}
			if lost := src.Info().MissingPercent > 0; lost != (c.code == "damaged-event") {
				t.Errorf("missing %v %%", src.Info().MissingPercent)
			}
		})
	}
}

func checkDamage(t *testing.T, evs []event.Event, warn []event.Warning, code, want string) {
	t.Helper()
	var names []string
	for _, e := range evs {
		if e.Name != "aten::mm" {
			names = append(names, e.Name)
		}
	}
	if n := len(evs) - len(names); n != 2 {
		t.Errorf("%d sound neighbours, want 2", n)
	}
	if want != "" && (len(names) != 1 || names[0] != want) {
		t.Errorf("names %q, want %q", names, want)
	}
	switch {
	case code == "" && len(warn) > 0:
		t.Errorf("warnings %v, want none", warn)
	case code != "" && !slices.ContainsFunc(warn, func(w event.Warning) bool { return w.Code == code && w.Event == 1 }):
		t.Errorf("warnings %+v, want %s at event 1", warn, code)
	}
}

// TestNULs reads a trace of which a block was never written.
func TestNULs(t *testing.T) {
	text := `{"traceEvents":[` + op + `,` + op[:50] + strings.Repeat("\x00", 4096) + op[60:] + `,` + strings.Repeat("\x00", 512) + op + `]}`
	_, warn, src, err := read(t, text, Options{})
	if err != nil || !slices.ContainsFunc(warn, func(w event.Warning) bool { return w.Code == "nul-bytes" }) {
		t.Errorf("warnings %+v, %v; want nul-bytes", warn, err)
	}
	if p := src.Info().MissingPercent; p < 90 || p > 100 {
		t.Errorf("missing %v %%, want the NULs", p)
	}
}

// TestTail reads what stands behind the events.
func TestTail(t *testing.T) {
	for tail, code := range map[string]string{
		`]}`: "", "],\"a\":1}\n": "", `]`: "", `],"a":`: "", `],"a":1`: "", "]}\r\n\r\n": "",
		`]}{"traceEvents":[` + op + `]}`: "second-trace", `]} x`: "trailing-text", "]}\x00\x00": "trailing-text", `]},` + op: "second-trace",
		`],"traceEvents":[` + op + `]}`: "second-trace",
	} {
		_, warn, _, err := read(t, `{"traceEvents":[`+op+tail, Options{})
		if err != nil || (len(warn) > 0) != (code != "") || code != "" && warn[0].Code != code {
			t.Errorf("%q: warnings %+v, %v; want %q", tail, warn, err, code)
		}
	}
}

// TestOnlySkipped reads traces of events that nobody asks for: they are traces.
func TestOnlySkipped(t *testing.T) {
	for _, e := range []string{`{"ph":"X","cat":"python_function","name":"f","pid":1,"tid":1,"ts":5,"dur":1}`, `{"ph":"s","cat":"ac2g","name":"ac2g","id":3,"pid":1,"tid":1,"ts":5}`} {
		evs, warn, src, err := read(t, `{"traceEvents":[`+e+`]}`, Options{NoPython: true})
		if err != nil || len(evs)+len(warn) > 0 || src.Info().Events != 1 {
			t.Errorf("%s: %d events, warnings %v, %v", e, len(evs), warn, err)
		}
	}
}

// TestOpenBracket reads an event with a bracket that is never closed, which makes
// what follows part of it, in files smaller and larger than a chunk.
func TestOpenBracket(t *testing.T) {
	call := `{"ph":"X","cat":"python_function","name":"f","pid":1,"tid":1,"ts":5,"dur":1,"args":{"Python id":1}},`
	open := strings.Replace(call, `{"Python id":1}`, `{"x":{"y":{}`, 1)
	for _, opt := range []Options{{}, {Chunk: 4096}, {NoPython: true}, {AllArgs: true, Chunk: 200}} {
		for _, n := range []int{1, 40, 20_000} {
			text := `{"traceEvents":[` + call + strings.Repeat(open, n) + strings.Repeat(op+",", 50) + op + `]}`
			evs, warn, src, err := read(t, text, opt)
			if err != nil || len(evs) < 51 || !src.Info().Complete || src.Info().MissingPercent == 0 {
				t.Fatalf("%+v: %d events, want 51 and more; complete %v, warnings %v, %v", opt, len(evs), src.Info().Complete, warn, err)
			}
			if i := slices.IndexFunc(warn, func(w event.Warning) bool { return w.Code == "damaged-event" }); i < 0 || warn[i].Count != int64(n) || warn[i].Event != 1 {
				t.Errorf("%+v: warnings %+v, want %d damaged events", opt, warn, n)
			}
		}
	}
}

// TestEventsInArguments reads an event whose arguments hold a list of what looks like
// events: whatever its length, and where a chunk ends in it, it is one event.
func TestEventsInArguments(t *testing.T) {
	text := `{"traceEvents":[` + op + `,{"ph":"X","name":"big","pid":1,"tid":1,"ts":5,"dur":1,"args":{"list":[` +
		strings.Repeat(op+",", 100) + op + `]}},` + op + `]}`
	for _, chunk := range []int{0, 100, 333, 1000, 5000} {
		evs, warn, src, err := read(t, text, Options{Chunk: chunk})
		if err != nil || len(evs) != 3 || len(warn) > 0 || src.Info().Events != 3 {
			t.Errorf("chunk %d: %d events, warnings %+v, %v", chunk, len(evs), warn, err)
		}
	}
}

// TestManyStrayQuotes reads many texts without their closing quote, none of which
// may be looked for in all that follows.
func TestManyStrayQuotes(t *testing.T) {
	bad := strings.Repeat(`{"ph":"X","cat":"cpu_op","name":"a,"pid":1,"tid":1,"ts":5,"dur":1},`, 60_000)
	start := time.Now()
	evs, warn, _, err := read(t, `{"traceEvents":[`+op+`,`+bad+op+`]}`, Options{})
	if err != nil || len(evs) != 2 || len(warn) != 1 || warn[0].Count != 60_000 {
		t.Errorf("%d events, warnings %+v, %v", len(evs), warn, err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

// TestCut cuts a trace at every byte: it opens or says that it is no trace.
func TestCut(t *testing.T) {
	text := `{"schemaVersion":1,"traceEvents":[` + op + `,` + op + `,` + op + `],"baseTimeNanoseconds":3}`
	for n := range len(text) {
		evs, warn, src, err := read(t, text[:n], Options{Chunk: 40})
		if err != nil {
			if !errors.Is(err, ErrNotTrace) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if whole := strings.Count(text[:n], "}}"); len(evs) != whole {
			t.Errorf("cut at %d: %d events, want %d", n, len(evs), whole)
		}
		if cut := !strings.Contains(text[:n], "]"); cut == src.Info().Complete || cut == (len(warn) == 0) {
			t.Errorf("cut at %d: complete %v, warnings %v", n, src.Info().Complete, warn)
		}
	}
}

func TestNotTrace(t *testing.T) {
	for _, text := range []string{"", " \n", "hello", "{", "{}", "[]", "[1,2]", `{"traceEvents":{}}`, `{"traceEvents":[]}`, `{"a":1}`, "\x1f\x8b", "\xef\xbb\xbf"} {
		if _, _, _, err := read(t, text, Options{}); !errors.Is(err, ErrNotTrace) && !strings.HasPrefix(text, "\x1f") {
			t.Errorf("%q: %v, want ErrNotTrace", text, err)
		} else if err == nil {
			t.Errorf("%q opens", text)
		}
	}
}

// endless gives head, then fill n times, then tail, without holding it.
type endless struct {
	head, fill, tail string
	n, at            int
	buf              string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.buf == "" {
		switch {
		case e.at == 0:
			e.buf = e.head
		case e.at <= e.n:
			e.buf = e.fill
		case e.at == e.n+1:
			e.buf = e.tail
		default:
			return 0, io.EOF
		}
		e.at++
	}
	k := copy(p, e.buf)
	e.buf = e.buf[k:]
	return k, nil
}

// TestBounded reads texts built to exhaust memory: a string of 300 MB (2 GB with
// REEL_LONG_TESTS=1), as a name and in the header, brackets a million deep, and
// white space without end.
func TestBounded(t *testing.T) {
	mega := strings.Repeat("a", 1<<20)
	n := 300
	if raceEnabled {
		n = maxHeader>>20 + 6 // still more than what an event or the header may be
	}
	if os.Getenv("REEL_LONG_TESTS") != "" {
		n = 2048
	}
	for _, c := range []struct {
		name string
		in   *endless
		code string // of the warning; "" wants an error
	}{
		{"name", &endless{head: `{"traceEvents":[` + op + `,{"ph":"X","name":"`, fill: mega, n: n, tail: `","ts":1},` + op + `]}`}, "oversized-event"},
		{"header", &endless{head: `{"key":"`, fill: mega, n: n, tail: `","traceEvents":[` + op + `]}`}, ""},
		{"deep", &endless{head: `{"traceEvents":[` + op + `,{"ph":"X","name":"n","ts":1,"dur":1,"args":{"a":`, fill: strings.Repeat("[", 1<<16), n: 16, tail: strings.Repeat("]", 1<<20) + `}},` + op + `]}`}, "none"},
		{"space", &endless{head: `{"traceEvents":[` + op + `,`, fill: strings.Repeat(" ", 1<<20), n: n, tail: op + `]}`}, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkBounded(t, c.in, c.code)
		})
	}
}

func checkBounded(t *testing.T, in io.Reader, code string) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	src, err := New(context.Background(), in, "test", Options{})
	var warn []event.Warning
	if err == nil {
		defer src.Close()
		var b event.Batch
		for err == nil {
			err = src.Next(&b)
			warn = append(warn, b.Warnings...)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 400<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
	switch {
	case code == "" && !errors.Is(err, ErrNotTrace):
		t.Errorf("error %v, want ErrNotTrace", err)
	case code != "" && err != io.EOF:
		t.Errorf("error %v", err)
	case code == "none" && len(warn) > 0:
		t.Errorf("warnings %v", warn)
	case code != "" && code != "none" && (len(warn) == 0 || warn[0].Code != code || warn[0].Event != 1):
		t.Errorf("warnings %v, want %s at event 1", warn, code)
	}
}

// TestBomb opens a gzip file that inflates a thousandfold.
func TestBomb(t *testing.T) {
	if raceEnabled {
		t.Skip("256 MB of white space: read without the race detector, which takes half a minute")
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	fmt.Fprintf(w, `{"traceEvents":[%s,`, op)
	for range 400 {
		w.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	w.Close()
	_, _, _, err := read(t, z.String(), Options{})
	if err == nil || !strings.Contains(err.Error(), "inflated") {
		t.Errorf("error %v, want one that says how far it inflated", err)
	}
}

// TestCancel stops a reading that would never end.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	src, err := New(ctx, &endless{head: `{"traceEvents":[`, fill: op + ",", n: 1 << 40}, "test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var b event.Batch
	if err := src.Next(&b); err != nil {
		t.Fatal(err)
	}
	cancel()
	start := time.Now()
	for err = nil; err == nil; {
		err = src.Next(&b)
	}
	if !errors.Is(err, context.Canceled) || time.Since(start) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	for range 2 {
		if err := src.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

// TestCommas: a comma that lacks or is one too many between events is told, and
// costs nothing.
func TestCommas(t *testing.T) {
	for sep, code := range map[string]string{",": "", " ,\n": "", "": "missing-comma", "\n": "missing-comma", ",,": "trailing-comma", ", ,": "trailing-comma"} {
		for _, chunk := range []int{16, 1 << 20} {
			evs, warn, _, err := read(t, `{"traceEvents":[`+strings.Join([]string{op, op, op, op}, sep)+`]}`, Options{Chunk: chunk})
			if err != nil || len(evs) != 4 {
				t.Errorf("%q: %d events, %v", sep, len(evs), err)
			}
			if code == "" && len(warn) > 0 || code != "" && (len(warn) != 1 || warn[0].Code != code || warn[0].Event != 1 || warn[0].Count != 3) {
				t.Errorf("%q in pieces of %d: %+v, want 3 of %s from event 1", sep, chunk, warn, code)
			}
		}
	}
}

// TestDamagedLast: a last event that cannot be read does not take the end of the
// list with it, nor the keys behind.
func TestDamagedLast(t *testing.T) {
	for _, bad := range []string{`{"ph" "X","name":"n"}`, `{"ph":"X",]}`, `{"ph":"X","args":{"a" 1}}`} {
		text := `{"traceEvents":[` + op + `,` + bad + ` ], "list": [{"a": 1}, {"b": 2}], "baseTimeNanoseconds": 7}`
		evs, warn, src, err := read(t, text, Options{})
		if err != nil || len(evs) != 1 || len(warn) != 1 || warn[0].Code != "damaged-event" {
			t.Errorf("%s: %d events, %v, %v", bad, len(evs), warn, err)
			continue
		}
		if info := src.Info(); !info.Complete || info.Base == nil || *info.Base != 7 {
			t.Errorf("%s: complete %v, base %v", bad, info.Complete, info.Base)
		}
	}
}
