package reelfile_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"reel/event"
	"reel/internal/samples"
	"reel/reelfile"
	"reel/timeline"
)

// TestConformance records the timeline's own test traces: the timeline of the
// recording is that of the text.
func TestConformance(t *testing.T) {
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(root, "timeline", "testdata", "*.txt"))
	if len(files) == 0 {
		t.Skip("no text traces")
	}
	for _, file := range files {
		direct, recorded := build(t, openText(t, file)), build(t, rerecorded(t, file))
		if d, r := summary(direct), summary(recorded); !reflect.DeepEqual(d, r) {
			t.Errorf("%s:\n%v\nrecorded\n%v", filepath.Base(file), d, r)
		}
	}
}

func openText(t *testing.T, file string) event.Source {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := event.ParseText(f)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func rerecorded(t *testing.T, file string) event.Source {
	t.Helper()
	w, err := reelfile.Create(filepath.Join(t.TempDir(), "rec.reel"), reelfile.Options{Clock: reelfile.NanosecondClock()})
	if err != nil {
		t.Fatal(err)
	}
	a, err := reelfile.NewAdder(w)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range event.All(openText(t, file)) {
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := a.Add(e); !ok || err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := reelfile.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func build(t *testing.T, src event.Source) *timeline.Timeline {
	t.Helper()
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// summary is what the order of tracks does not change.
func summary(tl *timeline.Timeline) map[string]any {
	var names []string
	for i := range tl.Ranges.Start {
		names = append(names, tl.Name(tl.Ranges.Name[i]))
	}
	owners := map[string]int{}
	for i, o := range tl.Activities.Owner {
		if o != timeline.NoRange {
			owners[tl.Name(tl.Activities.Name[i])+" by "+tl.Name(tl.Ranges.Name[o])]++
		}
	}
	slices.Sort(names)
	return map[string]any{"ranges": names, "owners": owners, "linked": tl.Linked, "marks": len(tl.Marks.At),
		"activities": tl.Activities.Len(), "origin": tl.Origin, "end": tl.End}
}
