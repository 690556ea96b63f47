package event

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
)

const sampleText = `# a step and its kernel
info   rank 3
info   world 8 # of how many
info   base 1719321600.123456789s
info   host "node-1"
info   device 0 "NVIDIA H100" memory 85899345920
info   device 1 ""
info   prop "cuda" "12.4"
info   missing 3.2
info   shapes

mark   request "early" at 0
track  model "model thread"
range  step "model.step[12]" at 1.2ms for 41.8ms
track  cpu416/417 "python"
range  op "aten::mm" at 1.25ms for 40us id 31 args {"Input Dims": [[2, 3], [3,4]], "n": 7, "f": 2.0, "s": "é\n", "b": true}
range  runtime "cudaLaunchKernel" at 1.26ms for 20.001us cause 4711 id 31
range  stage annotation "both orders" at -5ns for 1s
range  noclass "none" at 0ns
mark   devmem "[memory]" at 1.27ms value -512
track  cpu"CPU functions/1"
track  cpu0/7"stream \"7\""
track  "two words"
counter "util" at 3ms value 88
track  gpu0/7 "stream 7"
gpu    kernel "attn_fwd\xff" at 1.31ms for 3.02ms cause 4711
gpu    copy "Memcpy HtoD" at 5ms for 10us value 4096
gpu    unsound "lost" at 0 for 1us
flow   "ac2g" at 1.26ms cause 4711
track  -
meta   "process_name" args {"name": "python"} # the end
`

func parse(t testing.TB, text string) ([]Event, Info) {
	t.Helper()
	src, err := ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []Event
	for e, err := range All(src) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out, src.Info()
}

func TestParseText(t *testing.T) {
	events, info := parse(t, sampleText)
	model := Track{Place: Logical, Label: "model"}
	python := Track{Place: Thread, A: 416, B: 417}
	stream := Track{Place: Stream, A: 0, B: 7}
	name := func(s string) []Arg { return []Arg{{Key: "name", Kind: ArgText, Text: s}} }
	want := []Event{
		{Kind: Mark, Class: OtherMark, Role: Request, Name: "early"},
		{Kind: Meta, Track: model, Name: "thread_name", Args: name("model thread")},
		{Kind: Range, Class: Annotation, Role: Step, Track: model, Name: "model.step[12]", Start: 1_200_000, Dur: 41_800_000},
		{Kind: Meta, Track: python, Name: "thread_name", Args: name("python")},
		{Kind: Range, Class: Op, Track: python, Name: "aten::mm", Start: 1_250_000, Dur: 40_000, Op: 31, Args: []Arg{
			{Key: "Input Dims", Kind: ArgRaw, Text: "[[2, 3], [3,4]]"}, {Key: "n", Kind: ArgInt, Num: 7},
			{Key: "f", Kind: ArgFloat, Num: math.Float64bits(2)}, {Key: "s", Kind: ArgText, Text: "é\n"}, {Key: "b", Kind: ArgRaw, Text: "true"}}},
		{Kind: Range, Class: Runtime, Track: python, Name: "cudaLaunchKernel", Start: 1_260_000, Dur: 20_001, Link: 4711, Op: 31},
		{Kind: Range, Class: Annotation, Role: Stage, Track: python, Name: "both orders", Start: -5, Dur: 1e9},
		{Kind: Range, Track: python, Name: "none"},
		{Kind: Mark, Class: DeviceMemory, Track: python, Name: "[memory]", Start: 1_270_000, Value: -512},
		{Kind: Counter, Track: Track{Place: Logical, Label: "two words"}, Name: "util", Start: 3_000_000, Value: 88},
		{Kind: Meta, Track: stream, Name: "thread_name", Args: name("stream 7")},
		{Kind: Activity, Class: Kernel, Track: stream, Name: "attn_fwd\xff", Start: 1_310_000, Dur: 3_020_000, Link: 4711},
		{Kind: Activity, Class: Copy, Track: stream, Name: "Memcpy HtoD", Start: 5_000_000, Dur: 10_000, Value: 4096},
		{Kind: Activity, Class: Unsound, Track: stream, Name: "lost", Dur: 1000},
		{Kind: Flow, Track: stream, Name: "ac2g", Start: 1_260_000, Link: 4711},
		{Kind: Meta, Name: "process_name", Args: name("python")},
	}
	if len(events) != len(want) {
		t.Fatalf("%d events, want %d", len(events), len(want))
	}
	for i, e := range events {
		if !reflect.DeepEqual(e, want[i]) {
			t.Errorf("event %d:\n got %+v\nwant %+v", i, e, want[i])
		}
	}
	rank, world, base := 3, 8, int64(1719321600123456789)
	wantInfo := Info{Format: "text", Producer: "text trace", Bytes: int64(len(sampleText)), Text: int64(len(sampleText)),
		Events: int64(len(want)), MissingPercent: 3.2, Base: &base, Rank: &rank, WorldSize: &world, Host: "node-1",
		Devices: []Device{{0, "NVIDIA H100", 85899345920}, {ID: 1}}, Shapes: true, Props: map[string]string{"cuda": "12.4"}}
	if !reflect.DeepEqual(info, wantInfo) {
		t.Errorf("info:\n got %+v\nwant %+v", info, wantInfo)
	}
}

func TestParseTextErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\n\nfoo":                         `line 3: unknown word "foo": want track, range, gpu, mark, counter, meta, flow or info`,
		`"x"`:                             `line 1: unknown word "\"x\"": want track, range, gpu, mark, counter, meta, flow or info`,
		"track":                           "line 1: no track: want cpuPID/TID, gpuDEVICE/STREAM or a name",
		"track cpu 416/417 \"python\"":    `line 1: bad track "cpu": want two ids, as in cpu0/7`,
		"track gpu0":                      `line 1: bad track "gpu0": want two ids, as in gpu0/7`,
		`track model"x"`:                  `line 1: bad track "model" before a label`,
		`track model "x" y`:               `line 1: unexpected "y"`,
		`range op at 1ms`:                 `line 1: unknown class or role "at"`,
		`range op`:                        `line 1: no quoted text at ""`,
		`range op "x`:                     `line 1: bad quoted text "x`,
		`range op "x" for 1ms`:            `line 1: no time: want at TIME`,
		`range op "x" at 5`:               `line 1: bad duration "5": want a number with a unit, such as 250ms, 1.5s or 2m03s`,
		`range op "x" at 5ms until 3`:     `line 1: unknown clause "until 3": want at, for, cause, id, value or args`,
		`range op "x" at 5ms cause x`:     `line 1: bad number "x": want an integer`,
		`range op "x" at 5ms args [1]`:    `line 1: bad args "[1]": want a JSON object`,
		`range op "x" at 5ms args {"a":}`: `line 1: bad args: invalid character '}' looking for beginning of value`,
		`range "x" at 0 args {} for 1s`:   `line 1: unexpected "for 1s"`,
		`info colour 3`:                   `line 1: unknown info "colour 3"`,
		`info missing 101`:                `line 1: bad share "101": want a percentage`,
		`info device 0 "x" size 3`:        `line 1: unknown word "size": want memory BYTES`,
	} {
		if _, err := ParseText(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// roundTrip writes events and parses them again.
func roundTrip(t *testing.T, text string) {
	t.Helper()
	src, err := ParseText(strings.NewReader(text))
	if err != nil {
		return
	}
	var b bytes.Buffer
	if err := WriteText(&b, src); err != nil {
		t.Fatalf("write: %v", err)
	}
	back, err := ParseText(&b)
	if err != nil {
		t.Fatalf("%q does not parse: %v", b.String(), err)
	}
	if len(back.events) != len(src.events) {
		t.Fatalf("%d events became %d", len(src.events), len(back.events))
	}
	for i := range src.events {
		if !reflect.DeepEqual(back.events[i], src.events[i]) {
			t.Fatalf("event %d:\n had %+v\n got %+v", i, src.events[i], back.events[i])
		}
	}
	had, got := src.info, back.info
	got.Bytes, got.Text, had.Bytes, had.Text = 0, 0, 0, 0
	if !reflect.DeepEqual(had, got) {
		t.Fatalf("info:\n had %+v\n got %+v", had, got)
	}
}

func TestTextRoundTrip(t *testing.T) { roundTrip(t, sampleText) }

func FuzzParseText(f *testing.F) {
	f.Add(sampleText)
	for line := range strings.Lines(sampleText) {
		f.Add(line)
	}
	f.Fuzz(roundTrip)
}

// TestWriteText checks what a source that is not text becomes.
func TestWriteText(t *testing.T) {
	var b bytes.Buffer
	err := WriteText(&b, &TextSource{events: []Event{
		{Kind: Range, Class: Op, Name: "raw", Args: []Arg{
			{Key: "lines", Kind: ArgRaw, Text: "[1,\n 2]"}, {Key: "bad", Kind: ArgRaw, Text: "[nan]"},
			{Key: "nan", Kind: ArgFloat, Num: math.Float64bits(math.NaN())}, {Key: "<", Kind: ArgFloat, Num: math.Float64bits(1e30)}}},
		{Kind: Mark, Class: OtherMark, Track: Track{Place: Logical, Label: "cpu1/2"}, Name: "m"},
		{Kind: Mark, Track: Track{Place: Logical, A: 1}, Name: "m", Start: 1_000_000_001},
	}})
	want := `range op "raw" at 0ns for 0ns args {"lines": [1,2], "bad": "[nan]", "nan": null, "<": 1e+30}
track row"cpu1/2"
mark "m" at 0ns
track row1/0
mark noclass "m" at 1.000000001s
info producer ""
info missing 0
`
	if err != nil || b.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, b.String(), want)
	}
	if err := WriteText(io.Discard, &TextSource{events: []Event{{Name: "no kind"}}}); err == nil {
		t.Error("an event without a kind must not be written")
	}
}
