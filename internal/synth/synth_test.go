package synth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func text(t *testing.T, o Options) ([]byte, Truth) {
	t.Helper()
	var b bytes.Buffer
	truth, err := Write(&b, o)
	if err != nil {
		t.Fatalf("Write(%+v): %v", o, err)
	}
	return b.Bytes(), truth
}

// variants are options that between them take every branch of the writer.
func variants() (all []Options) {
	for _, vendor := range []Vendor{CUDA, ROCm} {
		all = append(all,
			Options{Vendor: vendor, Style: Spaced, Steps: 2, Layers: 1},
			Options{Vendor: vendor, Style: Pretty, Steps: 2, Layers: 1, Python: true, Memory: true, HeaderLast: true, Annotations: true, Requests: 2},
			Options{Vendor: vendor, Style: Minified, Steps: 3, Layers: 2, Python: true, Graph: true, WorldSize: 2, Rank: 1, Collectives: true, Absolute: true},
			Options{Vendor: vendor, Style: Pretty, Steps: 2, Layers: 1, WorldSize: 8, Collectives: true})
	}
	return all
}

func TestEqualOptionsGiveEqualBytes(t *testing.T) {
	for _, o := range variants() {
		a, _ := text(t, o)
		b, _ := text(t, o)
		if !bytes.Equal(a, b) {
			t.Errorf("%+v: two runs differ", o)
		}
	}
	a, _ := text(t, Options{Seed: 1})
	b, _ := text(t, Options{Seed: 2})
	if bytes.Equal(a, b) {
		t.Error("two seeds give the same trace")
	}
}

func TestTextIsJSONAndCounted(t *testing.T) {
	for _, o := range variants() {
		got, truth := text(t, o)
		var root struct{ TraceEvents []json.RawMessage }
		if err := json.Unmarshal(got, &root); err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		if len(root.TraceEvents) != truth.Events || int64(len(got)) != truth.Bytes {
			t.Errorf("%+v: %d events in %d bytes, truth says %d in %d", o, len(root.TraceEvents), len(got), truth.Events, truth.Bytes)
		}
	}
}

func TestStylesHoldTheSameTrace(t *testing.T) {
	sameInAllStyles(t, Options{Steps: 2, Layers: 1, Python: true, Memory: true, Collectives: true, WorldSize: 2})
	sameInAllStyles(t, Options{Steps: 2, Layers: 1, Vendor: ROCm, Graph: true, HeaderLast: true})
}

func sameInAllStyles(t *testing.T, o Options) {
	joints := map[Style]string{Pretty: "\n  },\n  {\n    \"ph\": \"X\", ", Minified: "},{", Spaced: "}, {"}
	var first any
	for style := Pretty; style <= Spaced; style++ {
		o.Style = style
		got, _ := text(t, o)
		var v any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = v
		}
		if !reflect.DeepEqual(v, first) {
			t.Errorf("style %d holds another trace than pretty", style)
		}
		if !strings.Contains(string(got), joints[style]) {
			t.Errorf("style %d: no %q between events", style, joints[style])
		}
		if lines := bytes.Count(got, []byte("\n")); style != Pretty && lines != 1 {
			t.Errorf("style %d has %d lines", style, lines)
		}
	}
}

func TestKeyOrder(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Steps: 1}, "schemaVersion deviceProperties cuda_runtime_version cupti_version record_shapes cuda_driver_version trace_id displayTimeUnit baseTimeNanoseconds traceEvents traceName"},
		{Options{Steps: 1, HeaderLast: true, Absolute: true, Vendor: ROCm}, "traceEvents traceName schemaVersion deviceProperties roctracer_version hip_runtime_version record_shapes hip_driver_version trace_id displayTimeUnit"},
	} {
		got, _ := text(t, c.o)
		if keys := strings.Join(rootKeys(t, got), " "); keys != c.want {
			t.Errorf("root keys are %s, want %s", keys, c.want)
		}
	}
}

func rootKeys(t *testing.T, b []byte) (keys []string) {
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, fmt.Sprint(key))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func TestPythonShareIsRealistic(t *testing.T) {
	for _, o := range []Options{{Python: true}, {Python: true, Layers: 12}, {Python: true, Graph: true}, {Python: true, Vendor: ROCm}} {
		_, truth := text(t, o)
		share := float64(truth.Categories["python_function"]) / float64(truth.Events)
		if hi := 0.85; share < 0.65 || share > hi {
			t.Errorf("%+v: %.0f %% of the events are Python calls", o, 100*share)
		}
	}
}

func TestTargetBytes(t *testing.T) {
	for _, target := range []int64{1, 3_000_000, 12_345_678} {
		_, truth := text(t, Options{Seed: 3, Python: true, Layers: 1, Steps: 2, TargetBytes: target})
		if truth.Bytes < target || truth.Bytes > target+3_000_000 {
			t.Errorf("asked for %d bytes, got %d", target, truth.Bytes)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, o := range []Options{{Steps: -1}, {Rank: 2, WorldSize: 2}, {Rank: 1}, {Style: 9}} {
		if _, err := Write(&bytes.Buffer{}, o); err == nil {
			t.Errorf("Write(%+v) succeeded", o)
		}
	}
	if _, err := Write(fullDisk{}, Options{}); !errors.Is(err, errFull) {
		t.Errorf("writing to a full disk: %v", err)
	}
}

var errFull = errors.New("full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// BenchmarkWrite shows that a longer trace takes no more memory.
func BenchmarkWrite(b *testing.B) {
	for _, requests := range []int{1, 8} {
		b.Run(fmt.Sprintf("requests=%d", requests), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				truth, err := Write(discard{}, Options{Python: true, Requests: requests})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(truth.Bytes)
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
