package analyze

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"reel/event"
	"reel/timeline"
)

// randomRank makes a rank's timeline, as far as a partial looks at it, and summary.
func randomRank(rnd *rand.Rand, rank *int, steps int) (*timeline.Timeline, RankSummary) {
	tl := &timeline.Timeline{Info: event.Info{Path: fmt.Sprintf("/runs/%d/rank%d.json.gz", rnd.IntN(3), rnd.IntN(1000)), Format: "kineto",
		Bytes: rnd.Int64N(1e8), Events: rnd.Int64N(1e6), Complete: rnd.IntN(4) > 0, MissingPercent: rnd.Float64() * 3, Rank: rank}}
	for i := range rnd.IntN(3) {
		tl.Warnings = append(tl.Warnings, event.Warning{Code: "odd", Text: "something is odd", Event: int64(rnd.IntN(9) - 1), Count: int64(i)})
	}
	d := func() int64 { return rnd.Int64N(1 << (1 + rnd.UintN(40))) }
	s := RankSummary{Host: fmt.Sprint("node", rnd.IntN(3)), Duration: d(), Timing: HostTimed,
		Requests: []RequestInfo{{Duration: d(), Evidence: ByCall}}, Stages: []StageInfo{}, Steps: []StepInfo{}}
	if rnd.IntN(5) > 0 {
		start := 1_700_000_000_000_000_000 + d()
		s.StartUnix = &start
	}
	var busy, share *int64
	if device := rnd.IntN(4) > 0; device {
		v, w, percent := d(), d(), rnd.Float64()*100
		busy, share, s.Timing = &v, &w, DeviceTimed
		s.GPU = &GPU{Span: v + d(), Busy: v, Compute: d(), Comm: d(), BusyPercent: percent, CommOverlapPercent: &percent, Activities: rnd.IntN(1e6)}
		s.Devices = []DeviceGPU{{ID: int64(rnd.IntN(8)), GPU: *s.GPU}}
	}
	if rnd.IntN(2) == 0 {
		c := CollectiveSort{Name: "nccl", Count: int64(3 + rnd.IntN(2))}
		for range c.Count {
			c.Start, c.Dur = append(c.Start, d()), append(c.Dur, d())
		}
		s.Collectives = &CollectiveTimes{Sorts: []CollectiveSort{c}}
	}
	for _, name := range []string{"encode", "decode", "diffuse"}[:rnd.IntN(4)] {
		s.Stages = append(s.Stages, StageInfo{Stage: name, Name: "Model_<0>", CPU: d(), GPUBusy: busy, Evidence: ByModule})
	}
	for i := range steps {
		s.Steps = append(s.Steps, StepInfo{Index: i, Name: "DiT_0", Start: d(), CPU: d(), GPUBusy: share, Evidence: ByModule})
	}
	return tl, s
}

// randomPartials makes n partials of one record each; some claim the same
// rank, some no rank, some are twins.
func randomPartials(rnd *rand.Rand, n int) []*Partial {
	var list []*Partial
	for range n {
		if len(list) > 0 && rnd.IntN(6) == 0 {
			list = append(list, list[rnd.IntN(len(list))])
			continue
		}
		var rank *int
		if r := rnd.IntN(n + 2); r < n {
			rank = &r
		}
		tl, s := randomRank(rnd, rank, rnd.IntN(5))
		list = append(list, NewPartial(tl, s, nil))
		if rnd.IntN(8) == 0 { // the same file under another name
			tl.Info.Path = "copy of it.json.gz"
			list = append(list, NewPartial(tl, s, nil))
		}
	}
	return list
}

func encoded(t testing.TB, p *Partial) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func document(t testing.TB, p *Partial) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Finalize(p).Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decoded(t testing.TB, text []byte) *Partial {
	t.Helper()
	p, err := DecodePartial(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

// TestMergeAnyTree: any order and any tree of merges, with files between or
// not, and parts of it merged twice, gives the same bytes.
func TestMergeAnyTree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		list := randomPartials(rnd, n)
		whole := MergeAll(list...)
		want, wantDoc := encoded(t, whole), document(t, whole)
		for range 3 {
			parts := slices.Clone(list)
			parts = append(parts, nil, &Partial{})
			for len(parts) > 1 {
				rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				m := Merge(parts[0], parts[1])
				if rnd.IntN(4) == 0 {
					m = decoded(t, encoded(t, m))
				}
				if rnd.IntN(4) == 0 {
					m = Merge(m, parts[rnd.IntN(2)])
				}
				parts = append(parts[2:], m)
			}
			if got := encoded(t, parts[0]); !bytes.Equal(got, want) {
				t.Fatalf("merged:\n%s\nwant:\n%s", got, want)
			}
			if got := document(t, parts[0]); !bytes.Equal(got, wantDoc) {
				t.Fatalf("document:\n%s\nwant:\n%s", got, wantDoc)
			}
		}
		if again := encoded(t, whole); !bytes.Equal(again, want) {
			t.Fatal("merging changed what was merged")
		}
	}
}

// TestOneRank: the document of one rank holds its summary, unchanged.
func TestOneRank(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var rank *int
		if r := rnd.IntN(3); r > 0 {
			rank = &r
		}
		tl, s := randomRank(rnd, rank, 3)
		p := NewPartial(tl, s, nil)
		if rank != nil {
			s.Rank = *rank
		}
		d := Finalize(p)
		want, _ := json.Marshal(s)
		if got, _ := json.Marshal(d.Ranks[0]); !bytes.Equal(got, want) || len(d.Ranks) != 1 || d.Sources[0] != SourceOf(tl) {
			t.Fatalf("%s\nwant %s", got, want)
		}
		if n := len(tl.Warnings); len(d.Warnings) != n || d.Totals != nil || d.Clock != nil {
			t.Errorf("%d warnings, want %d: %q", len(d.Warnings), n, d.Warnings)
		}
		if got := document(t, decoded(t, encoded(t, p))); !bytes.Equal(got, document(t, p)) {
			t.Errorf("by way of a file: %s", got)
		}
	}
}

// TestTwice: what is merged twice counts once.
func TestTwice(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	a := MergeAll(randomPartials(rnd, 9)...)
	b := MergeAll(randomPartials(rnd, 9)...)
	for _, twice := range []*Partial{Merge(a, a), Merge(a, decoded(t, encoded(t, a))), Merge(Merge(a, b), MergeAll(b, a, b))} {
		want := a
		if twice.Len() > a.Len() {
			want = Merge(a, b)
		}
		if !bytes.Equal(encoded(t, twice), encoded(t, want)) {
			t.Error("merging twice is not merging once")
		}
	}
}

// TestImpossibleValues: they are repaired, said, and leave the caller's alone.
func TestImpossibleValues(t *testing.T) {
	tl, s := randomRank(rand.New(rand.NewPCG(7, 8)), nil, 2)
	tl.Warnings = nil
	s.GPU = &GPU{BusyPercent: math.NaN(), Idle: -5}
	s.Steps[1].CPU = -1
	start := int64(math.MinInt64)
	s.StartUnix = &start
	s.Steps[0].Name = "bad \xff utf-8"
	p := NewPartial(tl, s, nil)
	d := Finalize(p)
	if s.Steps[1].CPU != -1 || s.GPU.Idle != -5 || s.StartUnix == nil {
		t.Error("the caller's summary was changed")
	}
	r := d.Ranks[0]
	if r.GPU.BusyPercent != 0 || r.GPU.Idle != 0 || r.Steps[1].CPU != 0 || r.StartUnix != nil || r.Steps[0].Name != "bad \uFFFD utf-8" {
		t.Errorf("not repaired: %+v", r)
	}
	want := []string{"kineto: " + baseName(tl.Info.Path) + ": summary.gpu.idle_ns and perhaps others cannot be true; taken as 0 (4 times)"}
	if !slices.Equal(d.Warnings, want) {
		t.Errorf("%q\nwant %q", d.Warnings, want)
	}
	if !bytes.Equal(encoded(t, decoded(t, encoded(t, p))), encoded(t, p)) {
		t.Error("it does not survive a file")
	}
}
