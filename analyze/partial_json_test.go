package analyze

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// small is the text of a partial with one record.
func small(t testing.TB) string {
	rank := 3
	tl, s := randomRank(rand.New(rand.NewPCG(11, 12)), &rank, 2)
	return string(encoded(t, NewPartial(tl, s, nil)))
}

// TestDecodeRefuses: what no Partial could have written gets a clear error.
func TestDecodeRefuses(t *testing.T) {
	text := small(t)
	record := text[strings.Index(text, "\n")+1 : strings.Index(text, "],\n\"totals\"")]
	swap := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in %s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "empty or cut short"},
		{"no JSON", "hello", "no schema"},
		{"list", "[]", "no schema"},
		{"trace", `{"traceEvents":[]}`, "no schema"},
		{"document", `{"schema":"reel.summary/1"}`, `its schema is "reel.summary/1", want "reel.partial/1"`},
		{"newer", swap("partial/1", "partial/2"), "newer than this Reel"},
		{"no number", swap("partial/1", "partial/x"), "its schema is"},
		{"no schema text", `{"schema":7}`, "schema: json"},
		{"no records", `{"schema":"reel.partial/1"}`, `no "records"`},
		{"twice", `{"schema":"reel.partial/1","records":[],"records":[]}`, "twice"},
		{"unknown member", `{"schema":"reel.partial/1","rows":[]}`, "unknown member"},
		{"unknown field", swap(`"source"`, `"colour":1,"source"`), `record 0: json: unknown field "colour": written by a newer Reel?`},
		{"cut", text[:len(text)/2], "empty or cut short"},
		{"cut at the end", strings.TrimSuffix(text, "}\n"), "cut short"},
		{"more", text + "{}", "more text after its end"},
		{"same record twice", swap(record, record+","+record), "twice"},
		{"negative", swap(`"cpu_ns":`, `"cpu_ns":-`), "summary.stages[0].cpu_ns is negative"},
		{"fraction", swap(`"cpu_ns":`, `"cpu_ns":0.5e`), "record 0: "},
		{"NaN", swap(`"busy_percent":`, `"busy_percent":NaN,"x":`), "invalid character"},
		{"infinite", swap(`"busy_percent":`, `"busy_percent":1e999,"x":`), "cannot unmarshal"},
		{"timing", swap(`"timing":"device"`, `"timing":"guess"`), "summary.timing"},
		{"rank", swap(`"rank":3`, `"rank":4`), "summary.rank"},
		{"negative rank", strings.ReplaceAll(text, `"rank":3`, `"rank":-3`), "negative"},
		{"folder", swap(`"names":["`, `"names":["/`), "names[0]"},
		{"no request", swap(`"steps":[{"request":0`, `"steps":[{"request":7`), "request 7"},
		{"lists", swap(`"steps":[`, `"steps":null,"stepz":[`), "unknown field"},
		{"null", `{"schema":"reel.partial/1","records":[null]}`, "summary.timing"},
		{"share", swap(`"missing_percent":`, `"missing_percent":99`), "missing_percent"},
		{"wrong totals", swap(`"totals":{"device":{"ranks":1`, `"totals":{"device":{"ranks":2`), "totals are not those"},
		{"no totals", text[:strings.Index(text, ",\n\"totals\"")] + "}", "totals are not those"},
		{"bad sketch", swap(`"bits":8`, `"bits":9`), "totals: sketch: resolution"},
		{"deep", `{"schema":"reel.partial/1","records":[` + strings.Repeat("[", 1<<20), "exceeded max depth"},
		{"many objects", `{"schema":"reel.partial/1","records":[{"summary":{"steps":[{}` + strings.Repeat(",{}", maxRecordObjects) + `]}}]}`, "more than the"},
	} {
		_, err := DecodePartial(strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), "partial summary: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// endless repeats a text.
type endless struct {
	head, text string
	at         int
}

func (e *endless) Read(b []byte) (n int, err error) {
	if e.head != "" {
		n = copy(b, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	for n < len(b) {
		k := copy(b[n:], e.text[e.at:])
		n, e.at = n+k, (e.at+k)%len(e.text)
	}
	return n, nil
}

// TestDecodeEndless: a value without end takes bounded memory and ends in an error.
func TestDecodeEndless(t *testing.T) {
	const limit = 1 << 20
	const begin = `{"schema":"reel.partial/1",`
	for name, src := range map[string]*endless{
		"a name":    {begin + `"records":[{"names":["`, "a", 0},
		"a list":    {begin + `"records":[{"names":["a"`, `,"a"`, 0},
		"steps":     {begin + `"records":[{"summary":{"steps":[{}`, `,{}`, 0},
		"buckets":   {begin + `"totals":{"steps":{"cpu":{"buckets":[0,1`, `,1,1`, 0},
		"a key":     {begin + `"`, "k", 0},
		"blanks":    {begin, " ", 0},
		"no schema": {`{"schema":"`, "r", 0},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := newPartialDecoder(src)
		d.in.max = limit
		_, err := d.decode()
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8*limit {
			t.Errorf("%s: %d MiB allocated", name, used>>20)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, io.ErrClosedPipe }
func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestPartialErrors(t *testing.T) {
	if _, err := DecodePartial(failing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	if err := decoded(t, []byte(small(t))).Encode(failing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	if err := bounded(bytes.Repeat([]byte("{}"), maxRecordObjects+1)); err == nil || !strings.Contains(err.Error(), "objects, more than") {
		t.Error(err)
	}
	if err := bounded(make([]byte, maxRecordBytes+1)); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Error(err)
	}
}

// FuzzDecodePartial: what is taken survives a file and has a document.
func FuzzDecodePartial(f *testing.F) {
	f.Add([]byte(small(f)))
	f.Add(encoded(f, MergeAll(randomPartials(rand.New(rand.NewPCG(15, 16)), 4)...)))
	f.Add([]byte(`{"schema":"reel.partial/1","records":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePartial(bytes.NewReader(data))
		if err != nil {
			return
		}
		text := encoded(t, p)
		if again := encoded(t, decoded(t, text)); !bytes.Equal(again, text) {
			t.Fatalf("%s\ncame back as\n%s", text, again)
		}
		if !bytes.Equal(encoded(t, Merge(p, decoded(t, text))), text) {
			t.Fatal("merging with itself changes it")
		}
		document(t, p)
	})
}
