package stacks_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"reel/analyze"
	"reel/event"
	"reel/internal/golden"
	"reel/internal/synth"
	"reel/internal/walk"
	"reel/internal/walk/walktest"
	"reel/timeline"
	"reel/write/stacks"
)

type writer func(io.Writer, []analyze.Rank, stacks.Options) error

func text(t testing.TB, w writer, opt stacks.Options, ranks ...analyze.Rank) string {
	t.Helper()
	var b bytes.Buffer
	if err := w(&b, ranks, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// total adds up the times of all lines, us.
func total(t testing.TB, s string) (sum int64) {
	t.Helper()
	for line := range strings.Lines(s) {
		k := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseInt(strings.TrimSuffix(line[k+1:], "\n"), 10, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		sum += n
	}
	return sum
}

func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no text traces: %v", err)
	}
	for _, file := range files {
		r := walktest.File(t, file)
		golden.String(t, strings.TrimSuffix(filepath.Base(file), ".txt")+".golden",
			"cpu\n"+text(t, stacks.WriteCPU, stacks.Options{}, r)+"device\n"+text(t, stacks.WriteDevice, stacks.Options{}, r))
	}
}

func TestRanks(t *testing.T) {
	a, b := walktest.File(t, "testdata/overlap.txt"), walktest.File(t, "testdata/overlap.txt")
	b.Index = 1
	merged := text(t, stacks.WriteCPU, stacks.Options{}, a, b)
	if one := total(t, text(t, stacks.WriteCPU, stacks.Options{}, a)); total(t, merged) != 2*one {
		t.Errorf("two ranks together: %d us, want twice %d:\n%s", total(t, merged), one, merged)
	}
	apart := text(t, stacks.WriteCPU, stacks.Options{Ranks: true}, a, b)
	if !strings.HasPrefix(apart, "rank_0;") || !strings.Contains(apart, "\nrank_1;first 7\n") {
		t.Errorf("ranks are not told apart:\n%s", apart)
	}
}

// line is what flamegraph.pl, inferno and speedscope take.
var line = regexp.MustCompile(`^[^;\s]+(;[^;\s]+)* [1-9][0-9]*$`)

func TestHostileNames(t *testing.T) {
	r := walktest.Hostile(t)
	for name, w := range map[string]writer{"cpu": stacks.WriteCPU, "device": stacks.WriteDevice} {
		s := text(t, w, stacks.Options{}, r)
		if !utf8.ValidString(s) || s == "" {
			t.Errorf("%s: no valid text", name)
		}
		for l := range strings.Lines(s) {
			if !line.MatchString(strings.TrimSuffix(l, "\n")) {
				t.Errorf("%s: %.200q", name, l)
			}
			if len(l) > 5*16<<10 {
				t.Errorf("%s: a line of %d bytes", name, len(l))
			}
		}
	}
}

// TestTotals compares the sums with the timeline: CPU with the time that each
// thread's ranges cover, device with the durations of all work.
func TestTotals(t *testing.T) {
	ranks := []analyze.Rank{walktest.Random(t, 1, 300), walktest.Random(t, 2, 300)}
	made, truth := walktest.Synth(t, synth.Options{Steps: 3, Python: true, Annotations: true})
	if got := total(t, text(t, stacks.WriteDevice, stacks.Options{}, made)); got != truth.GPU.BusyNS/1000 {
		t.Errorf("generated: %d us on the device, want %d", got, truth.GPU.BusyNS/1000)
	}
	for _, r := range append(ranks, made) {
		checkTotals(t, r)
	}
	for _, name := range walktest.Samples() {
		t.Run(name, func(t *testing.T) { checkTotals(t, walktest.Sample(t, name)) })
	}
}

func checkTotals(t *testing.T, r analyze.Rank) {
	cpu, device := text(t, stacks.WriteCPU, stacks.Options{}, r), text(t, stacks.WriteDevice, stacks.Options{}, r)
	if got, want := total(t, cpu), covered(r.TL)/1000; got != want {
		t.Errorf("%s: %d us on the CPU, want %d", r.Path, got, want)
	}
	want := int64(0)
	for i, c := range r.TL.Activities.Class {
		if c.IsWork() {
			want += r.TL.Activities.Dur[i]
		}
	}
	if got := total(t, device); got != want/1000 {
		t.Errorf("%s: %d us on the device, want %d", r.Path, got, want/1000)
	}
	for _, s := range []string{cpu, device} {
		lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		for i, l := range lines {
			lines[i] = l[:max(0, strings.LastIndexByte(l, ' '))]
		}
		if slices.Sort(lines); len(slices.Compact(lines)) != len(lines) {
			t.Errorf("%s: equal stacks are not merged", r.Path)
		}
	}
	if text(t, stacks.WriteCPU, stacks.Options{}, r) != cpu || text(t, stacks.WriteDevice, stacks.Options{}, r) != device {
		t.Errorf("%s: two runs differ", r.Path)
	}
}

// covered is the time that the ranges of each thread cover, ns.
func covered(tl *timeline.Timeline) (sum int64) {
	for _, id := range tl.HostTracks() {
		if !walk.IsProgram(tl, id) {
			continue
		}
		end := int64(-1 << 63)
		for i := timeline.RangeID(tl.Tracks[id].Lo); i < timeline.RangeID(tl.Tracks[id].Hi); i++ {
			if e := tl.Ranges.End(i); e > end {
				sum += e - max(end, tl.Ranges.Start[i])
				end = e
			}
		}
	}
	return sum
}

func TestNoDevice(t *testing.T) {
	r := walktest.Text(t, "track cpu1/1\nrange op \"a\" at 0us for 1us\n")
	if s := text(t, stacks.WriteDevice, stacks.Options{}, r); s != "" {
		t.Errorf("want an empty file, got %q", s)
	}
	if r.TL.Ranges.Class[0] != event.Op {
		t.Error("the trace is not what it should be")
	}
}

func TestErrorsOfTheWriter(t *testing.T) {
	r := walktest.File(t, "testdata/step.txt")
	for _, w := range []writer{stacks.WriteCPU, stacks.WriteDevice} {
		full := walktest.Full(10)
		if err := w(&full, []analyze.Rank{r}, stacks.Options{}); !errors.Is(err, walktest.ErrFull) {
			t.Errorf("error %v", err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	r := walktest.Sample(b, walktest.SD35)
	for name, w := range map[string]writer{"cpu": stacks.WriteCPU, "device": stacks.WriteDevice} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := w(io.Discard, []analyze.Rank{r}, stacks.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.TL.Ranges.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mranges/s")
		})
	}
}
