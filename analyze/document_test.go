package analyze

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reel/event"
	"reel/timeline"
)

// said is one file in a test of numbering.
type said struct {
	name        string
	rank        int // -1 does not say
	host        string
	start, last int64 // s; start 0 is no absolute time
	world       int
}

func (x said) partial() *Partial {
	tl := &timeline.Timeline{Info: event.Info{Path: x.name, Format: "text", Complete: true}}
	if x.rank >= 0 {
		tl.Info.Rank = &x.rank
	}
	if x.world > 0 {
		tl.Info.WorldSize = &x.world
	}
	s := RankSummary{Host: x.host, Duration: x.last * 1e9}
	if x.start > 0 {
		start := x.start * 1e9
		s.StartUnix = &start
	}
	return NewPartial(tl, s, nil)
}

// TestNumbering: which rank each file gets, and what is said of it.
func TestNumbering(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []said
		want  string // file=rank …
		notes []string
	}{
		{"one, silent", []said{{name: "a.json", rank: -1}}, "a.json=0", nil},
		{"one, rank 5 of 8", []said{{name: "a.json", rank: 5, world: 8}}, "a.json=5", nil},
		{"all say", []said{{name: "x", rank: 1, start: 1, last: 9}, {name: "y", rank: 0, start: 2, last: 9}}, "y=0 x=1", nil},
		{"none says", []said{{name: "rank10.json", rank: -1, start: 1}, {name: "rank9.json", rank: -1, start: 2}, {name: "rank1.json", rank: -1, start: 3}},
			"rank1.json=0 rank9.json=1 rank10.json=2", []string{"no file says its rank: numbered in the order of their names"}},
		{"some say", []said{{name: "a", rank: 1, start: 1}, {name: "b", rank: -1, start: 1}, {name: "c", rank: -1, start: 2}},
			"b=0 a=1 c=2", []string{"2 of 3 files do not say their rank: numbered in the order of their names"}},
		{"two claim one", []said{{name: "b", rank: 0, start: 1, last: 9}, {name: "a", rank: 0, start: 2, last: 9}},
			"a=0 b=1", []string{"b says that it is rank 0, as another file does: shown as rank 1 (to compare two runs, use reel diff)"}},
		{"windows", []said{{name: "w1", rank: 0, start: 11, last: 9}, {name: "w0", rank: 0, start: 1, last: 9}, {name: "o", rank: 1, start: 1, last: 9}},
			"w0=0 w1=0 o=1", []string{"rank 0 has 2 recordings, one after the other"}},
		{"other hosts are no windows", []said{{name: "w1", rank: 0, host: "n1", start: 11, last: 9}, {name: "w0", rank: 0, host: "n0", start: 1, last: 9}},
			"w0=0 w1=1", []string{"w1 says that it is rank 0, as another file does: shown as rank 1 (to compare two runs, use reel diff)"}},
		{"twins", []said{{name: "b", rank: 0, start: 1}, {name: "a", rank: 0, start: 1}},
			"a=0", []string{"a and b are the same recording: counted once"}},
		{"missing ranks", []said{{name: "a", rank: 0, world: 8, start: 1}, {name: "b", rank: 3, world: 8, start: 1}, {name: "c", rank: 6, world: 8, start: 1}},
			"a=0 b=3 c=6", []string{"5 of 8 ranks are missing: 1-2, 4-5, 7"}},
		{"a world of a thousand million", []said{{name: "a", rank: 0, world: 1e9, start: 1}, {name: "b", rank: 5e8, world: 1e9, start: 1}},
			"a=0 b=500000000", []string{"999,999,998 of 1,000,000,000 ranks are missing: 1-499999999, 500000001-999999999"}},
		{"two worlds", []said{{name: "a", rank: 0, world: 8, start: 1}, {name: "b", rank: 1, world: 2, start: 1}},
			"a=0 b=1", []string{"the files do not agree on the number of ranks: 2 to 8"}},
		{"no clock", []said{{name: "a", rank: 0, start: 1}, {name: "b", rank: 1}},
			"a=0 b=1", []string{"1 of 2 files carry no absolute time: their ranks are on no common clock"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var parts []*Partial
			for _, x := range c.files {
				parts = append(parts, x.partial())
			}
			d := Finalize(MergeAll(parts...))
			var got []string
			for i := range d.Ranks {
				got = append(got, fmt.Sprintf("%s=%d", d.Sources[i].Path, d.Ranks[i].Rank))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("ranks %s, want %s", s, c.want)
			}
			if !slices.Equal(d.Warnings, append([]string{}, c.notes...)) {
				t.Errorf("warnings %q, want %q", d.Warnings, c.notes)
			}
		})
	}
}

func TestManyDisputed(t *testing.T) {
	var parts []*Partial
	for i := range 30 {
		parts = append(parts, said{name: fmt.Sprint("f", i), rank: 0, start: 1, last: int64(i + 1)}.partial())
	}
	d := Finalize(MergeAll(parts...))
	if n := len(d.Warnings); n != maxGaps+1 || d.Warnings[n-1] != "the same holds for 21 more files" || d.Ranks[29].Rank != 29 {
		t.Errorf("%d warnings: %q", n, d.Warnings)
	}
}

// TestClock: ranks are placed by absolute time, from the earliest.
func TestClock(t *testing.T) {
	d := Finalize(MergeAll(said{name: "b", rank: 1, start: 7}.partial(), said{name: "a", rank: 0, start: 9}.partial(), said{name: "c", rank: 2}.partial()))
	want := Clock{Start: 7e9, Spread: 2e9, Offsets: []RankOffset{{Rank: 0, Offset: 2e9}, {Rank: 1}}}
	if d.Clock == nil || d.Clock.Start != want.Start || d.Clock.Spread != want.Spread || !slices.Equal(d.Clock.Offsets, want.Offsets) {
		t.Errorf("%+v, want %+v", d.Clock, want)
	}
	if one := Finalize(MergeAll(said{name: "b", rank: 1, start: 7}.partial(), said{name: "a", rank: 0}.partial())); one.Clock != nil {
		t.Errorf("a clock of one rank: %+v", one.Clock)
	}
}

// TestEmptyDocument: lists are there and empty, everything else is absent.
func TestEmptyDocument(t *testing.T) {
	const want = `{"schema":"reel.summary/1","sources":[],"ranks":[],"findings":[],"warnings":[]}` + "\n"
	for _, p := range []*Partial{nil, {}, MergeAll(), Merge(nil, nil), MergeAll(nil, nil, &Partial{})} {
		if got := document(t, p); string(got) != want {
			t.Errorf("%s", got)
		}
	}
}

// TestTotals: over all ranks, the same as over all values at once.
func TestTotals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	var parts []*Partial
	var want totals
	for range 40 {
		tl, s := randomRank(rnd, nil, 5)
		parts = append(parts, NewPartial(tl, s, nil))
		want.add(&s)
	}
	p := MergeAll(parts...)
	if !p.totals.equal(&want) {
		t.Error("totals differ")
	}
	d := Finalize(p)
	if d.Totals.Steps.CPU.Count != 200 || d.Totals.Steps.CPU.P99 == nil || d.Totals.Records != 40 {
		t.Errorf("%+v", d.Totals.Steps)
	}
	var busy int64
	for _, r := range d.Ranks {
		if r.GPU != nil {
			busy += r.GPU.Busy
		}
	}
	if busy != d.Totals.Device.Busy.Sum {
		t.Errorf("busy %d, want %d", d.Totals.Device.Busy.Sum, busy)
	}
}

func TestNatural(t *testing.T) {
	sorted := []string{"", "a", "a1", "a01", "a2", "a10", "a10b", "a10b2", "ab", "b", "rank9.json", "rank10.json"}
	for i, a := range sorted {
		for j, b := range sorted {
			c := natural(a, b)
			if (c < 0) != (i < j) && a != "a01" && b != "a01" || (c == 0) != (a == b) || c != -natural(b, a) {
				t.Errorf("natural(%q, %q) = %d", a, b, c)
			}
		}
	}
}

// TestFindingForm: the JSON that the command line promises; what is absent is
// left out.
func TestFindingForm(t *testing.T) {
	rank, step, cost := 0, 3, int64(345_000_000)
	full := Finding{ID: "gpu-idle", Severity: SeverityWarn, Title: "the device waits", Cost: &cost,
		Where: &Where{&rank, "diffuse", &step, "pipeline_flux.py(912): __call__"}, Evidence: map[string]any{"idle_percent": 36}, Remedy: "compile"}
	for want, f := range map[string]Finding{
		`{"id":"gpu-idle","severity":"warn","title":"the device waits","cost_ns":345000000,"where":{"rank":0,"stage":"diffuse","step":3,"call":"pipeline_flux.py(912): __call__"},"evidence":{"idle_percent":36},"remedy":"compile"}`: full,
		`{"id":"x","severity":"info","title":"y"}`: {ID: "x", Severity: SeverityInfo, Title: "y"},
	} {
		if got, err := compact(f); err != nil || !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
}
