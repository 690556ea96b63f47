package pprof_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"reel/analyze"
	"reel/internal/golden"
	"reel/internal/synth"
	"reel/internal/walk/walktest"
	"reel/write/pprof"
)

func write(t testing.TB, opt pprof.Options, ranks ...analyze.Rank) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Write(&b, ranks, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parse(t testing.TB, data []byte) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// dump writes a profile for people: a line for each sample, its stack from the
// root, values and labels.
func dump(p *profile.Profile) string {
	var lines []string
	for _, s := range p.Sample {
		var stack, labels []string
		for _, l := range slices.Backward(s.Location) {
			f := l.Line[0].Function
			name := f.Name
			if f.Filename != "" {
				name += fmt.Sprintf(" (%s:%d)", f.Filename, l.Line[0].Line)
			}
			stack = append(stack, name)
		}
		for _, k := range slices.Sorted(maps.Keys(s.Label)) {
			labels = append(labels, k+"="+strings.Join(s.Label[k], ","))
		}
		lines = append(lines, fmt.Sprintf("%s  %v  %s\n", strings.Join(stack, " > "), s.Value, strings.Join(labels, " ")))
	}
	slices.Sort(lines)
	head := fmt.Sprintf("%s, shown %s, at %d for %d, %s, %q\n", p.Mapping[0].File, p.DefaultSampleType, p.TimeNanos, p.DurationNanos,
		fmt.Sprint(p.SampleType[0].Type, "/", p.SampleType[0].Unit, " ", p.SampleType[1].Type, "/", p.SampleType[1].Unit, " ", p.SampleType[2].Type, "/", p.SampleType[2].Unit), p.Comments)
	return head + strings.Join(lines, "")
}

func sums(p *profile.Profile) (sum [3]int64) {
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sum[i] += v
		}
	}
	return sum
}

func TestSamples(t *testing.T) {
	golden.String(t, "step.golden", dump(parse(t, write(t, pprof.Options{}, walktest.File(t, "testdata/step.txt")))))
}

func TestRequestsAndRanksAreLabelled(t *testing.T) {
	made, truth := walktest.Synth(t, synth.Options{Steps: 2, Layers: 1, Requests: 2, Python: true, Annotations: true})
	other := made
	other.Index = 1
	p := parse(t, write(t, pprof.Options{}, made, other))
	seen := map[string]int64{}
	for _, s := range p.Sample {
		for k, v := range s.Label {
			seen[k+"="+v[0]] += s.Value[1]
		}
	}
	for _, want := range []string{"rank=0", "rank=1", "request=0", "request=1", "step=1", "stage=decode", "stage=encode", "stage=diffuse", "stream=gpu0/7"} {
		if seen[want] == 0 {
			t.Errorf("no device time with label %s: %v", want, seen)
		}
	}
	var step int64
	for _, s := range truth.Steps {
		step += s.BusyNS
	}
	if seen["stage=diffuse"] != 2*step {
		t.Errorf("%d ns in steps, want twice %d", seen["stage=diffuse"], step)
	}
	if got, want := sums(p), (2 * int64(truth.GPU.Launches)); got[2] != want || got[1] != 2*truth.GPU.BusyNS {
		t.Errorf("sums %v, want %d launches and %d ns on the device", got, want, 2*truth.GPU.BusyNS)
	}
}

// TestLabelsGetCoarser lowers the bound on samples: nothing but labels is lost.
func TestLabelsGetCoarser(t *testing.T) {
	r, _ := walktest.Synth(t, synth.Options{Steps: 4, Layers: 2, Requests: 3, Python: true, Annotations: true})
	full := parse(t, write(t, pprof.Options{}, r))
	for _, c := range []struct {
		samples int
		kept    string
	}{{len(full.Sample), "request step"}, {len(full.Sample) - 1, "step"}, {10, ""}} {
		data := write(t, pprof.Options{Samples: c.samples}, r)
		p := parse(t, data)
		seen := map[string]bool{}
		for _, s := range p.Sample {
			for k := range s.Label {
				seen[k] = true
			}
		}
		for _, k := range []string{"request", "step"} {
			noted := strings.Contains(fmt.Sprint(p.Comments), "no label "+k+":")
			if kept := strings.Contains(c.kept, k); seen[k] != kept || noted == kept {
				t.Errorf("at most %d samples: label %s is there: %v; the comments: %q", c.samples, k, seen[k], p.Comments)
			}
		}
		if sums(p) != sums(full) || !seen["stage"] || !seen["stream"] || len(p.Sample) > len(full.Sample) {
			t.Errorf("at most %d samples: %d with sums %v, want %v", c.samples, len(p.Sample), sums(p), sums(full))
		}
	}
}

func TestShow(t *testing.T) {
	host := walktest.Text(t, "track cpu1/1\nrange op \"a\" at 0us for 1us\n")
	both := walktest.File(t, "testdata/step.txt")
	for _, c := range []struct {
		r          analyze.Rank
		show, want string
	}{{host, "", "cpu"}, {both, "", "device"}, {both, "cpu", "cpu"}, {host, "launches", "launches"}} {
		if got := parse(t, write(t, pprof.Options{Show: c.show}, c.r)).DefaultSampleType; got != c.want {
			t.Errorf("show %q: %q, want %q", c.show, got, c.want)
		}
	}
	if err := pprof.Write(io.Discard, nil, pprof.Options{Show: "wall"}); err == nil || !strings.Contains(err.Error(), "cpu, device or launches") {
		t.Errorf("an unknown value: %v", err)
	}
}

func TestHostileNames(t *testing.T) {
	if p := parse(t, write(t, pprof.Options{}, walktest.Hostile(t))); p.CheckValid() != nil || len(p.Sample) < 40 {
		t.Errorf("%d samples, %v", len(p.Sample), p.CheckValid())
	}
	if p := parse(t, write(t, pprof.Options{})); len(p.Sample) != 0 {
		t.Error("samples of no rank")
	}
}

// TestTotals compares the sums with the timeline.
func TestTotals(t *testing.T) {
	for _, name := range walktest.Samples() {
		t.Run(name, func(t *testing.T) {
			r := walktest.Sample(t, name)
			data := write(t, pprof.Options{}, r)
			a, device := &r.TL.Activities, int64(0)
			launches := map[any]bool{}
			for i, c := range a.Class {
				if c.IsWork() {
					device += a.Dur[i]
					if a.Launch[i] >= 0 {
						launches[a.Launch[i]] = true
					}
				}
			}
			if got := sums(parse(t, data)); got[1] != device || got[2] != int64(len(launches)) {
				t.Errorf("sums %v, want %d ns on the device and %d launches", got, device, len(launches))
			}
			if !bytes.Equal(data, write(t, pprof.Options{}, r)) {
				t.Error("two runs differ")
			}
		})
	}
}

func TestErrorsOfTheWriter(t *testing.T) {
	full := walktest.Full(10)
	if err := pprof.Write(&full, []analyze.Rank{walktest.File(t, "testdata/step.txt")}, pprof.Options{}); !errors.Is(err, walktest.ErrFull) {
		t.Errorf("error %v", err)
	}
}

// TestTop asks the tool that people use for its table.
func TestTop(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	file := filepath.Join(t.TempDir(), "profile.pb.gz")
	if err := os.WriteFile(file, write(t, pprof.Options{}, walktest.File(t, "testdata/step.txt")), 0o600); err != nil {
		t.Fatal(err)
	}
	top := func(args ...string) string {
		c := exec.Command(tool, append(append([]string{"tool", "pprof", "-top"}, args...), file)...)
		c.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir(), "TZ=UTC")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Skipf("go tool pprof does not run: %v: %s", err, out)
		}
		return "pprof -top " + strings.Join(args, " ") + "\n" + string(out) + "\n"
	}
	golden.String(t, "top.golden", top()+top("-sample_index=launches", "-cum")+
		top("-lines", "-sample_index=cpu", "-focus=forward")+top("-tagfocus=step=^1$"))
}

func BenchmarkWrite(b *testing.B) {
	r := walktest.Sample(b, walktest.SD35)
	b.ReportAllocs()
	for b.Loop() {
		if err := pprof.Write(io.Discard, []analyze.Rank{r}, pprof.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.TL.Ranges.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mranges/s")
}
