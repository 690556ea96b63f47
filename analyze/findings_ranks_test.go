package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rankText is a rank of some steps.
func rankText(rank, world, steps int, length int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info rank %d\ninfo world %d\ntrack cpu1/1\n", rank, world)
	for i := range steps {
		fmt.Fprintf(&b, "range step \"denoising_step_%d\" at %dus for %dus\n", i, 10+i*length, length)
	}
	return b.String()
}

// TestFindingsOfRanks: missing ranks and a slow one, merged in any order.
func TestFindingsOfRanks(t *testing.T) {
	roles := builtin(t)
	part := func(rank, length int) *Partial {
		tl := timelineOf(t, rankText(rank, 4, 5, length))
		tl.Info.Path = fmt.Sprintf("rank%d.txt", rank)
		return newPartial(tl, roles)
	}
	ids := func(d *Document) (out []string) {
		for _, f := range d.Findings {
			text := f.ID
			if f.Where != nil && f.Where.Rank != nil {
				text += fmt.Sprint(" ", *f.Where.Rank)
			}
			out = append(out, text)
		}
		return out
	}
	slow := []*Partial{part(0, 1000), part(1, 1000), part(3, 1200)}
	d := Finalize(MergeAll(slow...))
	if got := ids(d); !slices.Equal(got, []string{"rank-skew 3", "rank-missing"}) {
		t.Errorf("%q", got)
	}
	if f := d.Findings[0]; *f.Cost != 4*200e3 { // without the first step
		t.Errorf("%+v", f)
	}
	slices.Reverse(slow)
	if again := Finalize(Merge(slow[0], Merge(slow[1], slow[2]))); string(encodedDocument(t, again)) != string(encodedDocument(t, d)) {
		t.Error("the order of merging tells")
	}
	even := Finalize(MergeAll(part(0, 1000), part(1, 1050), part(2, 1000), part(3, 1000)))
	if got := ids(even); len(got) != 0 {
		t.Errorf("%q", got)
	}
	r := even.Doctor()
	for _, id := range []string{rankMissing, rankSkew} {
		if !slices.Contains(r.Checked, id) || !slices.ContainsFunc(r.Healthy, func(h Healthy) bool { return h.ID == id }) {
			t.Errorf("%s is not healthy: %+v", id, r)
		}
	}
	one := Finalize(part(0, 1000)).Doctor()
	if !slices.ContainsFunc(one.NotAnswerable, func(u Unanswered) bool { return u.ID == rankSkew }) {
		t.Errorf("one rank: %+v", one.NotAnswerable)
	}
	if n := len(one.Checked) + len(one.NotAnswerable); n != len(CheckIDs()) {
		t.Errorf("%d of %d checks are told", n, len(CheckIDs()))
	}
}

func encodedDocument(t *testing.T, d *Document) []byte {
	t.Helper()
	var b strings.Builder
	if err := d.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}
