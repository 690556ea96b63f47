package analyze

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/golden"
	"reel/internal/samples"
	"reel/read/kineto"
	"reel/timeline"
)

// textTimeline reads a text trace under testdata.
func textTimeline(t testing.TB, name string) *timeline.Timeline {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := event.ParseText(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl.Info.Path = name
	return tl
}

// sampleTimeline reads a sample trace, without its Python calls; ok is false
// when it is no trace.
func sampleTimeline(t testing.TB, name string) (tl *timeline.Timeline, ok bool) {
	t.Helper()
	src, err := kineto.Open(t.Context(), samples.File(t, name), kineto.Options{NoPython: true})
	if err != nil {
		return nil, false
	}
	defer src.Close()
	tl, err = timeline.Build(t.Context(), src, timeline.Options{})
	return tl, err == nil
}

func builtin(t testing.TB) *Roles {
	t.Helper()
	roles, err := LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	return roles
}

// TestDocumentFiles: two ranks, whole, as `reel summary --json` gives them, and
// as they stand in a partial. When the partial changes, older programs
// refuse it, and newer ones may have to read the one that was here.
func TestDocumentFiles(t *testing.T) {
	var parts []*Partial
	for i, name := range []string{"document/rank1.txt", "document/rank0.txt"} {
		tl := textTimeline(t, name)
		tl.Info.Bytes = 1000 + int64(i) // editing a comment must not change the golden
		parts = append(parts, newPartial(tl, builtin(t)))
	}
	p := MergeAll(parts...)
	golden.Check(t, "document/two.json", spread(t, document(t, p)))
	golden.Check(t, "document/two.partial.json", encoded(t, p))
}

// TestDLRM: the eight ranks of one job, merged in any order: the bytes are
// the same, and ranks, clock and totals are those of the files.
func TestDLRM(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(samples.Shared(t), "multirank", "*worker*.gz"))
	if len(files) != 8 {
		t.Skipf("%d of 8 sample traces", len(files))
	}
	var parts []*Partial
	for _, f := range files {
		tl, ok := sampleTimeline(t, "multirank/"+filepath.Base(f))
		if !ok {
			t.Fatal(f)
		}
		parts = append(parts, decoded(t, encoded(t, newPartial(tl, builtin(t)))))
	}
	want := document(t, MergeAll(parts...))
	rnd := rand.New(rand.NewPCG(41, 42))
	for range 5 {
		rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		k := 1 + rnd.IntN(7)
		if got := document(t, Merge(MergeAll(parts[k:]...), MergeAll(parts[:k]...))); !bytes.Equal(got, want) {
			t.Fatal("the order changes the document")
		}
	}
	d := Finalize(MergeAll(parts...))
	if d.WorldSize == nil || *d.WorldSize != 8 || len(d.Warnings) != 0 {
		t.Errorf("world %v, warnings %q", d.WorldSize, d.Warnings)
	}
	var spans, busy []int64
	for i, r := range d.Ranks {
		if worker := fmt.Sprintf("worker%d_", r.Rank); r.Rank != i || !strings.Contains(d.Sources[i].Path, worker) {
			t.Errorf("rank %d is of %s", r.Rank, d.Sources[i].Path)
		}
		spans, busy = append(spans, r.GPU.Span/1000), append(busy, r.GPU.Busy/1000)
	}
	if !slices.Equal(spans, []int64{13009, 18749, 11350, 18853, 16589, 16392, 11410, 10967}) ||
		!slices.Equal(busy, []int64{6590, 12321, 4304, 10708, 7702, 7271, 4359, 2659}) {
		t.Errorf("spans %v, busy %v µs", spans, busy)
	}
	if x := d.Totals.Device; x.Ranks != 8 || x.Busy.Sum != 55914e3 || x.Busy.Min != 2659e3 || x.Busy.Max != 12321e3 {
		t.Errorf("%+v", x)
	}
	if len(d.Clock.Offsets) != 8 || d.Clock.Spread <= 0 || d.Clock.Spread > 1e9 {
		t.Errorf("%+v", d.Clock)
	}
}

// FuzzText: any timeline has a check and a partial that survives a file.
func FuzzText(f *testing.F) {
	for _, pattern := range []string{"testdata/check/*.txt", "testdata/document/*.txt"} {
		files, _ := filepath.Glob(pattern)
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	roles := builtin(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		src, err := event.ParseText(bytes.NewReader(text))
		if err != nil {
			return
		}
		tl, err := timeline.Build(t.Context(), src, timeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c := Check(tl); c.Verdict == "" || c.Overlaps.Total < 0 || c.Launches.WithoutActivity > c.Launches.Calls {
			t.Fatalf("%+v", c)
		}
		p := newPartial(tl, roles)
		if text := encoded(t, p); !bytes.Equal(encoded(t, decoded(t, text)), text) {
			t.Fatalf("%s does not survive a file", text)
		}
	})
}
