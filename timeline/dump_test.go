package timeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reel/event"
	"reel/internal/golden"
)

// read builds the timeline of a file under testdata.
func read(t testing.TB, file string) *Timeline {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := event.ParseText(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return build(t, src, Options{})
}

func build(t testing.TB, src event.Source, opt Options) *Timeline {
	t.Helper()
	tl, err := Build(context.Background(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// dump writes a timeline for people: ranges as a tree, activities with their
// launch and owner, tracks by their identity.
func dump(tl *Timeline) string {
	var tracks []string
	for _, id := range tl.HostTracks() {
		tracks = append(tracks, head(tl, id)+hostText(tl, tl.Tracks[id]))
	}
	for _, id := range tl.DeviceTracks() {
		tracks = append(tracks, head(tl, id)+deviceText(tl, tl.Tracks[id]))
	}
	slices.Sort(tracks)
	var b strings.Builder
	b.WriteString(strings.Join(tracks, ""))
	for i := range tl.Marks.At {
		fmt.Fprintf(&b, "mark %s at %v value %d on %v\n", tl.Name(tl.Marks.Name[i]), time.Duration(tl.Marks.At[i]),
			tl.Marks.Value[i], tl.Tracks[tl.Marks.Track[i]].Track)
	}
	fmt.Fprintf(&b, "span %v to %v, linked by launch %d, by operator %d, not %d\n",
		time.Duration(tl.Origin), time.Duration(tl.End), tl.Linked.ByLaunch, tl.Linked.ByOp, tl.Linked.None)
	return b.String()
}

func head(tl *Timeline, id TrackID) string {
	t := tl.Tracks[id]
	return fmt.Sprintf("%v %q\n", t.Track, t.Name)
}

func hostText(tl *Timeline, t Track) string {
	var b strings.Builder
	r := &tl.Ranges
	for i := RangeID(t.Lo); i < RangeID(t.Hi); i++ {
		b.WriteString("  ")
		for p := r.Parent[i]; p != NoRange; p = r.Parent[p] {
			b.WriteString("  ")
		}
		fmt.Fprintf(&b, "%v +%v %v %s\n", time.Duration(r.Start[i]), time.Duration(r.Dur[i]), r.Class[i], tl.Name(r.Name[i]))
	}
	return b.String()
}

func deviceText(tl *Timeline, t Track) string {
	var b strings.Builder
	a := &tl.Activities
	name := func(r RangeID) string {
		if r == NoRange {
			return "-"
		}
		return tl.Name(tl.Ranges.Name[r])
	}
	for i := t.Lo; i < t.Hi; i++ {
		fmt.Fprintf(&b, "  %v +%v %v %s: launch %s, owner %s\n", time.Duration(a.Start[i]), time.Duration(a.Dur[i]),
			a.Class[i], tl.Name(a.Name[i]), name(a.Launch[i]), name(a.Owner[i]))
	}
	return b.String()
}

// TestFiles builds each text trace under testdata and compares what the
// timeline holds with the golden file beside it.
func TestFiles(t *testing.T) {
	for _, file := range files(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			golden.String(t, strings.TrimSuffix(filepath.Base(file), ".txt")+".golden", dump(read(t, file)))
		})
	}
}

func files(t testing.TB) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(list) == 0 {
		t.Fatalf("no text traces: %v", err)
	}
	return list
}
