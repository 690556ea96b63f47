package perfetto_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"reel/analyze"
	ev "reel/event"
	"reel/internal/golden"
	"reel/internal/synth"
	"reel/internal/walk"
	"reel/internal/walk/walktest"
	"reel/timeline"
	"reel/write/perfetto"
)

func write(t testing.TB, opt perfetto.Options, ranks ...analyze.Rank) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := perfetto.Write(&b, ranks, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestStep(t *testing.T) {
	r := walktest.File(t, "testdata/step.txt")
	golden.String(t, "step.golden", decode(t, write(t, perfetto.Options{}, r)).dump())
}

// want counts what a rank's slices and arrows must be.
func want(tl *timeline.Timeline, d *analyze.Derived) (slices, arrows int) {
	slices = tl.Ranges.Len() + len(d.Requests) + len(d.Stages) + len(d.Steps)
	for i, c := range tl.Activities.Class {
		if c != ev.Unsound {
			slices++
		}
		if c.IsWork() && walk.Cause(tl, i) != timeline.NoRange {
			arrows++
		}
	}
	return slices, arrows
}

// check decodes a trace and compares it with its ranks: every range and activity
// is there with its times, every arrow has both ends.
func check(t *testing.T, data []byte, ranks ...analyze.Rank) {
	t.Helper()
	d := decode(t, data)
	wantSlices, wantArrows := 0, 0
	durations := map[string]int64{}
	for _, r := range ranks {
		s, a := want(r.TL, r.Derived)
		wantSlices, wantArrows = wantSlices+s, wantArrows+a
		for i, c := range r.TL.Activities.Class {
			if c != ev.Unsound {
				durations[cmp.Or(walk.Text(r.TL.Name(r.TL.Activities.Name[i])), "(no name)")] += r.TL.Activities.Dur[i]
			}
		}
	}
	from, to := map[uint64]bool{}, map[uint64]bool{}
	all := d.slices()
	for _, s := range all {
		work := s.category == "kernel" || s.category == "copy" || s.category == "set" || s.category == "work"
		for _, f := range append(slices.Clone(s.out), s.in...) {
			if side := map[bool]map[uint64]bool{true: to, false: from}[work]; side[f] {
				t.Errorf("arrow %d twice on one side", f)
			} else {
				side[f] = true
			}
		}
		if work || s.category == "sync" || s.category == "gpuannotation" {
			durations[s.name] -= int64(s.end - s.at)
			if work && s.depth > 0 && strings.HasPrefix(s.name, "k") && s.category != "sync" {
				parentIsWork(t, all, s)
			}
		}
	}
	for name, ns := range durations {
		if ns != 0 {
			t.Errorf("%q: %d ns lost", name, ns)
		}
	}
	if len(all) != wantSlices || len(from) != wantArrows || len(to) != wantArrows {
		t.Errorf("%d slices, %d arrows begin and %d end; want %d and %d", len(all), len(from), len(to), wantSlices, wantArrows)
	}
	for f := range from {
		if !to[f] {
			t.Errorf("arrow %d never ends", f)
		}
	}
}

// parentIsWork fails when a kernel lies inside another on its track.
func parentIsWork(t *testing.T, all []slice, s slice) {
	for _, p := range all {
		if p.track == s.track && p.depth == s.depth-1 && p.at <= s.at && s.end <= p.end && p.end > s.at && (p.category == "kernel" || p.category == "copy") {
			t.Errorf("%s %q lies inside %s %q", s.category, s.name, p.category, p.name)
		}
	}
}

func TestOverlapsAreNotLost(t *testing.T) {
	for seed := range uint64(20) {
		r := walktest.Random(t, seed, 150)
		check(t, write(t, perfetto.Options{}, r), r)
	}
}

func TestMoreOverlapsThanTracks(t *testing.T) {
	var b strings.Builder
	b.WriteString("track gpu0/1\n")
	for i := range 600 {
		fmt.Fprintf(&b, "gpu \"x\" at %dus for 1000us\n", i)
	}
	d := decode(t, write(t, perfetto.Options{}, walktest.Text(t, b.String())))
	cut := 0
	for _, s := range d.slices() {
		if slices.Contains(s.notes, "true duration (ns)=1000000") {
			cut++
		}
	}
	if n := len(d.slices()); n != 600 || cut != 600-256 || len(d.tracks) > 270 {
		t.Errorf("%d slices, %d cut, %d tracks", n, cut, len(d.tracks))
	}
}

func TestSamples(t *testing.T) {
	for _, name := range walktest.Samples() {
		t.Run(name, func(t *testing.T) {
			r := walktest.Sample(t, name)
			data := write(t, perfetto.Options{}, r)
			check(t, data, r)
			if !bytes.Equal(data, write(t, perfetto.Options{}, r)) {
				t.Error("two runs differ")
			}
		})
	}
}

func TestRanksShareAClock(t *testing.T) {
	o := synth.Options{Steps: 2, Layers: 1, WorldSize: 2, Collectives: true}
	a, _ := walktest.Synth(t, o)
	o.Rank = 1
	b, truth := walktest.Synth(t, o)
	data := write(t, perfetto.Options{}, a, b)
	check(t, data, a, b)
	d := decode(t, data)
	if len(d.seqs) != 2 {
		t.Errorf("%d sequences, want one for each rank", len(d.seqs))
	}
	seen := map[string]uint64{}
	for _, e := range d.events {
		rank, _, _ := strings.Cut(d.path(e.track), " / ")
		if seen[rank] == 0 || e.at < seen[rank] {
			seen[rank] = e.at
		}
	}
	if want := uint64(truth.BaseNS + b.TL.Origin); seen["rank 1"] != want || len(seen) != 2 {
		t.Errorf("first events at %v, want rank 1 at %d", seen, want)
	}
}

func TestHostileNames(t *testing.T) {
	r := walktest.Hostile(t)
	data := write(t, perfetto.Options{}, r, r)
	check(t, data, r, r)
	for _, e := range decode(t, data).events {
		if !utf8.ValidString(e.name) || (e.kind == 1 || e.kind == 3) && e.name == "" {
			t.Errorf("name %q", e.name)
		}
	}
}

func TestArgs(t *testing.T) {
	r := walktest.Text(t, "track cpu1/1\nrange op \"a\" at 1us for 2us args {\"Input Dims\": [[2,3]]}\nrange op \"b\" at 4us for 2us args {\"Input Dims\": [[2,3]]}\n")
	var notes []string
	for _, e := range decode(t, write(t, perfetto.Options{Args: []string{"never", "Input Dims"}}, r)).events {
		notes = append(notes, e.notes...)
	}
	if got := strings.Join(notes, " "); got != "Input Dims=[[2,3]] Input Dims=[[2,3]]" {
		t.Error(got)
	}
}

func TestUnsound(t *testing.T) {
	r := walktest.File(t, "testdata/step.txt")
	a, b := decode(t, write(t, perfetto.Options{}, r)).slices(), decode(t, write(t, perfetto.Options{Unsound: true}, r)).slices()
	if len(b) != len(a)+1 {
		t.Errorf("%d slices and with the unsound one %d", len(a), len(b))
	}
}

func TestNoEvents(t *testing.T) {
	if d := decode(t, write(t, perfetto.Options{}, walktest.Text(t, ""))); len(d.tracks) != 1 || len(d.events) != 0 {
		t.Errorf("%d tracks, %d events", len(d.tracks), len(d.events))
	}
	if data := write(t, perfetto.Options{}); len(data) != 0 {
		t.Error("no rank gives no packet")
	}
}

func TestErrorsOfTheWriter(t *testing.T) {
	r := walktest.Random(t, 1, 10_000)
	for _, size := range []walktest.Full{10, 500_000} {
		if err := perfetto.Write(&size, []analyze.Rank{r}, perfetto.Options{}); !errors.Is(err, walktest.ErrFull) {
			t.Errorf("error %v", err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	r := walktest.Sample(b, walktest.SD35)
	var n counter
	b.ReportAllocs()
	for b.Loop() {
		if err := perfetto.Write(io.MultiWriter(io.Discard, &n), []analyze.Rank{r}, perfetto.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	slices, _ := want(r.TL, r.Derived)
	b.ReportMetric(float64(slices)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mslices/s")
	b.ReportMetric(float64(n)/float64(slices)/float64(b.N), "B/slice")
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
