package analyze

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"reel/event"
	"reel/internal/samples"
	"reel/timeline"
)

// met is a rank in a test of clocks: its file says that it began at start, its clock is
// ahead by wrong; it comes to the collectives at come and leaves them at leave. All ns.
type met struct {
	start, wrong int64
	come, leave  []int64
}

func (m met) partial(rank int) *Partial {
	tl := &timeline.Timeline{Info: event.Info{Path: fmt.Sprint("rank", rank), Format: "text", Complete: true, Rank: &rank}}
	first := m.start + m.wrong
	s := RankSummary{StartUnix: &first}
	c := CollectiveSort{Name: "all_reduce", Count: int64(len(m.come))}
	last := m.start
	for i, at := range m.come {
		c.Start, c.Dur = append(c.Start, at-last), append(c.Dur, m.leave[i]-at)
		last = at
	}
	s.Collectives = &CollectiveTimes{Sorts: []CollectiveSort{c}}
	return NewPartial(tl, s, nil)
}

// ranksThatMeet makes three ranks with the same ends, but for some jitter.
func ranksThatMeet(jitter int64) (ranks [3]met) {
	rnd := rand.New(rand.NewPCG(41, 42))
	const began = int64(1_700_000_000_000_000_000)
	for r := range ranks {
		ranks[r].start = began + int64(r)*1e6
	}
	for i := range 40 {
		end := began + 20e6 + int64(i)*10e6
		for r := range ranks {
			early := int64(r) * 1e6 // rank 0 comes last
			ranks[r].come = append(ranks[r].come, end-2e6-early)
			ranks[r].leave = append(ranks[r].leave, end+rnd.Int64N(2*jitter+1)-jitter)
		}
	}
	return ranks
}

// TestClockRefined: clocks that are wrong are set right by the ends of collectives, to
// what these scatter; those that are right stay.
func TestClockRefined(t *testing.T) {
	ranks := ranksThatMeet(2000)
	ranks[1].wrong, ranks[2].wrong = 700_000, 500
	d := Finalize(MergeAll(ranks[0].partial(0), ranks[1].partial(1), ranks[2].partial(2)))
	o := d.Clock.Offsets
	if c := *o[1].Correction; c < -703_000 || c > -697_000 {
		t.Errorf("rank 1 is corrected by %d, its clock was ahead by 700000", c)
	}
	if *o[0].Correction != 0 || *o[2].Correction != 0 {
		t.Errorf("ranks 0 and 2 are corrected by %d and %d", *o[0].Correction, *o[2].Correction)
	}
	if e := *d.Clock.Error; e < 100 || e > 4000 {
		t.Errorf("the clocks agree to %d", e)
	}
	if w := d.Waits.Ranks; !near(d.Waits) || w[0].CameLast != 40 || w[1].CameLast != 0 {
		t.Errorf("%+v", w)
	}
	if d.Waits.Last == nil || *d.Waits.Last != 0 || d.Waits.Collectives != 40 || d.Waits.Unmatched != 0 {
		t.Errorf("%+v", d.Waits)
	}
}

// near says that ranks 1 and 2 waited 40 and 80 ms for rank 0, to what the clocks allow.
func near(w *Waits) bool {
	off := magnitude(w.Ranks[1].Waited-40e6) + magnitude(w.Ranks[2].Waited-80e6) + magnitude(w.Ranks[0].HeldUp-120e6) + w.Ranks[0].Waited
	return off < 40*4*4000 && *w.Ranks[1].For == 0 && *w.Ranks[2].For == 0
}

// TestClockNotRefined: two collectives are too few, and ranks that have other numbers of
// them are left out.
func TestClockNotRefined(t *testing.T) {
	ranks := ranksThatMeet(0)
	few := ranks
	for r := range few {
		few[r].come, few[r].leave = few[r].come[:2], few[r].leave[:2]
	}
	d := Finalize(MergeAll(few[0].partial(0), few[1].partial(1)))
	if d.Clock.Error != nil || d.Clock.Offsets[0].Correction != nil || d.Waits.Collectives != 2 {
		t.Errorf("%+v, %+v", d.Clock, d.Waits)
	}
	ranks[2].come, ranks[2].leave = ranks[2].come[1:], ranks[2].leave[1:]
	d = Finalize(MergeAll(ranks[0].partial(0), ranks[1].partial(1), ranks[2].partial(2)))
	if d.Waits.Unmatched != 39 || d.Waits.Collectives != 40 || len(d.Waits.Ranks) != 2 || d.Clock.Offsets[2].Correction != nil {
		t.Errorf("%+v", d.Waits)
	}
}

// TestSkew: each step's slowest rank, and the slowest of all.
func TestSkew(t *testing.T) {
	rank := func(n int, ms ...int64) *Partial {
		tl := &timeline.Timeline{Info: event.Info{Path: fmt.Sprint("rank", n), Format: "text", Complete: true, Rank: &n}}
		start := int64(1_700_000_000_000_000_000) + int64(n)*1e6
		s := RankSummary{StartUnix: &start, Requests: []RequestInfo{{}}}
		at := int64(0)
		for i, v := range ms {
			s.Steps = append(s.Steps, StepInfo{Index: i, Start: at, CPU: v * 1e6})
			at += v * 1e6
		}
		return NewPartial(tl, s, nil)
	}
	d := Finalize(MergeAll(rank(0, 10, 10, 10), rank(1, 12, 13, 12), rank(2, 10, 11, 30), rank(3, 10, 10)))
	var got []string
	for _, r := range d.Skew.Rows {
		got = append(got, fmt.Sprintf("%d: %d %d-%d, %d to %d, %d late by %d", *r.Index, r.Median/1e6, r.Min/1e6, r.Max/1e6, r.Fastest, r.Slowest, *r.LastToStart, *r.StartSpread/1e6))
	}
	want := []string{"0: 10 10-12, 0 to 1, 3 late by 3", "1: 10 10-13, 0 to 1, 1 late by 3", "2: 12 10-30, 0 to 2, 1 late by 6"}
	if !slices.Equal(got, want) || d.Skew.Unit != "step" || d.Skew.Slowest != 1 {
		t.Errorf("%q, slowest %d", got, d.Skew.Slowest)
	}
	if one := Finalize(rank(0, 1, 2)); one.Skew != nil || one.Waits != nil {
		t.Error("one rank is compared with itself")
	}
}

// TestRanksOfDLRM: of the eight ranks of one step, rank 7 is the one that all others wait
// for, 8 times; the expected numbers were worked out from the kernels' times by hand.
func TestRanksOfDLRM(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(samples.Shared(t), "multirank", "param_dlrm_8gpu_worker*.json.gz"))
	if err != nil || len(files) != 8 {
		t.Skipf("no sample traces of eight ranks: %d files, %v", len(files), err)
	}
	roles, err := LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	var parts []*Partial
	for _, file := range files {
		tl, ok := sampleTimeline(t, "multirank/"+filepath.Base(file))
		if !ok {
			t.Skip("a sample cannot be read")
		}
		parts = append(parts, NewPartial(tl, Summarize(tl, roles), nil))
	}
	d := Finalize(MergeAll(parts...))
	if r := d.Skew.Rows[0]; d.Skew.Unit != "request" || len(d.Skew.Rows) != 1 || r.Slowest != 1 || r.Max != 19_901_000 || r.Fastest != 7 || *r.LastToStart != 7 {
		t.Errorf("%+v", r)
	}
	w := d.Waits
	if w.Collectives != 8 || w.Unmatched != 0 || *w.Last != 7 {
		t.Errorf("%+v", w)
	}
	// Rank 0 comes so much before the last rank, µs: 2135+1024+168+124+159+503+582+885.
	if r := w.Ranks[0]; r.Waited < 5_572_000 || r.Waited > 5_588_000 || *r.For != 7 {
		t.Errorf("rank 0: %+v", r)
	}
	if r := w.Ranks[7]; r.CameLast != 5 || *r.Overlap < 9.50 || *r.Overlap > 9.51 {
		t.Errorf("rank 7: %+v", r)
	}
	if e := d.Clock.Error; e == nil || *e > 3000 {
		t.Errorf("clock: %v", e)
	}
}
