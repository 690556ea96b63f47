package walk_test

import (
	"slices"
	"testing"

	"reel/analyze"
	"reel/internal/walk"
	"reel/internal/walk/walktest"
	"reel/timeline"
)

// record writes down what a sweep tells, checking what it promises.
type record struct {
	t    *testing.T
	tl   *timeline.Timeline
	seen timeline.RangeID
	now  int64
	sum  int64
	at   map[int64]timeline.RangeID // innermost range by microsecond
}

func (r *record) Enter(row timeline.RangeID, parent uint32) uint32 {
	if row <= r.seen && row != 0 {
		r.t.Errorf("row %d after %d", row, r.seen)
	}
	if p := r.tl.Ranges.Parent[row]; uint32(p+1) != parent {
		r.t.Errorf("row %d: kept of its parent %d, want %d", row, parent, p+1)
	}
	r.seen = row
	return uint32(row) + 1
}

func (r *record) Spend(row timeline.RangeID, kept uint32, from, to int64) {
	if kept != uint32(row)+1 || from < r.now || to <= from {
		r.t.Errorf("row %d (kept %d) from %d to %d after %d", row, kept, from, to, r.now)
	}
	r.now, r.sum = to, r.sum+to-from
	for t := from; t < to; t += 1000 {
		r.at[t] = row
	}
}

// TestSweep compares the sweep over random ranges with its definition: at each
// instant, of the ranges that last, the one that began last.
func TestSweep(t *testing.T) {
	for seed := range uint64(30) {
		tl := walktest.Random(t, seed, 60).TL
		var s walk.Sweep
		for _, id := range tl.HostTracks() {
			row := walk.HostRow(tl, id)
			r := &record{t: t, tl: tl, now: -1 << 62, at: map[int64]timeline.RangeID{}, seen: -1}
			s.Run(row, r)
			covered := int64(0)
			for at := tl.Origin; at < tl.End; at += 1000 {
				want := timeline.NoRange
				for i := row.Lo; i < row.Hi; i++ {
					if row.Start[i] <= at && at < row.Start[i]+row.Dur[i] {
						want = timeline.RangeID(i)
					}
				}
				if got, ok := r.at[at]; ok != (want != timeline.NoRange) || ok && got != want {
					t.Fatalf("seed %d: at %d range %d (%v), want %d", seed, at, got, ok, want)
				}
				if want != timeline.NoRange {
					covered += 1000
				}
			}
			if r.sum != covered {
				t.Errorf("seed %d: %d ns spent, want %d", seed, r.sum, covered)
			}
		}
	}
}

func TestCauses(t *testing.T) {
	tl := walktest.Random(t, 7, 200).TL
	c := walk.NewCauses(tl)
	seen := map[int32]bool{}
	for r := timeline.NoRange; int(r) < tl.Ranges.Len(); r++ {
		for _, i := range c.Of(r) {
			if seen[i] || walk.Cause(tl, int(i)) != r || !tl.Activities.Class[i].IsWork() {
				t.Fatalf("activity %d of range %d", i, r)
			}
			seen[i] = true
		}
	}
	want := 0
	for _, class := range tl.Activities.Class {
		if class.IsWork() {
			want++
		}
	}
	if len(seen) != want {
		t.Errorf("%d activities, want %d", len(seen), want)
	}
	// Ranges that are not asked for do not hold up the others.
	c = walk.NewCauses(tl)
	last := timeline.NoRange
	for i, class := range tl.Activities.Class {
		if x := walk.Cause(tl, i); class.IsWork() {
			last = max(last, x)
		}
	}
	if len(c.Of(last)) == 0 {
		t.Error("the last cause has no activities")
	}
}

func TestClock(t *testing.T) {
	based := func(base string, at string) analyze.Rank {
		return walktest.Text(t, base+"track cpu1/1\nrange op \"a\" at "+at+" for 5ns\n")
	}
	for _, c := range []struct {
		name    string
		ranks   []analyze.Rank
		offsets []int64
		start   int64
		unix    bool
	}{
		{"none", nil, nil, 0, false},
		{"own times", []analyze.Rank{based("", "10ns"), based("", "30ns")}, []int64{0, 0}, 10, false},
		{"bases", []analyze.Rank{based("info base 1000ns\n", "10ns"), based("info base 2000ns\n", "30ns")}, []int64{1000, 2000}, 1010, true},
		{"absolute times", []analyze.Rank{based("", "1700000000000000001ns")}, []int64{0}, 1700000000000000001, true},
		{"one without", []analyze.Rank{based("info base 1000ns\n", "10ns"), based("", "30ns")}, []int64{1000, 980}, 1010, true},
		{"before zero", []analyze.Rank{based("", "-10ns"), based("", "30ns")}, []int64{10, 10}, 0, false},
		{"empty", []analyze.Rank{walktest.Text(t, ""), based("", "30ns")}, []int64{0, 0}, 30, false},
	} {
		got := walk.NewClock(c.ranks)
		if !slices.Equal(got.Offset, c.offsets) || got.Start != c.start || got.Unix != c.unix || len(c.ranks) > 0 && got.End <= got.Start {
			t.Errorf("%s: %+v, want offsets %v, start %d, unix %v", c.name, got, c.offsets, c.start, c.unix)
		}
	}
}

// visits counts.
type visits struct{ n int64 }

func (v *visits) Enter(timeline.RangeID, uint32) uint32          { v.n++; return 0 }
func (v *visits) Spend(_ timeline.RangeID, _ uint32, a, b int64) { v.n += b - a }

func BenchmarkSweep(b *testing.B) {
	tl := walktest.Sample(b, walktest.SD35).TL
	var s walk.Sweep
	b.ReportAllocs()
	for b.Loop() {
		for _, id := range tl.HostTracks() {
			s.Run(walk.HostRow(tl, id), &visits{})
		}
	}
	b.ReportMetric(float64(tl.Ranges.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mranges/s")
}
